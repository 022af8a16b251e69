package io.shardsim.reports;

import io.shardsim.simulator.ResourceDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A page about a message, from {@code messages/CODE.txt}: a headline, a blank line, then paragraphs.
 *
 * @param headline one sentence without figures, for use where one line must do
 * @param paragraphs what it means, why it matters, what to do
 */
public record MessagePage(String headline, List<String> paragraphs) {
    private static final ResourceDirectory FILES =
            new ResourceDirectory("messages", ".txt", MessagePage.class.getClassLoader());

    /** Returns names of all pages. */
    static List<String> names() {
        return FILES.names();
    }

    static MessagePage of(String code) {
        try (InputStream in = FILES.open(code)) {
            if (in == null) {
                throw new IllegalStateException("no page " + FILES.path(code));
            }
            List<String> parts = List.of(new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .strip()
                    .split("\n\\s*\n"));
            return new MessagePage(
                    parts.get(0).strip(),
                    parts.subList(1, parts.size()).stream()
                            .map(part -> part.strip().replaceAll("\\s*\n\\s*", " "))
                            .toList());
        } catch (IOException failure) {
            throw new UncheckedIOException(FILES.path(code), failure);
        }
    }
}

package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.ResourceDirectory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The scenarios that come with the tool, folder {@code scenarios/library} of the sources. */
public final class Library {
    private static final ResourceDirectory FILES = new ResourceDirectory("library", ".yaml");

    private Library() {}

    /** Names of the scenarios, which are those of their files. */
    public static List<String> names() {
        return FILES.names();
    }

    /** The text of a scenario, to be closed; null where there is none of this name. */
    public static @Nullable InputStream open(String name) throws IOException {
        return FILES.open(name);
    }

    /** The comment at the head of a scenario, a paragraph an element: what it asks, what to look at, where its figures come from. */
    public static List<String> comment(String name) {
        List<String> paragraphs = new ArrayList<>();
        StringBuilder paragraph = new StringBuilder();
        try (InputStream in = FILES.open(name)) {
            if (in == null) {
                return List.of("");
            }
            BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
            String line = reader.readLine();
            while (line != null && line.startsWith("#")) {
                String text = line.substring(1).strip();
                if (text.isEmpty()) {
                    paragraphs.add(paragraph.toString());
                    paragraph.setLength(0);
                } else {
                    paragraph.append(paragraph.length() == 0 ? "" : " ").append(text);
                }
                line = reader.readLine();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(FILES.path(name) + " cannot be read", failure);
        }
        paragraphs.add(paragraph.toString());
        return paragraphs;
    }
}

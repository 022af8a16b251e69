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

/** Bundled scenarios, from {@code scenarios/library} of the sources. */
public final class Library {
    private static final ResourceDirectory FILES = new ResourceDirectory("library", ".yaml");

    private Library() {}

    /** Returns the scenarios' names, equal to their file names. */
    public static List<String> names() {
        return FILES.names();
    }

    /** Opens a scenario, for the caller to close; null if there is none of this name. */
    public static @Nullable InputStream open(String name) throws IOException {
        return FILES.open(name);
    }

    /** Returns a scenario's header comment by paragraph: its question, what to look at, where its figures come from. */
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

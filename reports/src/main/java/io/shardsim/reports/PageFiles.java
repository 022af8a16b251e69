package io.shardsim.reports;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files of a web page.
 *
 * @param folder folder relative to the class, with its slash; empty for the class's own
 * @param style the style sheet, which starts with the variables
 * @param variables colours, shared with other pages
 */
public record PageFiles(Class<?> beside, String folder, String style, String variables) {
    /** Media type of a script. */
    public static final String SCRIPT = "text/javascript; charset=utf-8";

    /** Media types by file suffix; nothing else is served. */
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", SCRIPT,
            "svg", "image/svg+xml");

    /** A file and its media type. */
    public record Asset(String type, byte[] content) {}

    /** Returns the file of a name; null if there is none. Names contain no folders. */
    public @Nullable Asset asset(String name) {
        if (!name.matches("[a-z][a-z-]*(\\.min)?\\.[a-z]+")) {
            return null;
        }
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        try (InputStream in = beside.getResourceAsStream(folder + name)) {
            return type == null || in == null ? null : new Asset(type, withVariables(name, in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] withVariables(String name, byte[] content) {
        return name.equals(style)
                ? (variables + new String(content, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8)
                : content;
    }
}

package io.shardsim.reports.replay;

import io.shardsim.reports.StreamLook;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files that the teaching page is made of. */
public final class ReplayPage {
    /** File types by how a name ends; nothing else is served. */
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "svg", "image/svg+xml");

    private static final String STYLE = "page.css";

    private ReplayPage() {}

    /** A file and its media type. */
    public record Asset(String type, byte[] content) {}

    /** The file of this name; null when there is none. Names hold no folders. */
    public static @Nullable Asset asset(String name) {
        if (!name.matches("[a-z][a-z-]*\\.[a-z]+")) {
            return null;
        }
        String type = TYPES.get(name.substring(name.indexOf('.') + 1));
        try (InputStream in = ReplayPage.class.getResourceAsStream(name)) {
            return type == null || in == null ? null : new Asset(type, withColours(name, in.readAllBytes()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The style sheet begins with the colours of streams, which the report has too. */
    private static byte[] withColours(String name, byte[] content) {
        return name.equals(STYLE)
                ? (StreamLook.variables() + new String(content, StandardCharsets.UTF_8))
                        .getBytes(StandardCharsets.UTF_8)
                : content;
    }
}

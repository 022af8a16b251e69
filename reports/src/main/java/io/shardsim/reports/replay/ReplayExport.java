package io.shardsim.reports.replay;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;

/**
 * The page as one file that plays its contents without a server, with scripts, style and a recording inlined. The file's policy allows exactly these
 * scripts and this style, and no requests.
 */
public final class ReplayExport {
    /** Scripts, each after those that it uses; their names are distinct, so that they can be merged. */
    private static final List<String> SCRIPTS = List.of(
            "format.js",
            "address.js",
            "glossary.js",
            "terms.js",
            "scale.js",
            "votes.js",
            "scene.js",
            "layout.js",
            "source.js",
            "recording.js",
            "cluster.js",
            "timeline.js",
            "clock.js",
            "panel.js",
            "race.js",
            "lessons.js",
            "tour.js",
            "zoom.js",
            "main.js");

    private static final String STYLE_LINK = "<link rel=\"stylesheet\" href=\"page.css\">\n";
    private static final String SCRIPT_LINK = "<script type=\"module\" src=\"main.js\"></script>\n";

    private ReplayExport() {}

    /**
     * Returns the file.
     *
     * @param recorded data that the page plays, see {@code RecordedSource} in source.js
     * @param packed data that it loads on demand, by name
     * @param charted whether it contains a lesson, whose chart needs the report's scripts
     */
    public static String write(Object recorded, Map<String, ?> packed, boolean charted) {
        List<String> charts =
                charted ? ReplayPage.charts().stream().map(ReplayExport::text).toList() : List.of();
        String style = text("page.css");
        StringBuilder script = new StringBuilder();
        for (String name : SCRIPTS) {
            script.append(text(name).replaceAll("(?m)^import .*;\n", "").replaceAll("(?m)^export ", ""));
        }
        String policy = "default-src 'none'; script-src '" + hash(script.toString()) + "'"
                + charts.stream().map(chart -> " '" + hash(chart) + "'").collect(Collectors.joining())
                + "; style-src '" + hash(style)
                + "'; img-src data: blob:; base-uri 'none'; form-action 'none'";
        StringBuilder parts = new StringBuilder();
        packed.forEach((name, part) -> parts.append("<script type=\"application/gzip\" id=\"" + name + "\">")
                .append(Base64.getEncoder().encodeToString(zipped(ReplayJson.bytes(part))))
                .append("</script>\n"));
        // Only "</" could end a script element early; JSON allows an escaped slash.
        String data = ReplayJson.text(recorded).replace("</", "<\\/").replace("<!--", "<\\u0021--");
        String head = "<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy + "\">\n<style>" + style
                + "</style>\n<script type=\"application/json\" id=\"recorded\">" + data + "</script>\n";
        return text("index.html")
                .replace(STYLE_LINK, "")
                .replace(SCRIPT_LINK, head)
                .replace(
                        "</body>",
                        parts
                                + charts.stream()
                                        .map(chart -> "<script>" + chart + "</script>\n")
                                        .collect(Collectors.joining())
                                + "<script type=\"module\">" + script + "</script>\n</body>");
    }

    private static String text(String name) {
        return new String(Objects.requireNonNull(ReplayPage.asset(name), name).content(), StandardCharsets.UTF_8);
    }

    private static byte[] zipped(byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
            zip.write(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static String hash(String content) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content.getBytes(StandardCharsets.UTF_8));
            return "sha256-" + Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}

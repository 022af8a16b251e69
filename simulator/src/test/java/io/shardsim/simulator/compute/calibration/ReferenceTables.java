package io.shardsim.simulator.compute.calibration;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the published tables, which are not part of the repository. */
public final class ReferenceTables {
    private ReferenceTables() {}

    /** Returns the folder of the tables, if it exists. */
    public static Optional<Path> folder() {
        String property = System.getProperty("shardsim.reference");
        if (property != null) {
            return Optional.of(Path.of(property));
        }
        Path directory = Path.of("").toAbsolutePath();
        while (directory != null && !Files.exists(directory.resolve("LICENSE"))) {
            directory = directory.getParent();
        }
        if (directory == null || directory.getParent() == null) {
            return Optional.empty();
        }
        Path folder = directory.resolveSibling("shared").resolve("reference");
        return Files.isDirectory(folder) ? Optional.of(folder) : Optional.empty();
    }

    /** Skips a test if there are no tables. */
    public static void assumePresent() {
        assumeTrue(
                folder().isPresent(),
                "skipped: no reference tables at ../shared/reference (or -Dshardsim.reference=DIR)");
    }

    /** Returns the rows of a table, each a map from column to text. */
    public static List<Map<String, String>> read(String table) {
        Path path = folder().orElseThrow(() -> new IllegalStateException("no reference tables at ../shared/reference"))
                .resolve(table);
        try {
            List<List<String>> lines = parse(Files.readString(path, StandardCharsets.UTF_8));
            List<String> header = lines.get(0);
            List<Map<String, String>> rows = new ArrayList<>();
            for (List<String> line : lines.subList(1, lines.size())) {
                Map<String, String> row = new LinkedHashMap<>();
                for (int i = 0; i < header.size(); i++) {
                    row.put(header.get(i), i < line.size() ? line.get(i) : "");
                }
                rows.add(row);
            }
            return rows;
        } catch (IOException e) {
            throw new UncheckedIOException(path.toString(), e);
        }
    }

    /** Parses comma-separated lines with double-quoted fields. */
    private static List<List<String>> parse(String text) {
        List<List<String>> lines = new ArrayList<>();
        List<String> line = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quoted) {
                boolean escaped = c == '"' && i + 1 < text.length() && text.charAt(i + 1) == '"';
                if (escaped) {
                    field.append('"');
                    i++;
                } else if (c == '"') {
                    quoted = false;
                } else {
                    field.append(c);
                }
            } else if (c == '"') {
                quoted = true;
            } else if (c == ',') {
                line.add(field.toString());
                field.setLength(0);
            } else if (c == '\n') {
                line.add(field.toString());
                field.setLength(0);
                lines.add(line);
                line = new ArrayList<>();
            } else if (c != '\r') {
                field.append(c);
            }
        }
        if (field.length() > 0 || !line.isEmpty()) {
            line.add(field.toString());
            lines.add(line);
        }
        return lines;
    }
}

package io.shardsim.reports.writing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Expected documents under {@code src/test/resources/golden}. Run with {@code -Dgolden.update} to rewrite them, then review the difference as
 * text.
 */
final class Golden {
    private static final Path FOLDER = Path.of("src", "test", "resources", "golden");

    private Golden() {}

    static void check(String name, String actual) {
        Path file = FOLDER.resolve(name);
        try {
            if (System.getProperty("golden.update") != null) {
                Files.createDirectories(FOLDER);
                Files.writeString(file, actual);
            }
            assertThat(actual).isEqualTo(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new AssertionError("no golden file " + file + "; run with -Dgolden.update once", e);
        }
    }
}

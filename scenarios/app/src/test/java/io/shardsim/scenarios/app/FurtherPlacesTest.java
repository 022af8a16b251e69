package io.shardsim.scenarios.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FurtherPlacesTest {
    @TempDir
    private Path folder;

    @Test
    void jarsAndFoldersCanBeUsed() throws IOException {
        Path jar = new FurtherJar(folder).jar("mine.jar", Map.of("a/b.txt", "b".getBytes(StandardCharsets.UTF_8)));
        assertThat(FurtherPlaces.problem(null)).isNull();
        assertThat(FurtherPlaces.problem(jar + File.pathSeparator + folder)).isNull();
    }

    @Test
    void aFileThatIsNoJarIsTold() throws IOException {
        Path jar = new FurtherJar(folder).jar("mine.jar", Map.of("a/b.txt", "b".getBytes(StandardCharsets.UTF_8)));
        byte[] whole = Files.readAllBytes(jar);
        Path random = Files.write(folder.resolve("random.jar"), new byte[] {7, 3, 0, 99});
        Path cut = Files.write(folder.resolve("cut.jar"), Arrays.copyOf(whole, whole.length / 2));

        assertThat(FurtherPlaces.problem(jar + File.pathSeparator + random))
                .startsWith("SHARDSIM_CLASSPATH names " + random + ", which is not a jar (")
                .endsWith("); name jars or class folders");
        assertThat(FurtherPlaces.problem(cut.toString())).contains("cut.jar, which is not a jar");
    }
}

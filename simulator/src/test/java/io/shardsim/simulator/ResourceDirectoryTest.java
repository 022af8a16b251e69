package io.shardsim.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResourceDirectoryTest {
    @TempDir
    Path folder;

    @Test
    void filesInFoldersAndJarsAreFoundWithoutAList() throws IOException {
        Path classes = Files.createDirectories(folder.resolve("classes/things/deeper"));
        Files.writeString(classes.resolveSibling("b.yaml"), "in: folder");
        Files.writeString(classes.resolveSibling("readme.txt"), "no entry");
        Files.writeString(classes.resolve("d.yaml"), "too deep");
        Path jar = folder.resolve("things.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (String name : new String[] {
                "things/", "things/a.yaml", "things/deeper/", "things/deeper/c.yaml", "thingsnot/x.yaml"
            }) {
                out.putNextEntry(new JarEntry(name));
                if (!name.endsWith("/")) {
                    out.write("in: jar".getBytes(StandardCharsets.UTF_8));
                }
                out.closeEntry();
            }
        }
        URL[] places = {jar.toUri().toURL(), folder.resolve("classes").toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(places, null)) {
            ResourceDirectory things = new ResourceDirectory("things", ".yaml", loader);
            assertThat(things.names()).containsExactly("a", "b");
            assertThat(text(things, "a")).isEqualTo("in: jar");
            assertThat(text(things, "b")).isEqualTo("in: folder");
            assertThat(things.open("c")).isNull();
            assertThat(things.open("deeper/c")).isNull();
            assertThat(new ResourceDirectory("nothing", ".yaml", loader).names())
                    .isEmpty();
        }
    }

    private static String text(ResourceDirectory directory, String name) throws IOException {
        try (InputStream in = directory.open(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}

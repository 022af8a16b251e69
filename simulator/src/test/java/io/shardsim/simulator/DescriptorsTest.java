package io.shardsim.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DescriptorsTest {
    @TempDir
    private Path folder;

    private static Map<String, String> parse(String text) throws IOException {
        return Descriptors.parse("test.yaml", new BufferedReader(new StringReader(text)));
    }

    @Test
    void readsFlatLinesInTheOrderOfTheFile() throws IOException {
        assertThat(parse("# a comment\nname: ring\n\nkinds: [a, b]   # why\nsource: \"here: there\"\n"))
                .containsExactly(
                        Map.entry("name", "ring"), Map.entry("kinds", "[a, b]"), Map.entry("source", "here: there"));
    }

    @Test
    void refusesWhatIsNotFlat() {
        for (String text :
                List.of("name: ring\nkinds:\n  - a\n", "name: ring\n- a\n", "name: x\n  inner: 1\n", "name\n")) {
            assertThatExceptionOfType(DescriptorException.class)
                    .isThrownBy(() -> parse(text))
                    .withMessageMatching("test.yaml:[12]: expected one `key: value`.*");
        }
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> parse("a: 1\na: 2\n"))
                .withMessage("test.yaml:2: key a appears twice");
    }

    @Test
    void findsFilesInFoldersAndJarsInTheOrderOfTheirNames() throws IOException {
        Path classes = folder.resolve("with space");
        Files.createDirectories(classes.resolve("things"));
        Files.writeString(classes.resolve("things/b.yaml"), "name: from-folder\n");
        Files.writeString(classes.resolve("things/readme.txt"), "not yaml");
        Path jar = jar("extra.jar", Map.of("things/a.yaml", "name: from-jar\n", "things/sub/c.yaml", "name: deeper\n"));
        try (URLClassLoader loader = loader(classes, jar)) {
            List<Descriptor> found = Descriptors.load("things", loader);
            assertThat(found).extracting(Descriptor::id).containsExactly("a", "b");
            assertThat(found).extracting(d -> d.required("name")).containsExactly("from-jar", "from-folder");
        }
    }

    @Test
    void refusesTwoFilesOfOneName() throws IOException {
        Path first = jar("first.jar", Map.of("things/a.yaml", "name: one\n"));
        Path second = jar("second.jar", Map.of("things/a.yaml", "name: two\n"));
        try (URLClassLoader loader = loader(first, second)) {
            assertThatExceptionOfType(DescriptorException.class)
                    .isThrownBy(() -> Descriptors.load("things", loader))
                    .withMessageContaining("a.yaml has the same name as");
        }
    }

    @Test
    void aFileMayExtendAnother() throws IOException {
        Path jar = jar(
                "family.jar",
                Map.of(
                        "things/base.yaml", "first: 1\nsecond: 2\nsecond.source: here\n",
                        "things/child.yaml", "extends: base\nclass: Child\nown: 0\nsecond: 3\n",
                        "things/grandchild.yaml", "second.source: there\nextends: child\n"));
        try (URLClassLoader loader = loader(jar)) {
            List<Descriptor> found = Descriptors.load("things", loader);
            assertThat(found).extracting(Descriptor::id).containsExactly("child", "grandchild");
            assertThat(found.get(0).values())
                    .containsExactly(
                            Map.entry("class", "Child"),
                            Map.entry("own", "0"),
                            Map.entry("first", "1"),
                            Map.entry("second", "3"),
                            Map.entry("second.source", "here"));
            assertThat(found.get(1).required("second.source")).isEqualTo("there");
            assertThat(found.get(1).required("second")).isEqualTo("3");
        }
    }

    @Test
    void refusesToExtendWhatDoesNotExistOrExtendsItself() throws IOException {
        assertThat(refused(Map.of("things/zero3.yaml", "name: a\n", "things/mics.yaml", "extends: zero4\n")))
                .isEqualTo("mics.yaml extends zero4, which does not exist; did you mean zero3?");
        assertThat(refused(Map.of("things/a.yaml", "extends: b\n", "things/b.yaml", "extends: a\n")))
                .isEqualTo("a.yaml: a extends b extends a; remove one of these");
    }

    private String refused(Map<String, String> files) throws IOException {
        try (URLClassLoader loader = loader(jar("refused.jar", files))) {
            return catchThrowableOfType(DescriptorException.class, () -> Descriptors.load("things", loader))
                    .getMessage();
        }
    }

    @Test
    void saysWhatIsMissing() throws IOException {
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> Descriptors.load("no-such-folder"))
                .withMessage("no no-such-folder/*.yaml on the class path");
        Descriptor descriptor = new Descriptor("a", "a.yaml", parse("class: java.lang.Object\nname: a\n"));
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> descriptor.required("source"))
                .withMessage("a.yaml: key source is missing; the file has class, name");
        assertThatExceptionOfType(DescriptorException.class)
                .isThrownBy(() -> descriptor.instantiate(Runnable.class))
                .withMessageStartingWith("a.yaml: class java.lang.Object is not a public Runnable");
        assertThat(descriptor.requiredList("name")).containsExactly("a");
    }

    private Path jar(String name, Map<String, String> files) throws IOException {
        Path path = folder.resolve(name);
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(path))) {
            jar.putNextEntry(new JarEntry("things/"));
            for (Map.Entry<String, String> file : files.entrySet()) {
                jar.putNextEntry(new JarEntry(file.getKey()));
                jar.write(file.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
        return path;
    }

    private static URLClassLoader loader(Path... places) throws IOException {
        URL[] urls = new URL[places.length];
        for (int i = 0; i < places.length; i++) {
            urls[i] = places[i].toUri().toURL();
        }
        return new URLClassLoader(urls, null);
    }
}

package io.shardsim.simulator.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.NamedType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.strategy.settings.Setting;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Valid contents of a file that names a class, and the positions of its problems. */
class DescriptorFolderTest {
    private static final Key[] KEYS = {
        Key.optional("kinds", new ListType(ScalarTypes.choice("gather", "scatter"), "kind"), "words"),
        Key.optional("parameters", new NamedType(Setting.TYPE), "settings")
    };

    @TempDir
    private Path place;

    @Test
    void filesAreFoundInFoldersAndJarsInTheOrderOfTheirNames() throws IOException {
        Path jar = jar("things/a.yaml", "class: java.lang.Object\nsource: jar\n", "things/sub/c.yaml", "class: Deeper");
        List<Descriptor> found = folder(
                        Map.of("b", "class: java.lang.Object\nsource: folder\nkinds: [gather, scatter]\n"), jar)
                .all();
        assertThat(found).extracting(Descriptor::id).containsExactly("a", "b");
        assertThat(found).extracting(file -> file.text("source")).containsExactly("jar", "folder");
        assertThat(found.get(1).words("kinds")).containsExactly("gather", "scatter");
        assertThat(found.get(0).words("kinds")).isEmpty();
    }

    @Test
    void twoFilesOfOneNameAreRefused() throws IOException {
        Path jar = jar("things/a.yaml", "class: A\nsource: jar\n");
        DescriptorFolder folder = folder(Map.of("a", "class: A\nsource: folder\n"), jar);
        assertThatThrownBy(folder::all).hasMessageContaining("a.yaml has the same name as");
    }

    @Test
    void aFileMayExtendAnotherAndChangePartOfASetting() throws IOException {
        DescriptorFolder folder =
                folder(Map.of("base", """
                source: here
                parameters:
                  size: {value: 25 MiB, meaning: A size., source: here}
                  on: {value: true, meaning: A switch., source: here}
                """, "child", """
                extends: base
                class: Child
                parameters:
                  own: {value: 1 ranks, meaning: Own., source: here}
                  size: {value: 1 MiB}
                """, "grandchild", "source: there\nextends: child\n"));
        List<Descriptor> found = folder.all();
        assertThat(found).extracting(Descriptor::id).containsExactly("child", "grandchild");
        assertThat(settings(found.get(0)))
                .containsExactly(
                        new Setting("own", "1 ranks", "Own.", "here"),
                        new Setting("size", "1 MiB", "A size.", "here"),
                        new Setting("on", "true", "A switch.", "here"));
        assertThat(found.get(1).text("source")).isEqualTo("there");
        assertThat(found.get(1).text("class")).isEqualTo("Child");
        assertThat(settings(found.get(1))).isEqualTo(settings(found.get(0)));
    }

    private static List<Setting> settings(Descriptor file) {
        Block parameters = file.block().block("parameters");
        return Setting.of(parameters);
    }

    @Test
    void everyProblemIsToldAtItsPlace() throws IOException {
        DescriptorFolder folder = folder(Map.of("a", """
                class: no class
                sorce: here
                kinds: [gather, scater]
                parameters:
                  size: {value: 25 MIB, meaning: A size., source: here}
                  count: {value: 3 ranks, source: here}
                """));
        assertThatThrownBy(folder::all)
                .isInstanceOf(CatalogException.class)
                .hasMessage(String.join(
                        System.lineSeparator(),
                        "things/a.yaml:1:1: entry has no source; add source: a string",
                        "things/a.yaml:1:8: class \"no class\" is not the name of a Java class; write the name of a Java class",
                        "things/a.yaml:2:1: unknown key sorce; did you mean source?",
                        "things/a.yaml:3:17: kind scater is not one of gather, scatter; did you mean scatter?",
                        "things/a.yaml:5:17: value 25 MIB is not a default; write a quantity with its unit, 4 ranks, 15 %,"
                                + " true, false or a name",
                        "things/a.yaml:6:10: count has no meaning; add meaning: a string"));
    }

    @Test
    void extensionsThatLeadNowhereAreRefused() throws IOException {
        DescriptorFolder missing = folder(Map.of("mars", "class: A\nsource: s\nextends: venus\n"));
        assertThatThrownBy(missing::all)
                .hasMessage("things/mars.yaml:3:10: extends venus, which does not exist; known: mars");
    }

    @Test
    void aClassThatDoesNotFitIsToldWithItsPlace() throws IOException {
        Descriptor file = folder(Map.of("a", "source: here\nclass: java.lang.Object\n"))
                .all()
                .get(0);
        assertThatThrownBy(() -> file.instantiate(Runnable.class))
                .hasMessage("things/a.yaml:2:8: class java.lang.Object is not a public Runnable"
                        + " with a public constructor without parameters");
        assertThatThrownBy(() -> file.instantiate(Object.class, "text"))
                .hasMessageEndingWith("with a public constructor that takes String");
        assertThatThrownBy(() -> descriptor("com.example.Nope").instantiate(Thing.class))
                .hasMessage("things/a.yaml:2:8: class com.example.Nope is not on the class path;"
                        + " add its jar to SHARDSIM_CLASSPATH");
        assertThatThrownBy(() -> descriptor(Broken.class.getName()).instantiate(Thing.class))
                .hasMessage("things/a.yaml:2:8: the constructor of class " + Broken.class.getName()
                        + " fails: no such thing");
        assertThatThrownBy(() -> descriptor(Unloadable.class.getName()).instantiate(Thing.class))
                .hasMessageStartingWith(
                        "things/a.yaml:2:8: class " + Unloadable.class.getName() + " cannot be loaded: ");
    }

    private Descriptor descriptor(String name) throws IOException {
        return folder(Map.of("a", "source: here\nclass: " + name + "\n")).all().get(0);
    }

    /** Service that the files name. */
    public interface Thing {}

    /** Class whose constructor fails. */
    public static final class Broken implements Thing {
        public Broken() {
            throw new IllegalArgumentException("no such thing");
        }
    }

    /** Class whose initializer fails. */
    public static final class Unloadable implements Thing {
        static final int SIZE = Integer.parseInt("none");
    }

    private Path jar(String... pathsAndTexts) throws IOException {
        Path jar = place.resolve("further.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry("things/"));
            for (int i = 0; i < pathsAndTexts.length; i += 2) {
                out.putNextEntry(new JarEntry(pathsAndTexts[i]));
                out.write(pathsAndTexts[i + 1].getBytes(StandardCharsets.UTF_8));
            }
        }
        return jar;
    }

    private DescriptorFolder folder(Map<String, String> files, Path... jars) throws IOException {
        Path classes = place.resolve("with space");
        Files.createDirectories(classes.resolve("things"));
        Files.writeString(classes.resolve("things/readme.txt"), "not yaml");
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(classes.resolve("things/" + file.getKey() + ".yaml"), file.getValue());
        }
        URL[] places = new URL[jars.length + 1];
        places[0] = Objects.requireNonNull(classes.toUri().toURL());
        for (int i = 0; i < jars.length; i++) {
            places[i + 1] = jars[i].toUri().toURL();
        }
        return new DescriptorFolder(new ResourceDirectory("things", ".yaml", new URLClassLoader(places, null)), KEYS);
    }
}

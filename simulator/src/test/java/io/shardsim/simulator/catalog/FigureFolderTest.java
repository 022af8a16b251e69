package io.shardsim.simulator.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.topology.units.UnitTable;
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

/** Valid contents of a file of figures, and the positions of its problems. */
class FigureFolderTest {
    private static final List<Key> KEYS = FigureFolder.figures(
            List.of(
                    Key.required("latency", ScalarTypes.quantity(UnitTable.TIME, 0), "a time"),
                    Key.required("rate", ScalarTypes.positiveQuantity(UnitTable.RATE), "a rate"),
                    Key.optional("ratio", ScalarTypes.positive(), "a ratio"),
                    Key.optional("parts", new ListType(ScalarTypes.whole(1, 9), "part"), "numbers")),
            Key.optional("remark", FigureType.LINE, "a remark"));

    private static final String GOOD = """
            title: A thing
            latency: {value: 1.5 us, from: test, note: "half of it each way"}
            rate: {value: 3.709e10 B/s, from: test}
            parts: {value: [1, 2], from: test}
            sources:
              test: {source: a test, date: 2026-11}
            """;

    @TempDir
    private Path place;

    @Test
    void valuesHaveUnitsAndSources() throws IOException {
        FigureFile file = folder(Map.of("a", GOOD)).named("a");
        assertThat(file.title()).isEqualTo("A thing");
        assertThat(file.whole("latency")).isEqualTo(1_500_000);
        assertThat(file.decimal("rate")).isEqualTo(3.709e10);
        assertThat(file.<Long>list("parts")).containsExactly(1L, 2L);
        assertThat(file.has("ratio")).isFalse();
        assertThat(file.text("remark")).isEmpty();
        assertThat(file.figures().get("latency"))
                .isEqualTo(new Figure("latency", 1_500_000L, "1.5 us", "a test", "2026-11", "half of it each way"));
        assertThat(file.with(Map.of("rate", 2.0)).decimal("rate")).isEqualTo(2.0);
    }

    @Test
    void aFileHasWhatTheOneItExtendsHas() throws IOException {
        FigureFolder folder = folder(Map.of("a", GOOD, "b", """
                title: Another
                extends: a
                latency: {value: 2 us, from: other}
                remark: none
                sources: {other: {source: b test, date: 2026}}
                """));
        assertThat(folder.names()).containsExactly("a", "b");
        assertThat(folder.named("b").title()).isEqualTo("Another");
        assertThat(folder.named("b").text("remark")).isEqualTo("none");
        assertThat(folder.figures("b")).extracting(Figure::key).containsExactly("latency", "rate", "parts");
        assertThat(folder.figures("b")).extracting(Figure::source).containsExactly("b test", "a test", "a test");
        assertThat(folder.figures("b")).extracting(Figure::text).containsExactly("2 us", "3.709e10 B/s", "1, 2");
    }

    @Test
    void everyProblemIsToldAtItsPlace() throws IOException {
        FigureFolder folder = folder(Map.of("a", """
                title: A thing
                latency: {value: 1500, from: test}
                rate: {value: 0 B/s, from: nowhere}
                ratio: {value: 0, from: test}
                rato: {value: 1, from: test}
                sources: {test: {source: a test}}
                """));
        assertThatThrownBy(() -> folder.find("a"))
                .isInstanceOf(CatalogException.class)
                .hasMessage(String.join(
                        System.lineSeparator(),
                        "things/a.yaml:2:18: latency: time 1500 has no unit; write for example 2 us",
                        "things/a.yaml:3:15: rate 0 B/s is not above 0; write a rate such as 300 GB/s or 100 Gbit/s",
                        "things/a.yaml:3:28: source nowhere is not in the file's sources; add it",
                        "things/a.yaml:4:16: ratio 0 <= 0; write a number above 0",
                        "things/a.yaml:5:1: unknown key rato; did you mean rate?",
                        "things/a.yaml:6:17: source test has no date; add date: a date such as 2022-10-31"));
    }

    @Test
    void whatIsMissingIsToldOnceAllFilesAreRead() throws IOException {
        FigureFolder folder = folder(Map.of("a", "title: A thing\n", "b", "title: B\nextends: c\n", "c", GOOD));
        assertThat(folder.named("b").has("rate")).isTrue();
        assertThatThrownBy(() -> folder.find("a"))
                .hasMessageStartingWith(
                        "things/a.yaml:1:1: entry has no latency; add latency: {value: a time such as 2 us");
    }

    @Test
    void extensionsThatLeadNowhereAreRefused() throws IOException {
        FigureFolder folder = folder(Map.of(
                "mars", "title: M\nextends: venus\n", "venus", "title: V\nextends: mars\n", "x", "extends: mar\n"));
        assertThatThrownBy(() -> folder.find("mars"))
                .hasMessage("things/venus.yaml:2:10: mars extends venus extends mars; remove one of these");
        assertThatThrownBy(() -> folder.find("x"))
                .hasMessage("things/x.yaml:1:10: extends mar, which does not exist; did you mean mars?");
    }

    @Test
    void entriesMayComeInFurtherJars() throws IOException {
        Path jar = place.resolve("further.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry("things/"));
            out.putNextEntry(new JarEntry("things/z.yaml"));
            out.write(GOOD.getBytes(StandardCharsets.UTF_8));
        }
        FigureFolder folder = folder(Map.of("a", GOOD), jar);
        assertThat(folder.names()).containsExactly("a", "z");
        assertThat(folder.named("z").has("rate")).isTrue();
        assertThat(folder.find("y")).isNull();
        assertThatThrownBy(() -> folder.named("y"))
                .hasMessage("no thing y: there is no things/y.yaml on the class path; did you mean a?");
    }

    @Test
    void twoFilesOfOneNameAreRefused() throws IOException {
        Path jar = place.resolve("further.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry("things/"));
            out.putNextEntry(new JarEntry("things/a.yaml"));
        }
        FigureFolder folder = folder(Map.of("a", GOOD), jar);
        assertThatThrownBy(folder::names)
                .hasMessageMatching(".*a.yaml has the same name as .*a.yaml; rename one of them");
        assertThatThrownBy(() -> folder.find("a")).hasMessageContaining("has the same name as");
    }

    private FigureFolder folder(Map<String, String> files, Path... jars) throws IOException {
        Path classes = place.resolve("classes");
        Files.createDirectories(classes.resolve("things"));
        for (Map.Entry<String, String> file : files.entrySet()) {
            Files.writeString(classes.resolve("things/" + file.getKey() + ".yaml"), file.getValue());
        }
        URL[] places = new URL[jars.length + 1];
        places[0] = Objects.requireNonNull(classes.toUri().toURL());
        for (int i = 0; i < jars.length; i++) {
            places[i + 1] = jars[i].toUri().toURL();
        }
        return new FigureFolder(
                new ResourceDirectory("things", ".yaml", new URLClassLoader(places, null)), "thing", KEYS);
    }
}

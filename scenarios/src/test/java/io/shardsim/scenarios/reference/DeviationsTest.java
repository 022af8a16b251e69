package io.shardsim.scenarios.reference;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.validation.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** That every known gap is still one, and that no other figure is more than 10 % off. */
class DeviationsTest {
    private static final Likeness LIKE = new Likeness("training", "ampere", "a100-80gb", "fsdp", 1, 8, 4096, 2048);

    private static String register() throws IOException {
        return Files.readString(Path.of("..").resolve(ValidationRecord.DEVIATIONS));
    }

    private static RecordedErrors.Row row(String id, double simulated) {
        return new RecordedErrors.Row(id, "validation", Metric.SAMPLES_PER_SECOND, 100, simulated, LIKE);
    }

    @Test
    void knownGapsAreExactlyTheFiguresBeyondTenPercent() throws IOException {
        List<String> off = RecordedErrors.builtIn().rows().stream()
                .filter(Deviations::isDeviation)
                .map(row -> row.id() + " " + row.metric().id() + " " + Deviations.error(row))
                .toList();
        List<String> known = Deviations.read(register()).stream()
                .map(entry -> entry.id() + " " + entry.figure() + " " + entry.error())
                .toList();
        assertThat(known)
                .as("rows of DEVIATIONS.md; a gap that was closed leaves, a new one is explained")
                .containsExactlyElementsOf(off);
    }

    @Test
    void everyRowIsNumberedAndExplained() throws IOException {
        String text = register();
        List<Deviations.Entry> entries = Deviations.read(text);
        assertThat(entries.stream().map(Deviations.Entry::number))
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, entries.size()).boxed().toList());
        assertThat(entries)
                .allSatisfy(entry -> assertThat(text)
                        .as("an explanation for " + entry.id())
                        .containsPattern(Pattern.compile("(?m)^- \\*\\*" + Pattern.quote(entry.why()) + "\\. ")));
    }

    @Test
    void anUpdateKeepsWordsAndFollowsNumbers() {
        String first = Deviations.update("# Words\n", List.of(row("a", 120), row("b", 85), row("c", 105)));
        assertThat(Deviations.read(first))
                .extracting(Deviations.Entry::id, Deviations.Entry::error, Deviations.Entry::why)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("a", "+20.0 %", "?"),
                        org.assertj.core.groups.Tuple.tuple("b", "-15.0 %", "?"));
        String explained = first.replace("-15.0 % | ? | open", "-15.0 % | A | studied") + "\nMore words.\n";
        String second = Deviations.update(explained, List.of(row("a", 101), row("b", 80), row("c", 111)));
        assertThat(Deviations.read(second))
                .containsExactly(
                        new Deviations.Entry(1, "b", "samples_per_second", "-20.0 %", "A", "studied"),
                        new Deviations.Entry(2, "c", "samples_per_second", "+11.0 %", "?", "open"));
        assertThat(second).startsWith("# Words\n").endsWith("\nMore words.\n");
    }
}

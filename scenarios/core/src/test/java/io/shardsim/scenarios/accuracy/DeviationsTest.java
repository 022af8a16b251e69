package io.shardsim.scenarios.accuracy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.validation.StrategyPair;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Every known gap still exists, there is no other, and strategies are ranked as measured. */
class DeviationsTest {
    private static String register() throws IOException {
        return Files.readString(Path.of("..").resolve(ValidationRecord.DEVIATIONS));
    }

    private static Deviations.Gap gap(String id, String error) {
        return new Deviations.Gap(id, "samples_per_second", "ours", "theirs", error, "");
    }

    private static FirstErrors first() throws IOException {
        return FirstErrors.read(Files.readString(Path.of("..").resolve(ValidationRecord.FIRST)));
    }

    private static List<CaseOutcome> recorded() {
        return RecordedErrors.builtIn().outcomes(PublishedCases.all());
    }

    @Test
    void knownGapsAreExactlyWhatIsTooFarOff() throws IOException {
        List<String> off = Deviations.gaps(recorded(), first()).stream()
                .map(gap -> gap.id() + " " + gap.figure() + " " + gap.error())
                .toList();
        List<String> known = Deviations.read(register()).stream()
                .map(entry -> entry.id() + " " + entry.figure() + " " + entry.error())
                .toList();
        assertThat(known)
                .as("rows of DEVIATIONS.md; a gap that was closed leaves, a new one is explained")
                .containsExactlyElementsOf(off);
    }

    @Test
    void theFasterOfTwoStrategiesIsFound() {
        List<StrategyPair> pairs = StrategyPair.of(recorded());
        assertThat(pairs)
                .extracting(StrategyPair::faster, StrategyPair::slower)
                .contains(
                        tuple("SMP30B-2048-SMP", "SMP30B-2048-DS"),
                        tuple("SMP30B-512-SMP", "SMP30B-512-DS"),
                        tuple("SMP10B-512-SMP", "SMP10B-512-FSDP"),
                        tuple("ZPP-18B-4IB-1K-ZeROpp", "ZPP-18B-4IB-1K-ZeRO-3"));
        assertThat(pairs).hasSizeGreaterThanOrEqualTo(39).allMatch(StrategyPair::ranked);
    }

    /**
     * With one to eight NICs per node, 1,024 and 2,048 tokens, 18 to 138 billion parameters: 1.15 to 2.7 times ZeRO-3's rate (rows ZPP of
     * measurements.csv).
     */
    @Test
    void zeroPlusPlusIsAheadOfZeroThreeByAboutAsMuchAsItWasMeasured() {
        List<StrategyPair> pairs = StrategyPair.of(recorded()).stream()
                .filter(pair -> pair.faster().startsWith("ZPP-"))
                .toList();
        assertThat(pairs).hasSizeGreaterThanOrEqualTo(21);
        assertThat(pairs)
                .allSatisfy(pair -> assertThat((1 + Objects.requireNonNull(pair.simulated())) / (1 + pair.measured()))
                        .as(pair.faster())
                        .isBetween(0.85, 1.2));
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
        String first = Deviations.update("# Words\n", List.of(gap("a", "+20.0 %"), gap("b", "-15.0 %")));
        assertThat(Deviations.read(first))
                .extracting(Deviations.Entry::id, Deviations.Entry::error, Deviations.Entry::why)
                .containsExactly(tuple("a", "+20.0 %", "?"), tuple("b", "-15.0 %", "?"));
        String explained = first.replace("-15.0 % |  | ? | open", "-15.0 % |  | A | studied") + "\nMore words.\n";
        String second = Deviations.update(explained, List.of(gap("b", "-20.0 %"), gap("c", "+11.0 %")));
        assertThat(Deviations.read(second))
                .containsExactly(
                        new Deviations.Entry(1, "b", "samples_per_second", "-20.0 %", "A", "studied"),
                        new Deviations.Entry(2, "c", "samples_per_second", "+11.0 %", "?", "open"));
        assertThat(second).startsWith("# Words\n").endsWith("\nMore words.\n");
    }
}

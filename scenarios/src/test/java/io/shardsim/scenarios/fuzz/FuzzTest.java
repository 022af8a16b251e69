package io.shardsim.scenarios.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Scenarios that once crashed or hung, and some new ones: each is refused, told to be too large, or runs to a sensible result in time. */
class FuzzTest {
    private static final long SEEDS = 20;

    /** Six times what one may take by itself: other tests may run beside this one. */
    private static final long SECONDS_MAX = 60;

    /** The first line of each says after the # what becomes of it. */
    private static Stream<Path> kept() throws IOException {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> listed = Files.list(Path.of("src/test/resources/fuzz"))) {
            listed.sorted().forEach(files::add);
        }
        return files.stream();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("kept")
    void whatOnceWentWrongEndsAsItShould(Path file) throws Exception {
        String text = Files.readString(file);
        String expected = text.lines().findFirst().orElseThrow().substring(2);
        assertThat(Fuzz.outcome(text, SECONDS_MAX)).isEqualTo(Outcome.of(Outcome.Kind.valueOf(expected)));
    }

    @Test
    void fuzzedScenariosAreRefusedOrRunToASensibleResult() throws InterruptedException {
        List<String> faults = new ArrayList<>();
        Map<Outcome.Kind, Integer> counts = new EnumMap<>(Outcome.Kind.class);
        for (long seed = 1; seed <= SEEDS; seed++) {
            Outcome outcome = Fuzz.outcome(FuzzedScenario.text(seed), SECONDS_MAX);
            counts.merge(outcome.kind(), 1, Integer::sum);
            if (outcome.isFault()) {
                faults.add("seed " + seed + ": " + outcome.detail());
            }
        }
        assertThat(faults).isEmpty();
        assertThat(counts.getOrDefault(Outcome.Kind.RAN, 0)).isGreaterThan((int) SEEDS / 8);
        assertThat(counts.getOrDefault(Outcome.Kind.REFUSED, 0)).isGreaterThan(0);
    }
}

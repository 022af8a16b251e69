package io.shardsim.scenarios.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Inputs that once crashed or hung, and new ones for every entry point: each is refused with a readable message, is found too large, or gives a
 * sensible result in time. {@code -Dfuzz.hunt} runs far more new ones, the same on every machine; {@link Fuzz} hunts by hand.
 */
class FuzzTest {
    private static final Path SEEDS = Path.of("app/src/test/resources/fuzz");
    private static final Path FOUND = Path.of("target", "fuzz");

    /** Six times the usual limit, since other tests may run at the same time. */
    private static final long SECONDS_MAX = 6 * Fuzz.SECONDS_MAX;

    /** Default number of inputs per target. */
    private static final long INPUTS = Long.getLong("fuzz.inputs", 10);

    /** Inputs of a hunt: some four seconds each. */
    private static final Map<String, Long> HUNTED = Map.ofEntries(
            Map.entry("reader", 10_000L),
            Map.entry("resolver", 1_500L),
            Map.entry("run", 100L),
            Map.entry("plan", 9L),
            Map.entry("command", 200L),
            Map.entry("serve", 100L),
            Map.entry("results", 500L),
            Map.entry("cases", 10_000L),
            Map.entry("import", 10_000L),
            Map.entry("catalog", 25_000L),
            Map.entry("frame", 10_000L),
            Map.entry("prefix", 50_000L),
            Map.entry("request", 10_000L));

    /** Returns the folders {@code fuzz/TARGET/KIND}. */
    private static Stream<Path> kept() throws Exception {
        try (Stream<Path> files = Files.walk(SEEDS)) {
            return files.filter(Files::isRegularFile).map(SEEDS::relativize).sorted().toList().stream();
        }
    }

    @ParameterizedTest(name = "{0}")
    @Tag("slow")
    @Tag("once")
    @MethodSource("kept")
    void whatOnceWentWrongEndsAsItShould(Path file) throws Exception {
        try (Fuzz fuzz = new Fuzz(file.getName(0).toString(), SECONDS_MAX)) {
            Outcome outcome = fuzz.outcome(Files.readAllBytes(SEEDS.resolve(file)));
            assertThat(outcome.detail()).isEmpty();
            assertThat(outcome.folder()).isEqualTo(file.getName(1).toString());
        }
    }

    private static List<String> targets() {
        List<String> names = new ArrayList<>();
        Targets.names().forEach(names::add);
        return names;
    }

    @ParameterizedTest(name = "{0}")
    @Tag("slow")
    @Tag("once")
    @MethodSource("targets")
    void strangersInputIsRefusedOrComesToASensibleResult(String target) throws Exception {
        long inputs =
                System.getProperty("fuzz.hunt") == null ? INPUTS : Objects.requireNonNull(HUNTED.get(target), target);
        try (Fuzz fuzz = new Fuzz(target, SECONDS_MAX)) {
            int faults = fuzz.hunt(1, inputs, Long.MAX_VALUE, FOUND);
            System.out.print(fuzz.counted());
            assertThat(faults).as(fuzz.counted()).isZero();
        }
    }

    @ParameterizedTest(name = "{0}")
    @Tag("slow")
    @Tag("once")
    @MethodSource("targets")
    void inputOfASeedIsAlwaysTheSame(String target) throws Exception {
        Target one = Targets.named(target);
        Target another = Targets.named(target);
        for (long seed = 1; seed <= INPUTS; seed++) {
            assertThat(one.input(seed)).as("seed %d", seed).isEqualTo(another.input(seed));
        }
    }

    /** Most random inputs are close to what people write, and some are not. */
    @Test
    @Tag("slow")
    @Tag("once")
    void scenariosAreBothReadAndRefused() throws Exception {
        try (Fuzz fuzz = new Fuzz("run", SECONDS_MAX)) {
            fuzz.hunt(1, INPUTS, Long.MAX_VALUE, FOUND);
            assertThat(fuzz.counts().getOrDefault("RAN", 0)).isGreaterThan((int) INPUTS / 8);
            assertThat(fuzz.counts().getOrDefault("REFUSED", 0)).isGreaterThan(0);
        }
    }

    @Test
    void faultyInputIsCutDownToWhatMakesItSo() throws Exception {
        Outcome fault = Outcome.fault("has an x");
        byte[] least = CutDown.of(
                "one two x three".getBytes(StandardCharsets.UTF_8),
                fault,
                input -> new String(input, StandardCharsets.UTF_8).contains("x")
                        ? fault
                        : Outcome.of(Outcome.Kind.READ));
        assertThat(new String(least, StandardCharsets.UTF_8)).isEqualTo("x");
    }
}

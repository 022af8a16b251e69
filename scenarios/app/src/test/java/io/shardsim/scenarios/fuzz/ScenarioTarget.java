package io.shardsim.scenarios.fuzz;

import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** Scenario files: damaged text for the reader, changed keys for the resolver, and their runs. */
final class ScenarioTarget implements Target {
    /** Depth to which an input is processed. */
    enum Depth {
        /** Text that is hardly YAML any more. */
        READER,
        /** Keys with other values, read and resolved. */
        RESOLVER,
        /** The same, with runs and reports. */
        RUN
    }

    private final Depth depth;

    ScenarioTarget(Depth depth) {
        this.depth = depth;
    }

    @Override
    public byte[] input(long seed) {
        if (depth == Depth.READER) {
            SplittableRandom random = new SplittableRandom(seed);
            return new Damage(random).encoded(FuzzedScenario.base(random));
        }
        return FuzzedScenario.text(seed).getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Outcome outcome(byte[] input) throws InterruptedException {
        String text = new String(input, StandardCharsets.UTF_8);
        try {
            return depth == Depth.RUN ? CheckedScenario.outcome(text) : read(text);
        } catch (InputException refused) {
            return Verdicts.refusal(refused.problems(), text);
        }
    }

    private static Outcome read(String text) throws InputException {
        return ScenarioReader.readText("fuzzed.yaml", text).points().isEmpty()
                ? Outcome.fault("a scenario without points")
                : Outcome.of(Outcome.Kind.READ);
    }
}

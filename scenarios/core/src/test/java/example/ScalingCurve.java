package example;

import io.shardsim.scenarios.api.InvalidScenarioException;
import io.shardsim.scenarios.api.PointResult;
import io.shardsim.scenarios.api.Results;
import io.shardsim.scenarios.api.Scenario;
import io.shardsim.scenarios.api.Simulator;
import java.util.List;

/** Prints how two ways of sharding a model scale from 1 to 4 nodes. */
public final class ScalingCurve {
    private ScalingCurve() {}

    public static void main(String[] arguments) throws InterruptedException {
        try {
            Results results = Simulator.onAllCores().run(scenario());
            results.points().forEach(point -> System.out.println(line(point)));
        } catch (InvalidScenarioException refused) {
            refused.problems().forEach(System.err::println);
            System.exit(2);
        }
    }

    private static Scenario scenario() throws InvalidScenarioException {
        return Scenario.named("curve")
                .set("model", "gpt2-1.5b")
                .set("cluster.instance", "p4d.24xlarge")
                .set("training.sequence_length", 1024)
                .set("training.global_batch", 256)
                .set("training.activation_checkpointing", "full")
                .set("training.attention", "standard")
                .sweep("strategy.kind", List.of("zero3", "mics"))
                .sweep("cluster.nodes", List.of(1, 2, 4))
                .build();
    }

    private static String line(PointResult point) {
        PointResult.Training training = point.training();
        return point.values() + ": "
                + (training == null
                        ? "does not fit in memory"
                        : "%.0f samples/s".formatted(training.samplesPerSecond()));
    }
}

package example;

import io.shardsim.scenarios.api.InvalidScenarioException;
import io.shardsim.scenarios.api.PointResult;
import io.shardsim.scenarios.api.Scenario;
import io.shardsim.scenarios.api.Simulator;
import io.shardsim.scenarios.cli.FurtherCommand;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code gpu-hours FILE}: prints the GPU hours of a training. */
@Command(name = "gpu-hours", description = "Prints the GPU hours that a number of tokens takes.")
public final class GpuHours implements FurtherCommand {
    private static final int WRONG_INPUT = 2;

    @Parameters(paramLabel = "FILE", description = "A scenario of a training.")
    private Path file;

    @Option(names = "--tokens", paramLabel = "N", description = "Tokens to train on. Default: ${DEFAULT-VALUE}.")
    private double tokens = 1e9;

    @Override
    public Integer call() throws InterruptedException {
        try {
            for (PointResult point :
                    Simulator.onAllCores().run(Scenario.read(file)).points()) {
                System.out.println(point.values() + ": " + hours(point));
            }
            return 0;
        } catch (InvalidScenarioException refused) {
            refused.problems().forEach(System.err::println);
            return WRONG_INPUT;
        }
    }

    private String hours(PointResult point) {
        PointResult.Training training = point.training();
        return training == null
                ? "does not fit in memory"
                : "%.0f GPU hours".formatted(tokens / training.tokensPerSecondPerGpu() / 3600);
    }
}

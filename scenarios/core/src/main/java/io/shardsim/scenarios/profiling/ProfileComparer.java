package io.shardsim.scenarios.profiling;

import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.Traces;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Sets a profile beside the simulated step of a training, which is written as a profile, too, and read in the same way. */
public final class ProfileComparer {
    private final Thread own = Thread.currentThread();

    /**
     * Reads the one and runs the other.
     *
     * @return null where it was interrupted
     * @throws InputException with what is wrong with the profile
     */
    public @Nullable ProfileComparison compare(String trace, String scenario, ScenarioPoint point)
            throws InputException {
        Profile real = ProfileReader.read(trace);
        try {
            Path file = Files.createTempFile("shardsim-profile", ".json");
            try {
                Traces.Profiled profiled = Traces.profile(point, real.rank(), new RunOptions(1, true), file);
                return new ProfileComparison(
                        trace,
                        real,
                        StepSplit.of(real),
                        scenario,
                        profiled.run(),
                        profiled.rank(),
                        profiled.run().training() == null ? null : StepSplit.of(ProfileReader.read(file.toString())));
            } finally {
                Files.deleteIfExists(file);
            }
        } catch (IOException failure) {
            throw new InputException(trace, "cannot be compared: " + failure.getMessage());
        } catch (InterruptedException interrupted) {
            return null;
        }
    }

    /** Ends the run early. */
    public void interrupt() {
        own.interrupt();
    }
}

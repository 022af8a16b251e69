package io.shardsim.scenarios.profiling;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.Traces;
import io.shardsim.scenarios.profiling.ProfileComparison.Side;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Compares a profile with the simulated step of a training. The simulated step is also written as a profile and read by the same code. */
public final class ProfileComparer {
    /** Between the units of times. */
    private static final double UNIT = 1000;

    private static final double UNIT_NEAR = 2;

    private final Thread own = Thread.currentThread();

    /**
     * Reads the profiles and simulates the training.
     *
     * @param traces profiles of ranks; the first one is compared
     * @return null if interrupted
     * @throws InputException with a profile's problems
     */
    public @Nullable ProfileComparison compare(List<String> traces, String scenario, ScenarioPoint point)
            throws InputException {
        ProfiledStep profiled = ProfiledStep.read(traces);
        Profile whole = profiled.first();
        try {
            Ran ran = run(point, whole.rank());
            Side simulated = ran.side();
            Repetition seen = simulated == null ? new Repetition(whole, 1) : Repetition.of(whole, simulated.split());
            return new ProfileComparison(
                    traces.get(0),
                    Side.of(seen.step()),
                    scenario,
                    ran.run(),
                    simulated,
                    profiled.arrivals(),
                    simulated == null ? List.of() : doubts(whole, seen, simulated.split()));
        } catch (IOException failure) {
            throw new InputException(traces.get(0), "cannot be compared: " + failure.getMessage());
        } catch (InterruptedException interrupted) {
            return null;
        }
    }

    /** A run, and the step of one of its ranks; null where it does not fit in memory. */
    record Ran(RunResult run, @Nullable Side side) {}

    static Ran run(ScenarioPoint point, int rank) throws InputException, IOException, InterruptedException {
        Path file = Files.createTempFile("shardsim-profile", ".json");
        try {
            RunResult run = Traces.profile(point, rank, new RunOptions(1, true), file);
            return new Ran(run, run.training() == null ? null : Side.of(ProfileReader.read(file.toString())));
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Whether the profile shows a step of this training. */
    private static List<String> doubts(Profile profile, Repetition seen, StepSplit simulated) {
        List<String> doubts = new ArrayList<>();
        if (!seen.isCertain(profile)) {
            doubts.add("The trace names no step and has " + seen.times()
                    + " times the collectives of the simulated one: it may show " + seen.times()
                    + " steps. Call step() of torch.profiler after each.");
        }
        double times = (double) seen.step().stepNs() / simulated.stepNs();
        String unit = isUnit(times) ? "nanoseconds" : isUnit(1 / times) ? "milliseconds" : "";
        if (!unit.isEmpty()) {
            doubts.add("The trace's step takes " + Quantities.threeDigits(times)
                    + " times as long as the simulated one: its times look like " + unit
                    + ", and are read as microseconds.");
        }
        return doubts;
    }

    private static boolean isUnit(double times) {
        return times > UNIT / UNIT_NEAR && times < UNIT * UNIT_NEAR;
    }

    /**
     * Resolves an argument to profiles: the file itself, or all profiles in a folder, sorted by the numbers in their names. If a folder contains only
     * another folder, that one is searched.
     *
     * @return empty if there are none
     */
    public static List<String> traces(String argument) {
        try (Stream<Path> files = Files.list(Path.of(argument))) {
            List<Path> all = files.toList();
            List<String> profiles = all.stream()
                    .map(Path::toString)
                    .filter(file -> ProfileReader.isMeant(file) && !NsysTable.isReport(file))
                    .sorted(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()))
                    .toList();
            return profiles.isEmpty() && all.size() == 1 && Files.isDirectory(all.get(0))
                    ? traces(all.get(0).toString())
                    : profiles;
        } catch (IOException | InvalidPathException none) {
            return ProfileReader.isMeant(argument) ? List.of(argument) : List.of();
        }
    }

    /** Cancels the run. */
    public void interrupt() {
        own.interrupt();
    }
}

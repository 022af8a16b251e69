package io.shardsim.scenarios.profiling;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.Traces;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
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
        Profile real = ProfileReader.read(traces.get(0));
        Arrivals arrivals = arrivals(traces, real);
        try {
            Ran ran = run(point, real.rank());
            return new ProfileComparison(
                    traces.get(0), ProfileComparison.Side.of(real), scenario, ran.run(), ran.side(), arrivals);
        } catch (IOException failure) {
            throw new InputException(traces.get(0), "cannot be compared: " + failure.getMessage());
        } catch (InterruptedException interrupted) {
            return null;
        }
    }

    /** A run, and the step of one of its ranks; null if it does not fit in memory. */
    record Ran(RunResult run, ProfileComparison.@Nullable Side side) {}

    static Ran run(ScenarioPoint point, int rank) throws InputException, IOException, InterruptedException {
        Path file = Files.createTempFile("shardsim-profile", ".json");
        try {
            RunResult run = Traces.profile(point, rank, new RunOptions(1, true), file);
            return new Ran(
                    run,
                    run.training() == null ? null : ProfileComparison.Side.of(ProfileReader.read(file.toString())));
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Keeps only the collectives of each profile, to save memory. */
    static Arrivals arrivals(List<String> traces, Profile first) throws InputException {
        Arrivals.Reader reader = new Arrivals.Reader();
        List<Problem> problems = new ArrayList<>();
        reader.add(traces.get(0), first, problems);
        for (String trace : traces.subList(1, traces.size())) {
            try {
                reader.add(trace, ProfileReader.read(trace, first.step()), problems);
            } catch (InputException refused) {
                problems.addAll(refused.problems());
            }
        }
        if (!problems.isEmpty()) {
            throw new InputException(problems);
        }
        return reader.arrivals(first.stepNs());
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
                    .filter(ProfileReader::isMeant)
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

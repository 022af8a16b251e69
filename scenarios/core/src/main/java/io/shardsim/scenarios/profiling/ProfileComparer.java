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

/** Sets a profile beside the simulated step of a training, which is written as a profile, too, and read in the same way. */
public final class ProfileComparer {
    private final Thread own = Thread.currentThread();

    /**
     * Reads the one and runs the other.
     *
     * @param traces profiles of ranks, the first of which is compared
     * @return null where it was interrupted
     * @throws InputException with what is wrong with a profile
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

    /** A run, and the step of one of its ranks; null where it does not fit in memory. */
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

    /** Of each profile only the times of its collectives are kept. */
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
     * The profiles that an argument means: itself, or all of a folder by the numbers in their names; of a folder without any, those of its only folder.
     *
     * @return empty where it is no profile, and no folder of them
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

    /** Ends the run early. */
    public void interrupt() {
        own.interrupt();
    }
}

package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.replay.ProfilerTrace;
import io.shardsim.reports.replay.TraceFile;
import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.observation.Recording;
import io.shardsim.simulator.run.Recorder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Writes {@code trace.json} and, under {@code trace/}, a folder of profiles for each run in it: each series of a scenario at its largest cluster, recorded by
 * running it once more.
 */
public final class Traces {
    /** Within the folder of a report. */
    public static final String FILE = "trace.json";

    /** Runs side by side in one trace; more share too few slices each. */
    private static final int RUNS_MAX = 4;

    private Traces() {}

    /**
     * What was written.
     *
     * @param leftOut what the trace has no room for, in words
     */
    public record Written(Path file, List<String> leftOut) {}

    /**
     * Records and writes.
     *
     * @param result of the scenario; recording must end in the same digests
     */
    public static Written write(Path directory, Scenario scenario, ScenarioResult result, RunOptions options)
            throws IOException, InterruptedException {
        List<RunResult> shown = result.series().values().stream()
                .map(ScenarioResult::largestThatFits)
                .filter(RunResult::fits)
                .toList();
        RunNames names = result.names();
        List<TraceFile.Run> runs = new ArrayList<>();
        try (PointSimulation simulation = new PointSimulation(options.withThreads(1))) {
            for (RunResult run : shown.subList(0, Math.min(RUNS_MAX, shown.size()))) {
                runs.add(record(simulation, point(scenario, run), run, names.withGpus(run)));
            }
        }
        Path file = directory.resolve(FILE);
        List<String> leftOut = new ArrayList<>(TraceFile.write(file, runs));
        for (TraceFile.Run run : runs) {
            leftOut.addAll(ProfilerTrace.write(directory.resolve("trace").resolve(folder(run.name())), run));
        }
        if (shown.size() > RUNS_MAX) {
            leftOut.add((shown.size() - RUNS_MAX) + " of " + shown.size() + " series");
        }
        return new Written(file, leftOut);
    }

    /**
     * What was profiled.
     *
     * @param rank whose profile it is
     */
    public record Profiled(RunResult run, int rank) {}

    /**
     * Runs a training and writes the profile of a rank, or of the first that was simulated of its pipeline stage. Writes nothing where it does not fit.
     *
     * @throws IllegalStateException where the run is longer than can be recorded
     */
    public static Profiled profile(ScenarioPoint point, int rank, RunOptions options, Path file)
            throws IOException, InterruptedException {
        Recorder recorder = new Recorder(Long.MAX_VALUE, 0);
        try (PointSimulation simulation = new PointSimulation(options.withThreads(1))) {
            RunResult run = simulation.run(point, recorder);
            if (run.training() == null) {
                return new Profiled(run, 0);
            }
            Recording recording = recorder.finish(StrictMath.round(run.step().stepSeconds() * 1e12));
            Map<Integer, Recording.Spans> spans = recording.spans();
            if (spans.values().stream().mapToInt(Recording.Spans::size).sum() >= Recording.SPANS_MAX) {
                throw new IllegalStateException("the run has more than " + Recording.SPANS_MAX
                        + " operations, too many for a profile; profile fewer micro-batches");
            }
            int simulated = ofStage(spans, rank, point.cluster().worldSize());
            WholeFiles.write(
                    file, stream -> ProfilerTrace.write(stream, new TraceFile.Run("", run, recording), simulated));
            return new Profiled(run, simulated);
        }
    }

    private static int ofStage(Map<Integer, Recording.Spans> spans, int rank, int ranks) {
        int stages = 1
                + spans.values().stream().mapToInt(Recording.Spans::stage).max().orElse(0);
        int stage = rank < ranks ? rank / (ranks / stages) : 0;
        return spans.containsKey(rank)
                ? rank
                : spans.entrySet().stream()
                        .filter(each -> each.getValue().stage() == stage)
                        .findFirst()
                        .orElseThrow()
                        .getKey();
    }

    /** A name as a folder of every file system bears it. */
    private static String folder(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
    }

    private static TraceFile.Run record(PointSimulation simulation, ScenarioPoint point, RunResult run, String name)
            throws InterruptedException {
        Recorder recorder = new Recorder(0, TraceFile.JOURNEYS_MAX);
        RunResult again = simulation.run(point, recorder);
        if (!Objects.equals(again.digest(), run.digest())) {
            throw new IllegalStateException(
                    name + ": recorded digest " + again.digest() + " differs from " + run.digest());
        }
        long endPs = again.training() != null
                ? StrictMath.round(again.step().stepSeconds() * 1e12)
                : StrictMath.round(Objects.requireNonNull(again.collective()).seconds() * 1e12);
        return new TraceFile.Run(name, again, recorder.finish(endPs));
    }

    private static ScenarioPoint point(Scenario scenario, RunResult run) {
        for (ScenarioPoint point : scenario.points()) {
            if (point.values().equals(run.facts().point())) {
                return point;
            }
        }
        throw new IllegalStateException(
                "no point of " + scenario.name() + " has " + run.facts().point());
    }
}

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
 * Writes {@code trace.json} and, in {@code trace/}, a folder of profiles per recorded run: each series of a scenario at its largest cluster, run once
 * more to record it.
 */
public final class Traces {
    /** Path relative to a report's folder. */
    public static final String FILE = "trace.json";

    /** Maximum runs per trace; more leave too few slices for each. */
    private static final int RUNS_MAX = 4;

    private Traces() {}

    /**
     * The files written.
     *
     * @param leftOut what did not fit in the trace, in words
     */
    public record Written(Path file, List<String> leftOut) {}

    /**
     * Records and writes traces.
     *
     * @param result the scenario's result; recording must reproduce its digests
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
     * Runs a training and writes the profile of a rank, or of the first simulated rank of its pipeline stage. Writes nothing if the run does not fit.
     *
     * @throws IllegalStateException if the run is too long to record
     */
    public static RunResult profile(ScenarioPoint point, int rank, RunOptions options, Path file)
            throws IOException, InterruptedException {
        Recorder recorder = new Recorder(Long.MAX_VALUE, 0);
        try (PointSimulation simulation = new PointSimulation(options.withThreads(1))) {
            RunResult run = simulation.run(point, recorder);
            if (run.training() == null) {
                return run;
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
            return run;
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

    /** Converts a name to a folder name that is valid on every file system. */
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

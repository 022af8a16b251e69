package io.shardsim.scenarios.explaining;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compares two runs. For scenarios, also simulates intermediate runs from the slower to the faster one, changing one difference at a time: the time
 * saved by each change is its share of the gap.
 */
public final class Comparer {
    private final FurtherRuns further;

    /** One of the two runs. */
    public sealed interface Side {}

    /** A run read from results. */
    record Saved(ComparedRun run) implements Side {}

    /** A run to simulate. */
    record Point(RunName name, ScenarioPoint point) implements Side {}

    public Comparer(RunnerFactory runners, int threads) {
        further = new FurtherRuns(runners, threads);
    }

    /** Returns whether a name refers to results, not to a scenario. */
    public static boolean isResults(RunName name) {
        return SavedRuns.isMeant(name);
    }

    /** @throws InputException if there are no such results */
    public static Side results(RunName name) throws InputException {
        return new Saved(SavedRuns.read(name));
    }

    /** @throws InputException if the name selects no training run of the scenario */
    public static Side scenario(RunName name, Scenario scenario) throws InputException {
        return new Point(name, point(name, scenario));
    }

    /** Returns the selected training run, under the same conditions. */
    public static ScenarioPoint point(RunName name, Scenario scenario) throws InputException {
        int place =
                name.place(scenario.points().stream().map(ScenarioPoint::values).toList());
        ScenarioPoint point = scenario.points().get(place);
        if (!(point.task() instanceof Task.Training)) {
            throw new InputException(
                    name.written(), "is a bare collective and has no step to split; name a training run");
        }
        return point;
    }

    /**
     * Runs what is needed and compares.
     *
     * @return null if interrupted
     * @throws IllegalStateException if one of the two violates an invariant of the model
     */
    public @Nullable Comparison compare(Side a, Side b, ProgressListener progress) throws InputException {
        List<ScenarioPoint> points = new ArrayList<>();
        for (Side side : List.of(a, b)) {
            if (side instanceof Point point) {
                points.add(point.point());
            }
        }
        PointRuns runs = further.runWhole(points, options -> options, progress);
        if (runs == null) {
            return null;
        }
        ComparedRun first = compared(a, runs);
        ComparedRun second = compared(b, runs);
        if (first.timed() == null || second.timed() == null) {
            return new Comparison(first, second, List.of(), 0, "");
        }
        checkTokens(first, second);
        return a instanceof Point from && b instanceof Point to
                ? withCauses(
                        first,
                        second,
                        new DifferencePath(from.point(), ran(from, runs), to.point(), ran(to, runs)),
                        progress)
                : new Comparison(
                        first,
                        second,
                        List.of(),
                        0,
                        "Results files cannot be run again: compare two scenarios to get causes.");
    }

    /** Checks the tokens of both, since a step is scaled to the other's tokens and files may hold any number. */
    private static void checkTokens(ComparedRun first, ComparedRun second) throws InputException {
        try {
            Comparison.parts(first, second);
            Comparison.parts(second, first);
        } catch (ArithmeticException beyond) {
            throw new InputException(
                    second.name(),
                    "has a step whose tokens are too far from those of " + first.name()
                            + " to compare the two; run it again");
        }
    }

    private static RunResult ran(Point point, PointRuns runs) {
        return runs.resultOf(point.point());
    }

    private static ComparedRun compared(Side side, PointRuns runs) throws InputException {
        return side instanceof Point point ? ComparedRun.of(point.name(), ran(point, runs)) : ((Saved) side).run();
    }

    private @Nullable Comparison withCauses(
            ComparedRun first, ComparedRun second, DifferencePath mixture, ProgressListener progress) {
        PointRuns runs = further.runBetween(mixture.points(), Long.MAX_VALUE, progress);
        return runs == null
                ? null
                : new Comparison(
                        first,
                        second,
                        mixture.contributions(
                                runs::result, Comparison.timed(first).tokens()),
                        runs.done(),
                        "");
    }

    /** Cancels the runs and starts no more. */
    public void interrupt() {
        further.interrupt();
    }
}

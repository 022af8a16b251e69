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
 * Compares two runs. Those of scenarios are simulated, and then the way from the slower to the faster one, one difference after another: what each stop takes less
 * than the one before is what its difference is worth.
 */
public final class Comparer {
    private final FurtherRuns further;

    /** One of the two. */
    public sealed interface Side {}

    /** Read from results. */
    record Saved(ComparedRun run) implements Side {}

    /** To be simulated. */
    record Point(RunName name, ScenarioPoint point) implements Side {}

    public Comparer(RunnerFactory runners, int threads) {
        further = new FurtherRuns(runners, threads);
    }

    /** Whether a name is that of results rather than of a scenario. */
    public static boolean isResults(RunName name) {
        return SavedRuns.isMeant(name);
    }

    /** @throws InputException where there are no such results */
    public static Side results(RunName name) throws InputException {
        return new Saved(SavedRuns.read(name));
    }

    /** @throws InputException where the name means no training of the scenario */
    public static Side scenario(RunName name, Scenario scenario) throws InputException {
        return new Point(name, point(name, scenario));
    }

    /** The training that is meant, under the same conditions. */
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
     * Runs what is to be run.
     *
     * @return null where it was interrupted
     * @throws IllegalStateException where one of the two breaks a rule of the model
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
                        first, second, new Mixture(from.point(), ran(from, runs), to.point(), ran(to, runs)), progress)
                : new Comparison(
                        first,
                        second,
                        List.of(),
                        0,
                        "Results files cannot be run again: compare two scenarios to get causes.");
    }

    /** A step is compared as it would be with the other's tokens, and files may hold any number of them. */
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
            ComparedRun first, ComparedRun second, Mixture mixture, ProgressListener progress) {
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

    /** Stops what runs and begins nothing further. */
    public void interrupt() {
        further.interrupt();
    }
}

package io.shardsim.reports.writing;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which runs of a scenario a table shows: all in the order of the sweep, or of a large sweep the fastest and then those that make the trade between
 * days and dollars.
 *
 * @param best rows of the first part
 * @param front rows of the second part; empty where the fastest is the cheapest, too
 * @param isPart whether runs are left out
 * @param fastest marked; null where there is nothing to mark
 * @param cheapest marked; null where there is nothing to mark
 */
record RowChoice(
        List<RunResult> best,
        List<RunResult> front,
        boolean isPart,
        @Nullable RunResult fastest,
        @Nullable RunResult cheapest) {
    static final char FASTEST = '*';
    private static final char CHEAPEST = '$';
    private static final char NONE = ' ';

    /** Sweeps with more points show a part. */
    private static final int ALL_MAX = 20;

    private static final int BEST_MAX = 10;
    private static final int FRONT_MAX = 6;

    static RowChoice of(ScenarioResult scenario, TextStyle style) {
        boolean marked =
                scenario.runs().stream().filter(run -> run.training() != null).count() > 1;
        RunResult fastest = marked ? scenario.fastest() : null;
        RunResult cheapest = marked ? scenario.cheapest() : null;
        if (style.full() || scenario.runs().size() <= ALL_MAX) {
            return new RowChoice(scenario.runs(), List.of(), false, fastest, cheapest);
        }
        List<RunResult> front = scenario.front();
        return new RowChoice(best(scenario), front.size() < 2 ? List.of() : thinned(front), true, fastest, cheapest);
    }

    /** The fastest; where none ran, those that come closest to fitting. */
    private static List<RunResult> best(ScenarioResult scenario) {
        Comparator<RunResult> order =
                Comparator.comparingDouble(RowChoice::speed).reversed();
        return scenario.runs().stream()
                .sorted(order.thenComparingLong(RowChoice::missingBytes))
                .limit(BEST_MAX)
                .toList();
    }

    private static double speed(RunResult run) {
        return run.collective() == null
                ? run.tokensPerSecond()
                : run.collective().busBytesPerSecond();
    }

    private static long missingBytes(RunResult run) {
        return run.fits() || run.facts().memory() == null
                ? 0
                : run.facts().memory().fit().missingBytes();
    }

    /** As many as have room, both ends among them. */
    private static List<RunResult> thinned(List<RunResult> front) {
        if (front.size() <= FRONT_MAX) {
            return front;
        }
        List<RunResult> some = new ArrayList<>();
        for (int i = 0; i < FRONT_MAX; i++) {
            some.add(front.get(i * (front.size() - 1) / (FRONT_MAX - 1)));
        }
        return some;
    }

    /** The rows of both parts. */
    List<RunResult> all() {
        List<RunResult> rows = new ArrayList<>(best);
        rows.addAll(front);
        return rows;
    }

    boolean isMarked() {
        return fastest != null;
    }

    char mark(RunResult run) {
        return run.is(fastest) ? FASTEST : run.is(cheapest) ? CHEAPEST : NONE;
    }

    String legend() {
        return cheapest == null
                ? FASTEST + " fastest"
                : cheapest.is(fastest)
                        ? FASTEST + " fastest and cheapest"
                        : FASTEST + " fastest, " + CHEAPEST + " cheapest";
    }
}

package io.shardsim.reports.writing;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The runs shown in a table: all in sweep order, or for a large sweep the fastest, then the trade-off between days and dollars. Runs on clusters
 * where nothing fits get a sentence instead, if others fit.
 *
 * @param best rows of the first part
 * @param front rows of the second part; empty if the fastest is also the cheapest
 * @param isPart whether some runs are left out
 * @param fastest marked run; null if there is none to mark
 * @param cheapest marked run; null if there is none to mark
 */
record RowChoice(
        List<RunResult> best,
        List<RunResult> front,
        boolean isPart,
        @Nullable RunResult fastest,
        @Nullable RunResult cheapest) {
    static final String FASTEST = "*";
    private static final String CHEAPEST = "$";
    private static final String TIGHT = "tight";

    /** Maximum number of points shown completely. */
    private static final int ALL_MAX = 20;

    private static final int BEST_MAX = 10;
    private static final int FRONT_MAX = 6;

    static RowChoice of(ScenarioResult scenario, TextStyle style) {
        boolean marked = scenario.trained().size() > 1;
        RunResult fastest = marked ? scenario.fastest() : null;
        RunResult cheapest = marked ? scenario.cheapest() : null;
        if (style.full() || scenario.runs().size() <= ALL_MAX) {
            Set<Integer> fitting = scenario.runs().stream()
                    .filter(RunResult::fits)
                    .map(RunResult::gpus)
                    .collect(Collectors.toSet());
            List<RunResult> rows = scenario.runs().stream()
                    .filter(run -> style.full() || fitting.isEmpty() || fitting.contains(run.gpus()))
                    .toList();
            return new RowChoice(rows, List.of(), false, fastest, cheapest);
        }
        List<RunResult> front = scenario.front();
        return new RowChoice(best(scenario), front.size() < 2 ? List.of() : thinned(front), true, fastest, cheapest);
    }

    /** Returns the fastest runs, tight ones last; if none ran, those closest to fitting. */
    private static List<RunResult> best(ScenarioResult scenario) {
        Comparator<RunResult> order = Comparator.comparing(run -> run.fits() ? run.isTight() : Boolean.TRUE);
        return scenario.runs().stream()
                .sorted(order.thenComparing(
                                Comparator.comparingDouble(RowChoice::speed).reversed())
                        .thenComparingLong(RowChoice::missingBytes))
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

    /** Thins a front to the rows available, keeping both ends. */
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

    /** Returns the rows of both parts. */
    List<RunResult> all() {
        List<RunResult> rows = new ArrayList<>(best);
        rows.addAll(front);
        return rows;
    }

    /** Returns the width of the marks; 0 if no row has one. */
    int markWidth() {
        return all().stream().mapToInt(run -> mark(run).length()).max().orElse(0);
    }

    /** Returns a row's mark: tight, fastest or cheapest. */
    String mark(RunResult run) {
        return (run.isTight() ? TIGHT : "") + (run.is(fastest) ? FASTEST : run.is(cheapest) ? CHEAPEST : "");
    }

    boolean isFastest(RunResult run) {
        return run.is(fastest);
    }

    List<String> legend() {
        List<String> words = new ArrayList<>();
        if (cheapest != null && cheapest.is(fastest)) {
            words.add(FASTEST + " fastest and cheapest");
        } else if (fastest != null) {
            words.add(FASTEST + " fastest" + (cheapest == null ? "" : ", " + CHEAPEST + " cheapest"));
        }
        if (all().stream().anyMatch(RunResult::isTight)) {
            words.add(TIGHT + ": fits only without fragmentation");
        }
        return words;
    }
}

package io.shardsim.scenarios.demo;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The points that the page begins with: two that fit in memory and differ in their strategy alone; without such a pair, two that fit and differ in one
 * value of the sweep, then any two that fit. Alone where only one fits; the first of the file where none does.
 */
final class FirstSides {
    /** Points that are looked at; of a longer sweep nobody waits for more. */
    private static final int POINTS_MAX = 64;

    private final List<ScenarioPoint> points;
    private final Predicate<ScenarioPoint> fits;
    private final Map<Integer, Boolean> known = new HashMap<>();
    private final int first;
    private final @Nullable Integer second;

    /** @param fits whether a point fits in memory; nothing runs */
    FirstSides(List<ScenarioPoint> points, Predicate<ScenarioPoint> fits) {
        this.points = points.subList(0, Math.min(POINTS_MAX, points.size()));
        this.fits = fits;
        int[] pair = pair();
        first = pair.length > 0 ? pair[0] : 0;
        second = pair.length > 1 ? pair[1] : null;
    }

    /** Two that are known to fit. */
    FirstSides(int first, int second) {
        points = List.of();
        fits = any -> true;
        this.first = first;
        this.second = second;
    }

    /** Index of the point on the first side. */
    int first() {
        return first;
    }

    /** Index of the point beside it; null for none. */
    @Nullable
    Integer second() {
        return second;
    }

    /** Whether a point was found not to fit; false also where nobody looked. */
    boolean knownNotToFit(int index) {
        return index < points.size() && !fits(index);
    }

    private boolean fits(int index) {
        return known.computeIfAbsent(index, i -> fits.test(points.get(i)));
    }

    private int[] pair() {
        List<BiPredicate<ScenarioPoint, ScenarioPoint>> likenesses =
                List.of(FirstSides::differInKindOfStrategy, (a, b) -> differences(a, b) == 1, (a, b) -> true);
        for (BiPredicate<ScenarioPoint, ScenarioPoint> alike : likenesses) {
            for (int a = 0; a < points.size(); a++) {
                for (int b = a + 1; b < points.size(); b++) {
                    if (alike.test(points.get(a), points.get(b)) && fits(a) && fits(b)) {
                        return new int[] {a, b};
                    }
                }
            }
        }
        for (int a = 0; a < points.size(); a++) {
            if (fits(a)) {
                return new int[] {a};
            }
        }
        return new int[0];
    }

    private static boolean differInKindOfStrategy(ScenarioPoint a, ScenarioPoint b) {
        return !DemoScenario.kind(a).equals(DemoScenario.kind(b))
                && withoutStrategy(a).equals(withoutStrategy(b));
    }

    private static Map<String, Object> withoutStrategy(ScenarioPoint point) {
        Map<String, Object> values = new LinkedHashMap<>(point.values());
        values.keySet().removeIf(key -> key.equals("strategy") || key.startsWith("strategy."));
        return values;
    }

    private static long differences(ScenarioPoint a, ScenarioPoint b) {
        return a.values().entrySet().stream()
                .filter(entry -> !entry.getValue().equals(b.values().get(entry.getKey())))
                .count();
    }
}

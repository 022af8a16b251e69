package io.shardsim.scenarios.demo;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The initial points of the page: two that fit in memory and differ only in strategy, on the largest cluster with such a pair; otherwise two that fit
 * and differ in one swept value, then any two that fit. Only one if a single point fits; the first of the file if none does.
 */
final class FirstSides {
    /** Maximum number of points checked, since the page waits for them. */
    private static final int POINTS_MAX = 64;

    /** Maximum number of strategies on one page. */
    static final int LANES_MAX = 4;

    private final List<ScenarioPoint> points;
    private final Predicate<ScenarioPoint> fits;
    private final Map<Integer, Boolean> known = new HashMap<>();
    private final List<Integer> race;
    private final int first;
    private final @Nullable Integer second;

    /** @param fits tests whether a point fits in memory, without running it */
    FirstSides(List<ScenarioPoint> points, Predicate<ScenarioPoint> fits) {
        this.points = points.subList(0, Math.min(POINTS_MAX, points.size()));
        this.fits = fits;
        race = race();
        int[] pair = race.isEmpty()
                ? pair()
                : race.stream().mapToInt(Integer::intValue).filter(this::fits).toArray();
        first = pair.length > 0 ? pair[0] : 0;
        second = pair.length > 1 ? pair[1] : null;
    }

    /** Creates sides from two points known to fit. */
    FirstSides(int first, int second) {
        points = List.of();
        fits = any -> true;
        race = List.of();
        this.first = first;
        this.second = second;
    }

    /** Returns the index of the point on the first side. */
    int first() {
        return first;
    }

    /** Returns the index of the point on the second side; null for none. */
    @Nullable
    Integer second() {
        return second;
    }

    /** Returns the indices of the race's points: two to four that differ only in strategy, at least two of which fit; empty for none. */
    List<Integer> lanes() {
        return race;
    }

    /** Returns whether a point was found not to fit; false if it was not checked. */
    boolean knownNotToFit(int index) {
        return index < points.size() && !fits(index);
    }

    private boolean fits(int index) {
        return known.computeIfAbsent(index, i -> fits.test(points.get(i)));
    }

    /** Returns the race on the largest cluster on which two strategies fit. */
    private List<Integer> race() {
        Map<Map<String, Object>, List<Integer>> alike = new LinkedHashMap<>();
        for (int i = 0; i < points.size(); i++) {
            if (!DemoScenario.kind(points.get(i)).isEmpty()) {
                alike.computeIfAbsent(withoutStrategy(points.get(i)), rest -> new ArrayList<>())
                        .add(i);
            }
        }
        return alike.values().stream()
                .filter(group -> group.size() > 1)
                .sorted(Comparator.comparing(
                        group -> -points.get(group.get(0)).cluster().worldSize()))
                .map(this::lanes)
                .filter(lanes -> lanes.stream().filter(this::fits).count() > 1)
                .findFirst()
                .orElse(List.of());
    }

    /** Chooses lanes: first one of each kind, one that fits if possible; then further ones that fit. */
    private List<Integer> lanes(List<Integer> group) {
        Map<String, Integer> kinds = new LinkedHashMap<>();
        for (int i : group) {
            kinds.merge(DemoScenario.kind(points.get(i)), i, (known, other) -> fits(known) ? known : other);
        }
        return Stream.concat(kinds.values().stream(), group.stream().filter(this::fits))
                .distinct()
                .limit(LANES_MAX)
                .sorted()
                .toList();
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

    /** Returns whether several points train alike except for their strategies. */
    static boolean differInStrategyAlone(Collection<ScenarioPoint> points) {
        return points.size() > 1
                && points.stream().noneMatch(point -> DemoScenario.kind(point).isEmpty())
                && points.stream().map(FirstSides::withoutStrategy).distinct().count() == 1;
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

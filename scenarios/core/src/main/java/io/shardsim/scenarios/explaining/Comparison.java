package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Setting;
import io.shardsim.reports.StepParts;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Two training runs, their differences, and the causes of the gap between their steps. Parts sum to each step, and parts and causes both to the gap,
 * to the picosecond.
 *
 * @param contributions cost of each difference, in the order of the changes; empty if not simulated
 * @param reruns number of intermediate runs simulated
 * @param withoutCauses why there are no causes; empty if there are
 */
public record Comparison(
        ComparedRun a, ComparedRun b, List<Contribution> contributions, int reruns, String withoutCauses) {
    private static final String KIND = "strategy.kind";

    /**
     * The cost of some differences.
     *
     * @param changePs increase of each part of the step that changes [ps]
     */
    record Contribution(Set<Cause> causes, Map<String, Long> changePs) {
        long ps() {
            return StepParts.sum(changePs);
        }

        String words() {
            List<String> words = causes.stream().map(Cause::words).toList();
            return String.join(" and ", words);
        }
    }

    /** A setting that resolves to different values; null if a run has no such setting. */
    record Difference(
            String key, @Nullable Setting a, @Nullable Setting b) {
        Cause cause() {
            return Cause.of(key);
        }

        /** Returns whether a scenario sets it, or the tool chose it. */
        boolean isChosen() {
            return isChosen(a) || isChosen(b);
        }

        private static boolean isChosen(@Nullable Setting setting) {
            return setting != null && setting.origin() != Setting.Origin.DEFAULT;
        }
    }

    public Comparison {
        contributions = List.copyOf(contributions);
        if (!contributions.isEmpty()) {
            Map<String, Long> sum = new LinkedHashMap<>();
            contributions.forEach(one -> one.changePs().forEach((part, ps) -> sum.merge(part, ps, Long::sum)));
            sum.values().removeIf(ps -> ps == 0);
            Map<String, Long> gap = difference(parts(a, a), parts(b, a));
            if (!sum.equals(gap)) {
                throw new IllegalStateException("causes sum to " + sum + " ps of a gap of " + gap + " ps");
            }
        }
    }

    /** Returns whether both fit in memory, so that times can be compared. */
    public boolean fits() {
        return a.timed() != null && b.timed() != null;
    }

    /** Returns whether the second run's times are scaled to the tokens of the first run's step. */
    boolean isScaled() {
        return timed(a).tokens() != timed(b).tokens();
    }

    long tokens() {
        return timed(a).tokens();
    }

    /** Returns the parts of the first run's step [ps]. */
    Map<String, Long> aParts() {
        return parts(a, a);
    }

    /** Returns the parts of the second run's step, scaled to the first run's tokens [ps]. */
    Map<String, Long> bParts() {
        return parts(b, a);
    }

    /** Returns names of the parts of both, in order. */
    List<String> partNames() {
        Set<String> used = new LinkedHashSet<>(aParts().keySet());
        used.addAll(bParts().keySet());
        return StepParts.names().stream().filter(used::contains).toList();
    }

    long aPs() {
        return StepParts.sum(aParts());
    }

    long bPs() {
        return StepParts.sum(bParts());
    }

    /** Returns whether all totals and times of the two are equal. */
    boolean isSame() {
        return fits() && timed(a).digest().equals(timed(b).digest());
    }

    /** Returns the parts of a run's step, scaled to another run's tokens [ps]. */
    static Map<String, Long> parts(ComparedRun run, ComparedRun base) {
        return StepParts.of(timed(run).step(), timed(base).tokens(), timed(run).tokens());
    }

    static ComparedRun.Timed timed(ComparedRun run) {
        ComparedRun.Timed timed = run.timed();
        if (timed == null) {
            throw new IllegalStateException(run.name() + " does not fit and has no step");
        }
        return timed;
    }

    /** Returns the increase of each part; unchanged parts are left out [ps]. */
    static Map<String, Long> difference(Map<String, Long> before, Map<String, Long> after) {
        Map<String, Long> change = new LinkedHashMap<>();
        for (String part : StepParts.names()) {
            long ps = after.getOrDefault(part, 0L) - before.getOrDefault(part, 0L);
            if (ps != 0) {
                change.put(part, ps);
            }
        }
        return change;
    }

    /** Returns the {@link #differences} worth showing: without defaults that follow from another kind of strategy. */
    List<Difference> telling() {
        List<Difference> all = differences();
        boolean kinds = all.stream().anyMatch(one -> one.key().equals(KIND));
        return all.stream()
                .filter(one -> !kinds || one.isChosen() || !one.key().startsWith("strategy."))
                .toList();
    }

    /** Returns settings that differ, in the order of a scenario file. */
    List<Difference> differences() {
        Set<String> keys = new LinkedHashSet<>(a.settings().keySet());
        keys.addAll(b.settings().keySet());
        List<Difference> differences = new ArrayList<>();
        for (String key : keys) {
            Setting own = a.settings().get(key);
            Setting other = b.settings().get(key);
            if (own == null || other == null || !own.value().equals(other.value())) {
                differences.add(new Difference(key, own, other));
            }
        }
        return differences;
    }
}

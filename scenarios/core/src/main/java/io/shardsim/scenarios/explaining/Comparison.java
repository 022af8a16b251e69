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
 * Two training runs, what differs between them, and where the seconds between them come from. Parts sum to each step and so to the gap, and so do causes, all to
 * the picosecond.
 *
 * @param contributions what each difference costs, in the order in which they were changed; empty where that was not simulated
 * @param reruns runs between the two that this took
 * @param withoutCauses why there are no causes; empty where there are
 */
public record Comparison(
        ComparedRun a, ComparedRun b, List<Contribution> contributions, int reruns, String withoutCauses) {
    private static final String KIND = "strategy.kind";

    /**
     * What some differences cost.
     *
     * @param changePs what each part of the step takes more, of those that change [ps]
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

    /** A setting that the two resolve to different values; null where a run has no such setting. */
    record Difference(
            String key, @Nullable Setting a, @Nullable Setting b) {
        Cause cause() {
            return Cause.of(key);
        }

        /** Whether a scenario gives it, or the tool chose it. */
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

    /** Whether both fit, so that there are seconds to compare. */
    public boolean fits() {
        return a.timed() != null && b.timed() != null;
    }

    /** Whether seconds are those of as many tokens as the first run's step has, since the second's has another number. */
    boolean isScaled() {
        return timed(a).tokens() != timed(b).tokens();
    }

    long tokens() {
        return timed(a).tokens();
    }

    /** The parts of the first run's step [ps]. */
    Map<String, Long> aParts() {
        return parts(a, a);
    }

    /** Those of the second, for as many tokens [ps]. */
    Map<String, Long> bParts() {
        return parts(b, a);
    }

    /** Parts of either, in their order. */
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

    /** Whether the two came out the same down to every total and time. */
    boolean isSame() {
        return fits() && timed(a).digest().equals(timed(b).digest());
    }

    /** The parts of a run's step, for as many tokens as another's has [ps]. */
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

    /** What each part takes more; parts that take as long are left out [ps]. */
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

    /** Of {@link #differences} those to look at: defaults that another kind of strategy brings along are its business. */
    List<Difference> telling() {
        List<Difference> all = differences();
        boolean kinds = all.stream().anyMatch(one -> one.key().equals(KIND));
        return all.stream()
                .filter(one -> !kinds || one.isChosen() || !one.key().startsWith("strategy."))
                .toList();
    }

    /** Settings that differ, in the order of a scenario file. */
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

package io.shardsim.reports;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Compares two points of a sweep that differ in one thing, in a sentence: the speedup, where the seconds come from, and the cost of each difference.
 *
 * @param fast the faster run
 * @param slow the slower run, on as many GPUs
 * @param faster name of the faster run
 * @param slower name of the slower run
 * @param gap time per step that the faster run saves, and its parts
 * @param causesPs time that each difference saves, from intermediate runs; they sum to the gap. Empty if none ran [ps]
 * @param sentence the sentence, for example: {@code At 256 GPUs MiCS is 1.46x as fast as ZeRO-3. It saves 9.8 s per step: ...}
 * @param brief the short sentence, by causes
 */
public record StrategyComparison(
        RunResult fast,
        RunResult slow,
        String faster,
        String slower,
        StepGap gap,
        Map<String, Long> causesPs,
        String sentence,
        String brief) {

    private static final int HEADLINES_MAX = 3;
    private static final String STRATEGY = "strategy";
    private static final String KIND = "strategy.kind";
    /** Weight below which a key's values are not compared, unless no key has more. */
    private static final double NOTABLE_WEIGHT = 1.05;
    /** Speedup below which two runs count as equally fast. */
    private static final double NOTABLE_SPEED_UP = 1.005;
    /** Difference in efficiency above which one scales better. */
    private static final double NOTABLE_EFFICIENCY = 0.02;

    /**
     * Compares the fastest series with those that differ from it in one thing, on the largest cluster that two ran on; empty if there is nothing to
     * compare. If a sweep varies strategies and something else, does so for each value of the rest. If it varies only settings, compares those that
     * matter.
     */
    public static List<StrategyComparison> of(ScenarioResult scenario) {
        Set<String> worth = worthComparing(scenario);
        SweptKeys keys = SweptKeys.of(scenario.runs());
        List<StrategyComparison> comparisons = new ArrayList<>();
        alike(scenario.series()).forEach(group -> {
            int gpus = largestCommonCluster(group);
            Map<String, RunResult> rivals = new LinkedHashMap<>();
            group.forEach((name, runs) -> {
                RunResult run = at(runs, gpus);
                if (run != null) {
                    rivals.put(name, run);
                }
            });
            comparisons.addAll(fastestAgainstOthers(gpus, rivals, worth, keys));
        });
        return comparisons;
    }

    /** Returns the cluster size of the comparison. */
    public int gpus() {
        return fast.gpus();
    }

    /** Returns the ratio of samples per second, faster over slower. */
    public double speedUp() {
        return rate(fast) / rate(slow);
    }

    /** Returns the strategy key if the sweep has several strategies; else the keys that matter, or the one that matters most. */
    private static Set<String> worthComparing(ScenarioResult scenario) {
        if (variesKinds(scenario.runs())) {
            return Set.of(STRATEGY, KIND);
        }
        Set<String> worth = new HashSet<>();
        for (KeyWeight weight : KeyWeight.of(scenario)) {
            if (worth.isEmpty() || weight.ratio() >= NOTABLE_WEIGHT) {
                worth.add(weight.key());
            }
        }
        return worth;
    }

    private static boolean variesKinds(Collection<RunResult> runs) {
        return runs.stream()
                        .map(run -> run.facts().strategy())
                        .filter(Objects::nonNull)
                        .map(RunFacts.Strategy::kind)
                        .distinct()
                        .count()
                > 1;
    }

    /** If a sweep varies the strategy and something else, groups runs in which all else is equal. */
    private static Collection<Map<String, List<RunResult>>> alike(Map<String, List<RunResult>> series) {
        boolean strategies =
                variesKinds(series.values().stream().flatMap(List::stream).toList());
        Map<String, Map<String, List<RunResult>>> groups = new LinkedHashMap<>();
        series.forEach((name, runs) -> groups.computeIfAbsent(
                        strategies ? besidesStrategy(runs.get(0)) : "", rest -> new LinkedHashMap<>())
                .put(name, runs));
        return groups.values();
    }

    /** Returns the swept values except strategy and number of nodes. */
    private static String besidesStrategy(RunResult run) {
        Map<String, Object> values = new LinkedHashMap<>(ScalingEfficiency.seriesPoint(run));
        values.keySet().removeAll(List.of(STRATEGY, KIND));
        return values.toString();
    }

    private static List<StrategyComparison> fastestAgainstOthers(
            int gpus, Map<String, RunResult> rivals, Set<String> worth, SweptKeys keys) {
        List<StrategyComparison> comparisons = new ArrayList<>();
        rivals.entrySet().stream()
                .max(Comparator.<Map.Entry<String, RunResult>, Boolean>comparing(
                                entry -> !entry.getValue().isTight())
                        .thenComparing(entry -> rate(entry.getValue())))
                .ifPresent(best -> rivals.forEach((name, run) -> {
                    String difference = rate(run) > rate(best.getValue()) ? null : difference(best.getValue(), run);
                    if (difference != null && worth.contains(difference) && trainAlike(best.getValue(), run)) {
                        comparisons.add(compare(
                                gpus,
                                new Named(
                                        best.getKey(), brief(best.getValue(), run, difference, keys), best.getValue()),
                                new Named(name, brief(run, best.getValue(), difference, keys), run)));
                    }
                }));
        return comparisons;
    }

    /** Returns the one key in which two points differ; null if they differ in none or several. A block swept as a whole counts as one. */
    private static @Nullable String difference(RunResult one, RunResult other) {
        Map<String, Object> values = ScalingEfficiency.seriesPoint(one);
        Map<String, Object> others = ScalingEfficiency.seriesPoint(other);
        List<String> differing = values.keySet().stream()
                .filter(path -> !Objects.equals(values.get(path), others.get(path)))
                .toList();
        return differing.size() == 1 ? differing.get(0) : null;
    }

    /** Returns whether two runs train alike: times of samples of other models or lengths are not comparable. */
    private static boolean trainAlike(RunResult one, RunResult other) {
        RunFacts.Training model = one.facts().model();
        return model.parameters() == other.facts().model().parameters()
                && model.sequenceLength() == other.facts().model().sequenceLength();
    }

    /** A run in a comparison, with its full name and the part that differs. */
    private record Named(String name, String brief, RunResult run) {}

    /** Returns how a run differs from another one: the strategy if the kinds differ, and swept settings. */
    private static String brief(RunResult run, RunResult other, String difference, SweptKeys keys) {
        RunFacts.Strategy own = run.facts().sharding();
        boolean kinds = !own.kind().equals(other.facts().sharding().kind());
        List<String> words = new ArrayList<>();
        if (kinds) {
            words.add(own.shortName());
        }
        for (String path : keys.paths()) {
            boolean differs = path.equals(difference) || path.startsWith(difference + ".");
            if (differs && !path.equals(KIND) && !keys.resolved(run, path).equals(keys.resolved(other, path))) {
                words.add(keys.resolvedWords(run, path));
            }
        }
        words.removeIf(String::isEmpty);
        return String.join(", ", words);
    }

    /** Returns the sentences to show first: the largest differences, in series order. */
    public static List<String> headlines(ScenarioResult scenario) {
        List<StrategyComparison> all = of(scenario);
        List<StrategyComparison> largest = all.stream()
                .sorted(Comparator.comparingDouble(StrategyComparison::speedUp).reversed())
                .limit(HEADLINES_MAX)
                .toList();
        return all.stream()
                .filter(largest::contains)
                .map(StrategyComparison::sentence)
                .toList();
    }

    /** Returns short sentences: on the fastest run's closest and furthest rivals. */
    public static List<String> briefly(ScenarioResult scenario) {
        RunResult fastest = scenario.fastest();
        List<StrategyComparison> all = of(scenario).stream()
                .filter(one -> one.fast().is(fastest) && one.speedUp() >= NOTABLE_SPEED_UP)
                .sorted(Comparator.comparingDouble(StrategyComparison::speedUp))
                .toList();
        return all.size() < 3
                ? all.stream().map(StrategyComparison::brief).toList()
                : List.of(all.get(0).brief(), all.get(all.size() - 1).brief());
    }

    private static StrategyComparison compare(int gpus, Named faster, Named slower) {
        RunResult fast = faster.run();
        RunResult slow = slower.run();
        double speedUp = rate(fast) / rate(slow);
        StepGap gap = StepGap.between(fast, slow);
        Map<String, Long> causes = slow.facts().tried().causesPs();
        if (!causes.isEmpty() && StepParts.sum(causes) != gap.gapPs()) {
            throw new IllegalStateException("a gap of " + gap.gapPs() + " ps is not the sum of its causes " + causes);
        }
        List<String> shared = shared(faster.name(), slower.name());
        String sentence = speedUp < NOTABLE_SPEED_UP
                ? equal(gpus, faster, slower)
                : ratio(gpus, shared, without(shared, faster.name()), without(shared, slower.name()), speedUp) + "."
                        + split(gap, causes, fast, slow)
                        + saving(fast, slow) + scaling(fast, without(shared, slower.name()), slow);
        return new StrategyComparison(
                fast,
                slow,
                faster.name(),
                slower.name(),
                gap,
                causes,
                sentence,
                brief(gpus, faster, slower, speedUp, gap, causes));
    }

    /** Formats a ratio, for example {@code At 32 GPUs, micro-batch 1 and flash attention, MiCS is 1.12x as fast as FSDP}; shared settings stand once. */
    private static String ratio(int gpus, List<String> shared, String faster, String slower, double speedUp) {
        String where = "At " + Quantities.counted(gpus, "GPU");
        if (shared.size() == 1) {
            where += " and " + shared.get(0) + ",";
        } else if (shared.size() > 1) {
            int last = shared.size() - 1;
            where += ", " + String.join(", ", shared.subList(0, last)) + " and " + shared.get(last) + ",";
        }
        return where + " " + faster + (faster.contains(", ") ? ", is " : " is ") + Quantities.fixed(speedUp, 2)
                + "x as fast as " + slower;
    }

    /** Returns the settings that both names end with. */
    private static List<String> shared(String one, String other) {
        List<String> ones = List.of(one.split(", "));
        List<String> others = List.of(other.split(", "));
        int most = Math.min(ones.size(), others.size()) - 1;
        int shared = 0;
        while (shared < most && ones.get(ones.size() - 1 - shared).equals(others.get(others.size() - 1 - shared))) {
            shared++;
        }
        return ones.subList(ones.size() - shared, ones.size());
    }

    private static String without(List<String> shared, String name) {
        return shared.isEmpty()
                ? name
                : name.substring(0, name.length() - String.join(", ", shared).length() - 2);
    }

    /** Formats a short sentence, for example {@code At 256 GPUs MiCS is 1.12x as fast as FSDP: kernels save 3.7 s/step, sharding costs 1.1 s.} */
    private static String brief(
            int gpus, Named faster, Named slower, double speedUp, StepGap gap, Map<String, Long> causes) {
        if (speedUp < NOTABLE_SPEED_UP) {
            return equal(gpus, faster, slower);
        }
        GapWords words = new GapWords(gap);
        String unit = unit(faster.run(), slower.run());
        boolean alike = faster.brief().equals(slower.brief());
        return ratio(
                        gpus,
                        List.of(),
                        alike ? faster.name() : faster.brief(),
                        alike ? slower.name() : slower.brief(),
                        speedUp)
                + ": "
                + (isTold(causes, faster.run(), slower.run())
                                && words.causes(causes).size() > 1
                        ? words.savings(causes, unit.equals("step") ? "/step" : " per " + unit)
                        : words.total() + " less per " + unit
                                + GapWords.inParentheses(
                                        isTold(causes, faster.run(), slower.run())
                                                ? words.causes(causes)
                                                : words.parts()))
                + ".";
    }

    /** Returns whether the cause of a gap needs no mention: between two values of a setting it is that setting. */
    private static boolean isTold(Map<String, Long> causes, RunResult fast, RunResult slow) {
        return causes.size() > 1
                || (!causes.isEmpty()
                        && !fast.facts()
                                .sharding()
                                .kind()
                                .equals(slow.facts().sharding().kind()));
    }

    /** Describes steps of equal length, and training times if those differ. */
    private static String equal(int gpus, Named one, Named other) {
        TrainingCost cost = Objects.requireNonNull(one.run().cost());
        double days = Objects.requireNonNull(other.run().cost()).days();
        String both = one.name() + " and " + other.name();
        return Math.abs(cost.days() / days - 1) < NOTABLE_SPEED_UP - 1
                ? both + " are equally fast at " + Quantities.counted(gpus, "GPU") + "."
                : both + " take equally long per step at " + Quantities.counted(gpus, "GPU") + ". Including pauses, "
                        + Quantities.tokens(cost.tokens()) + " tokens take " + Quantities.significant(cost.days())
                        + " and " + Quantities.significant(days) + " days.";
    }

    private static String unit(RunResult fast, RunResult slow) {
        RunFacts.Training model = fast.facts().model();
        return model.globalBatch() == slow.facts().model().globalBatch()
                ? "step"
                : Quantities.count(model.globalBatch()) + " samples";
    }

    private static String split(StepGap gap, Map<String, Long> causes, RunResult fast, RunResult slow) {
        GapWords words = new GapWords(gap);
        return " It saves " + words.total() + " per " + unit(fast, slow) + GapWords.listed(words.parts()) + "."
                + (causes.size() > 1 ? " By cause" + GapWords.listed(words.causes(causes)) + "." : "")
                + microBatches(fast.facts().model(), slow.facts().model());
    }

    private static String microBatches(RunFacts.Training fast, RunFacts.Training slow) {
        return fast.microBatch() == slow.microBatch()
                ? ""
                : " It runs with micro-batch " + fast.microBatch() + " instead of " + slow.microBatch() + ".";
    }

    /** Notes if the slower run scales better. */
    private static String scaling(RunResult fast, String slower, RunResult slow) {
        ScalingEfficiency of = fast.step().scaling();
        ScalingEfficiency other = slow.step().scaling();
        return of != null
                        && other != null
                        && of.baselineGpus() == other.baselineGpus()
                        && other.efficiency() >= of.efficiency() + NOTABLE_EFFICIENCY
                ? " " + slower + " scales better: " + Quantities.percent(other.efficiency()) + " against "
                        + Quantities.percent(of.efficiency()) + "."
                : "";
    }

    /** Returns what the faster run saves over a training, for all nodes; AWS's own figure of 2022 multiplies hours by the price of one node. */
    private static String saving(RunResult fast, RunResult slow) {
        TrainingCost less = fast.step().cost();
        TrainingCost more = slow.step().cost();
        double saved = more.usd() - less.usd();
        String usd = saved > 0
                ? " and " + Quantities.usd(saved)
                        + (fast.nodes() == 1
                                ? ""
                                : " for all " + fast.nodes() + " nodes (" + Quantities.usd(saved / fast.nodes())
                                        + " per node)")
                : "";
        long hours = Math.round(24 * (more.days() - less.days()));
        return hours == 0
                ? ""
                : " That saves " + Quantities.count(hours) + " hours" + usd + " over "
                        + Quantities.tokens(less.tokens()) + " tokens.";
    }

    private static int largestCommonCluster(Map<String, List<RunResult>> series) {
        SortedMap<Integer, Integer> seriesByGpus = new TreeMap<>();
        for (List<RunResult> runs : series.values()) {
            runs.stream()
                    .filter(run -> run.training() != null)
                    .map(RunResult::gpus)
                    .distinct()
                    .forEach(gpus -> seriesByGpus.merge(gpus, 1, Integer::sum));
        }
        seriesByGpus.values().removeIf(count -> count < 2);
        return seriesByGpus.isEmpty() ? 0 : seriesByGpus.lastKey();
    }

    private static @Nullable RunResult at(List<RunResult> runs, int gpus) {
        return runs.stream()
                .filter(run -> run.gpus() == gpus && run.training() != null)
                .findFirst()
                .orElse(null);
    }

    private static double rate(RunResult run) {
        return run.step().samplesPerSecond();
    }
}

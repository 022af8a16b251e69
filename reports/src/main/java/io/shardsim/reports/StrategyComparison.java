package io.shardsim.reports;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Two points of a sweep that differ in one thing, in a sentence: how much faster one is, and where its seconds come from. What another
 * framework's kernels save is told apart from what sharding saves.
 *
 * @param gpus the cluster on which they are compared
 * @param speedUp samples per second of the faster over the slower
 * @param gap what the faster one saves in a step, and its parts
 * @param sentence for example: {@code At 256 GPUs MiCS is 1.46x as fast as ZeRO-3. It saves 9.8 s per step: ...}
 */
public record StrategyComparison(int gpus, String faster, String slower, double speedUp, StepGap gap, String sentence) {

    private static final int HEADLINES_MAX = 3;
    /** Below this two are called equally fast. */
    private static final double NOTABLE_SPEED_UP = 1.005;
    /** By so much one scales better than the other. */
    private static final double NOTABLE_EFFICIENCY = 0.02;

    /**
     * The fastest series against those that differ from it in one thing, on the largest cluster that two ran on; empty when there is nothing to
     * compare. Where a sweep varies strategies and something else, that is done for each value of the rest.
     */
    public static List<StrategyComparison> of(ScenarioResult scenario) {
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
            comparisons.addAll(fastestAgainstOthers(gpus, rivals));
        });
        return comparisons;
    }

    /** Where a sweep varies the strategy and something else, strategies are compared with the rest alike. */
    private static Collection<Map<String, List<RunResult>>> alike(Map<String, List<RunResult>> series) {
        long strategies = series.values().stream()
                .map(runs -> swept(runs.get(0), true))
                .distinct()
                .count();
        Map<String, Map<String, List<RunResult>>> groups = new LinkedHashMap<>();
        series.forEach((name, runs) -> groups.computeIfAbsent(
                        strategies > 1 ? swept(runs.get(0), false) : "", rest -> new LinkedHashMap<>())
                .put(name, runs));
        return groups.values();
    }

    /** The sweep's values that are the strategy's, or all others but the number of nodes. */
    private static String swept(RunResult run, boolean ofStrategy) {
        Map<String, Object> values = new LinkedHashMap<>(ScalingEfficiency.seriesPoint(run));
        values.keySet().removeIf(path -> (path.equals("strategy") || path.startsWith("strategy.")) != ofStrategy);
        return values.toString();
    }

    private static List<StrategyComparison> fastestAgainstOthers(int gpus, Map<String, RunResult> rivals) {
        List<StrategyComparison> comparisons = new ArrayList<>();
        rivals.entrySet().stream()
                .max(Comparator.comparingDouble(entry -> rate(entry.getValue())))
                .ifPresent(best -> rivals.forEach((name, run) -> {
                    if (differInOneThing(best.getValue(), run)) {
                        comparisons.add(compare(gpus, best.getKey(), best.getValue(), name, run));
                    }
                }));
        return comparisons;
    }

    /** A block that the sweep varies as a whole is one thing. */
    private static boolean differInOneThing(RunResult one, RunResult other) {
        Map<String, Object> values = ScalingEfficiency.seriesPoint(one);
        Map<String, Object> others = ScalingEfficiency.seriesPoint(other);
        return values.keySet().stream()
                        .filter(path -> !Objects.equals(values.get(path), others.get(path)))
                        .count()
                == 1;
    }

    /** The sentences that a reader should see first: the largest differences, in the order of the series. */
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

    private static StrategyComparison compare(int gpus, String faster, RunResult fast, String slower, RunResult slow) {
        double speedUp = rate(fast) / rate(slow);
        StepGap gap = StepGap.between(fast, slow);
        String sentence = speedUp < NOTABLE_SPEED_UP
                ? faster + " and " + slower + " are equally fast at " + Quantities.counted(gpus, "GPU") + "."
                : "At " + Quantities.counted(gpus, "GPU") + " " + faster + " is " + Quantities.fixed(speedUp, 2)
                        + "x as fast as " + slower + "." + split(gap, fast, slow) + scaling(fast, slower, slow)
                        + saving(fast, slow);
        return new StrategyComparison(gpus, faster, slower, speedUp, gap, sentence);
    }

    private static String split(StepGap gap, RunResult fast, RunResult slow) {
        GapWords words = new GapWords(gap);
        RunFacts.Training model = fast.facts().model();
        boolean sameBatch = model.globalBatch() == slow.facts().model().globalBatch();
        String sentence = " It saves " + words.total() + " per "
                + (sameBatch ? "step" : Quantities.count(model.globalBatch()) + " samples")
                + words.parts(aboutKernels(fast.facts(), slow.facts())) + ".";
        long restPs = gap.gapPs() - gap.kernelsPs();
        return otherFramework(fast.facts(), slow.facts()) && restPs <= 0
                ? sentence + " The lead is its kernels': all else takes " + words.time(-restPs) + " longer."
                : sentence;
    }

    /** Why kernels differ where the strategy is not the reason. */
    private static String aboutKernels(RunFacts fast, RunFacts slow) {
        List<String> words = new ArrayList<>();
        if (otherFramework(fast, slow)) {
            words.add("not sharding");
        }
        if (fast.model().microBatch() != slow.model().microBatch()) {
            words.add("micro-batch " + fast.model().microBatch() + " instead of "
                    + slow.model().microBatch());
        }
        return words.isEmpty() ? "" : " (" + String.join(", ", words) + ")";
    }

    private static boolean otherFramework(RunFacts fast, RunFacts slow) {
        return !fast.sharding().kernels().equals(slow.sharding().kernels());
    }

    /** Where the slower one is the one that scales better. */
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

    /** What the faster one saves in a training, for all nodes; AWS's own quote of 2022 multiplies the hours by the price of one node. */
    private static String saving(RunResult fast, RunResult slow) {
        TrainingCost less = fast.step().costs().get(fast.step().costs().size() - 1);
        TrainingCost more = slow.step().costs().get(slow.step().costs().size() - 1);
        double saved = more.usd() - less.usd();
        String usd = saved > 0
                ? " and " + Quantities.usd(saved)
                        + (fast.nodes() == 1
                                ? ""
                                : " for all " + fast.nodes() + " nodes (" + Quantities.usd(saved / fast.nodes())
                                        + " a node)")
                : "";
        return " That saves " + Quantities.count(Math.round(24 * (more.days() - less.days()))) + " hours" + usd
                + " in 500 billion tokens.";
    }

    private static int largestCommonCluster(Map<String, List<RunResult>> series) {
        Map<Integer, Integer> seriesByGpus = new TreeMap<>();
        for (List<RunResult> runs : series.values()) {
            runs.stream()
                    .filter(run -> run.training() != null)
                    .map(RunResult::gpus)
                    .distinct()
                    .forEach(gpus -> seriesByGpus.merge(gpus, 1, Integer::sum));
        }
        int largest = 0;
        for (Map.Entry<Integer, Integer> entry : seriesByGpus.entrySet()) {
            if (entry.getValue() > 1) {
                largest = Math.max(largest, entry.getKey());
            }
        }
        return largest;
    }

    private static @Nullable RunResult at(List<RunResult> runs, int gpus) {
        for (RunResult run : runs) {
            if (run.gpus() == gpus && run.training() != null) {
                return run;
            }
        }
        return null;
    }

    private static double rate(RunResult run) {
        return run.step().samplesPerSecond();
    }
}

package io.shardsim.reports;

import io.shardsim.simulator.plan.Stream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Two strategies on the same cluster, in a sentence: how much faster the best one is and where the other one's time goes. The reason named is
 * the part of the step that differs most.
 *
 * @param gpus the cluster on which they are compared
 * @param speedUp samples per second of the faster over the slower
 * @param sentence for example: {@code MiCS (shard group 128) is 1.40 x ZeRO-3 at 256 GPUs because ZeRO-3 waits ...}
 */
public record StrategyComparison(int gpus, String faster, String slower, double speedUp, String sentence) {

    private static final int HEADLINES_MAX = 3;
    /** Below this two are called equally fast. */
    private static final double NOTABLE_SPEED_UP = 1.005;

    /** Parts of a step that can make the difference, in words that follow a strategy's name. */
    private record Loss(String words, ToDoubleFunction<StepBreakdown> seconds) {}

    private static final List<Loss> LOSSES = List.of(
            new Loss("waits for parameter gathers", b -> b.exposedSeconds(Stream.GATHER)),
            new Loss("waits for gradient reductions", b -> b.exposedSeconds(Stream.REDUCE)),
            new Loss("waits for its tensor-parallel group", b -> b.exposedSeconds(Stream.TENSOR)),
            new Loss("waits for keys and values of its samples", b -> b.exposedSeconds(Stream.CONTEXT)),
            new Loss(
                    "waits for other pipeline stages",
                    b -> b.exposedSeconds(Stream.PIPELINE_FORWARD) + b.exposedSeconds(Stream.PIPELINE_BACKWARD)),
            new Loss("waits for host copies", b -> b.exposedSeconds(Stream.COPY)),
            new Loss("waits for the host", b -> b.exposedSeconds(Stream.HOST)),
            new Loss("is slowed down by collectives and copies beside compute", StepBreakdown::slowdownSeconds),
            new Loss("computes", StepBreakdown::totalWorkSeconds),
            new Loss("is idle", StepBreakdown::idleSeconds));

    /** The fastest against each other series, on the largest cluster that two ran on; empty when there is nothing to compare. */
    public static List<StrategyComparison> of(ScenarioResult scenario) {
        Map<String, List<RunResult>> series = scenario.series();
        int gpus = largestCommonCluster(series);
        Map<String, RunResult> rivals = new LinkedHashMap<>();
        series.forEach((name, runs) -> {
            RunResult run = at(runs, gpus);
            if (run != null) {
                rivals.put(name, run);
            }
        });
        List<StrategyComparison> comparisons = new ArrayList<>();
        alike(rivals).forEach(group -> comparisons.addAll(fastestAgainstOthers(gpus, group)));
        return comparisons;
    }

    /** Where a sweep varies the strategy and something else, strategies are compared with the rest alike. */
    private static Collection<Map<String, RunResult>> alike(Map<String, RunResult> rivals) {
        long strategies =
                rivals.values().stream().map(run -> swept(run, true)).distinct().count();
        Map<String, Map<String, RunResult>> groups = new LinkedHashMap<>();
        rivals.forEach((name, run) -> groups.computeIfAbsent(
                        strategies > 1 ? swept(run, false) : "", rest -> new LinkedHashMap<>())
                .put(name, run));
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
        Map.Entry<String, RunResult> best = rivals.entrySet().iterator().next();
        for (Map.Entry<String, RunResult> entry : rivals.entrySet()) {
            if (rate(entry.getValue()) > rate(best.getValue())) {
                best = entry;
            }
        }
        for (Map.Entry<String, RunResult> entry : rivals.entrySet()) {
            if (entry.getValue() != best.getValue()) {
                comparisons.add(compare(gpus, best.getKey(), best.getValue(), entry.getKey(), entry.getValue()));
            }
        }
        return comparisons;
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

    public static List<String> sentences(ScenarioResult scenario) {
        return of(scenario).stream().map(StrategyComparison::sentence).toList();
    }

    private static StrategyComparison compare(int gpus, String faster, RunResult fast, String slower, RunResult slow) {
        double speedUp = rate(fast) / rate(slow);
        String verdict = speedUp < NOTABLE_SPEED_UP
                ? faster + " and " + slower + " are equally fast at " + Quantities.counted(gpus, "GPU") + "."
                : faster + " is " + Quantities.fixed(speedUp, 2) + " x " + slower + " at "
                        + Quantities.counted(gpus, "GPU") + " "
                        + because(faster, fast.step(), slower, slow.step()) + differences(fast.facts(), slow.facts())
                        + ".";
        return new StrategyComparison(gpus, faster, slower, speedUp, verdict + saving(fast, slow, speedUp));
    }

    /** What else is not alike: batches, and kernels of different frameworks. */
    private static String differences(RunFacts fast, RunFacts slow) {
        List<String> words = new ArrayList<>();
        if (fast.model().microBatch() != slow.model().microBatch()) {
            words.add("micro-batches " + fast.model().microBatch() + " and "
                    + slow.model().microBatch());
        }
        if (!fast.sharding().kernels().equals(slow.sharding().kernels())) {
            words.add("kernels of " + fast.sharding().kernels() + " and "
                    + slow.sharding().kernels());
        }
        return words.isEmpty() ? "" : " (" + String.join(", ", words) + ")";
    }

    /** What the faster one saves in a training, for all nodes; AWS's own quote of 2022 multiplies the hours by the price of one node. */
    private static String saving(RunResult fast, RunResult slow, double speedUp) {
        if (speedUp < NOTABLE_SPEED_UP) {
            return "";
        }
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

    /** Compares times of one sample, so that steps of different batches compare. */
    private static String because(String faster, RunResult.Training fast, String slower, RunResult.Training slow) {
        double slowSamples = slow.samplesPerSecond() * slow.stepSeconds();
        double fastSamples = fast.samplesPerSecond() * fast.stepSeconds();
        Loss reason = LOSSES.get(0);
        double most = Double.NEGATIVE_INFINITY;
        for (Loss loss : LOSSES) {
            double difference = loss.seconds().applyAsDouble(slow.breakdown()) / slowSamples
                    - loss.seconds().applyAsDouble(fast.breakdown()) / fastSamples;
            if (difference > most) {
                most = difference;
                reason = loss;
            }
        }
        return "because " + slower + " " + reason.words() + " for " + ofStep(reason, slow) + ", " + faster + " for "
                + ofStep(reason, fast);
    }

    private static String ofStep(Loss loss, RunResult.Training training) {
        return Quantities.seconds(loss.seconds().applyAsDouble(training.breakdown())) + " of "
                + Quantities.seconds(training.stepSeconds());
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

package io.shardsim.reports;

import io.shardsim.simulator.strategy.Stream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Two strategies on the same cluster, in a sentence: how much faster the best one is and what the other one loses.
 *
 * @param gpus the cluster on which they are compared
 * @param speedUp samples per second of the faster over the slower
 * @param sentence for example: {@code At 256 GPUs MiCS is 1.40 x ZeRO-3: ...}
 */
public record StrategyComparison(int gpus, String faster, String slower, double speedUp, String sentence) {

    /** The fastest against each other series, on the largest cluster that both ran on; empty when there is nothing to compare. */
    public static List<StrategyComparison> of(ScenarioResult scenario) {
        Map<String, List<RunResult>> series = scenario.series();
        int gpus = largestCommonCluster(series);
        List<StrategyComparison> comparisons = new ArrayList<>();
        if (gpus == 0) {
            return comparisons;
        }
        String best = "";
        RunResult bestRun = null;
        for (Map.Entry<String, List<RunResult>> entry : series.entrySet()) {
            RunResult run = at(entry.getValue(), gpus);
            if (run != null && (bestRun == null || rate(run) > rate(bestRun))) {
                best = entry.getKey();
                bestRun = run;
            }
        }
        for (Map.Entry<String, List<RunResult>> entry : series.entrySet()) {
            RunResult run = at(entry.getValue(), gpus);
            if (run != null && bestRun != null && run != bestRun) {
                comparisons.add(compare(gpus, best, bestRun, entry.getKey(), run));
            }
        }
        return comparisons;
    }

    public static List<String> sentences(ScenarioResult scenario) {
        return of(scenario).stream().map(StrategyComparison::sentence).toList();
    }

    private static StrategyComparison compare(int gpus, String faster, RunResult fast, String slower, RunResult slow) {
        double speedUp = rate(fast) / rate(slow);
        String verdict = speedUp < 1.005
                ? "At " + gpus + " GPUs " + faster + " and " + slower + " are equally fast: "
                : "At " + gpus + " GPUs " + faster + " is " + Quantities.fixed(speedUp, 2) + " x " + slower + ": ";
        return new StrategyComparison(
                gpus, faster, slower, speedUp, verdict + losses(slower, slow) + ", " + losses(faster, fast) + ".");
    }

    private static String losses(String name, RunResult run) {
        StepBreakdown b = run.step().breakdown();
        double gather = b.exposedSeconds(Stream.GATHER);
        double reduce = b.exposedSeconds(Stream.REDUCE);
        String what = gather >= reduce ? "parameter gathers" : "gradient reductions";
        String step = Quantities.seconds(b.stepSeconds());
        double loss = Math.max(gather, reduce);
        return loss < 0.005 * b.stepSeconds()
                ? name + " hides its collectives (step " + step + ")"
                : name + "'s " + what + " leave " + Quantities.seconds(loss) + " of " + step + " exposed";
    }

    private static int largestCommonCluster(Map<String, List<RunResult>> series) {
        Map<Integer, Integer> runsByGpus = new java.util.TreeMap<>();
        for (List<RunResult> runs : series.values()) {
            for (RunResult run : runs) {
                if (run.training() != null) {
                    runsByGpus.merge(run.gpus(), 1, Integer::sum);
                }
            }
        }
        int largest = 0;
        for (Map.Entry<Integer, Integer> entry : runsByGpus.entrySet()) {
            if (entry.getValue() > 1) {
                largest = Math.max(largest, entry.getKey());
            }
        }
        return largest;
    }

    private static @org.jspecify.annotations.Nullable RunResult at(List<RunResult> runs, int gpus) {
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

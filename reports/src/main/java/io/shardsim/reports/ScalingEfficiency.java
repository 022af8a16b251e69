package io.shardsim.reports;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Throughput per GPU against the smallest cluster of the same sweep series. With a fixed global batch this is strong scaling: each GPU gets less
 * to do as the cluster grows. With a global batch that grows with the cluster it is weak scaling.
 *
 * @param efficiency 1 is linear
 * @param baselineGpus GPUs of the smallest cluster that ran
 * @param fixedGlobalBatch true for strong scaling
 */
public record ScalingEfficiency(double efficiency, int baselineGpus, boolean fixedGlobalBatch) {

    /** Gives every run that has a throughput its efficiency within its series; the others are returned as they are. */
    static List<RunResult> apply(List<RunResult> runs) {
        Map<String, RunResult> baselines = new LinkedHashMap<>();
        for (RunResult run : runs) {
            if (run.training() != null) {
                baselines.merge(seriesKey(run), run, (a, b) -> b.gpus() < a.gpus() ? b : a);
            }
        }
        List<RunResult> scaled = new ArrayList<>(runs.size());
        for (RunResult run : runs) {
            RunResult baseline = baselines.get(seriesKey(run));
            scaled.add(
                    run.training() == null || baseline == null || baseline.training() == null
                            ? run
                            : run.withScaling(against(run, baseline)));
        }
        return scaled;
    }

    private static ScalingEfficiency against(RunResult run, RunResult baseline) {
        return new ScalingEfficiency(
                perGpu(run) / perGpu(baseline),
                baseline.gpus(),
                run.facts().model().globalBatch() == baseline.facts().model().globalBatch());
    }

    private static double perGpu(RunResult run) {
        return run.step().samplesPerSecond() / run.gpus();
    }

    /** Runs with the same key differ in the number of nodes only. */
    static String seriesKey(RunResult run) {
        return String.valueOf(seriesPoint(run));
    }

    /** The sweep's values without the number of nodes. */
    static Map<String, Object> seriesPoint(RunResult run) {
        Map<String, Object> rest = new LinkedHashMap<>();
        run.facts().point().forEach((path, value) -> {
            if (path.equals("cluster.nodes")) {
                return;
            }
            if (path.equals("cluster") && value instanceof Map<?, ?> block) {
                Map<Object, Object> cluster = new LinkedHashMap<>(block);
                cluster.remove("nodes");
                rest.put(path, cluster);
            } else {
                rest.put(path, value);
            }
        });
        return rest;
    }
}

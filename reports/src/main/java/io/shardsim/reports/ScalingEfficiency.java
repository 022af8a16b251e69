package io.shardsim.reports;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Throughput per GPU relative to the series' throughput on the base cluster. All series of a sweep share one base: the smallest cluster on which all
 * of them fit with headroom. A series that never fits with headroom is ignored for that choice, and has no efficiency. If no cluster has headroom for
 * all others, the base is the smallest with headroom for the most, and a series without headroom there has no efficiency. Tight runs count only if no
 * run has headroom.
 *
 * <p>With a fixed global batch this is strong scaling: the work per GPU shrinks as the cluster grows. With a global batch that grows with the cluster
 * it is weak scaling.
 *
 * @param efficiency 1 is linear
 * @param fixedGlobalBatch true for strong scaling
 * @param baselineGpus GPUs of the base cluster
 * @param otherMicroBatch whether the micro-batch differs from the series' on the next smaller cluster
 * @param cause why it exceeds {@value #NOTABLE}; empty if it does not
 */
public record ScalingEfficiency(
        double efficiency, boolean fixedGlobalBatch, int baselineGpus, boolean otherMicroBatch, String cause) {
    /** Efficiency above which scaling is superlinear, for a reason to report. */
    public static final double NOTABLE = 1.05;

    private static final String NODES = "cluster.nodes";
    /** Keys that vary with the cluster, or are reported separately. */
    private static final List<String> NO_CAUSE = List.of(NODES, "training.global_batch", "training.micro_batch");

    /** Sets the scaling efficiency of each run whose series has headroom on the base cluster; other runs get none. */
    static List<RunResult> apply(List<RunResult> runs) {
        Map<String, List<RunResult>> series = new LinkedHashMap<>();
        for (RunResult run : runs) {
            if (run.training() != null) {
                series.computeIfAbsent(seriesKey(run), key -> new ArrayList<>()).add(run);
            }
        }
        boolean roomy = series.values().stream().flatMap(List::stream).anyMatch(run -> !run.isTight());
        Map<Integer, Integer> seriesAt = new TreeMap<>();
        series.values()
                .forEach(all -> all.stream()
                        .filter(run -> !(roomy && run.isTight()))
                        .map(RunResult::gpus)
                        .distinct()
                        .forEach(gpus -> seriesAt.merge(gpus, 1, Integer::sum)));
        int base = 0;
        int most = 0;
        for (Map.Entry<Integer, Integer> cluster : seriesAt.entrySet()) {
            if (cluster.getValue() > most) {
                base = cluster.getKey();
                most = cluster.getValue();
            }
        }
        List<RunResult> scaled = new ArrayList<>(runs.size());
        for (RunResult run : runs) {
            List<RunResult> own = run.training() == null ? List.of() : series.getOrDefault(seriesKey(run), List.of());
            RunResult baseline = at(own, base);
            scaled.add(run.withScaling(
                    baseline == null || (roomy && baseline.isTight())
                            ? null
                            : against(run, baseline, changesMicroBatch(run, own))));
        }
        return scaled;
    }

    private static @Nullable RunResult at(List<RunResult> series, int gpus) {
        return series.stream().filter(run -> run.gpus() == gpus).findFirst().orElse(null);
    }

    private static ScalingEfficiency against(RunResult run, RunResult baseline, boolean otherMicroBatch) {
        double efficiency = perGpu(run) / perGpu(baseline);
        return new ScalingEfficiency(
                efficiency,
                run.facts().model().globalBatch() == baseline.facts().model().globalBatch(),
                baseline.gpus(),
                otherMicroBatch,
                efficiency > NOTABLE ? cause(run, baseline) : "");
    }

    /** Returns whether a run's micro-batch differs from its series' on the next smaller cluster that ran. */
    public static boolean changesMicroBatch(RunResult run, List<RunResult> series) {
        RunResult before = null;
        for (RunResult other : series) {
            boolean smaller = other.training() != null && other.gpus() < run.gpus();
            before = smaller && (before == null || other.gpus() > before.gpus()) ? other : before;
        }
        return before != null
                && before.facts().model().microBatch() != run.facts().model().microBatch();
    }

    /** Returns a larger micro-batch and other settings that the tool changed; if there are none, the part of the step that shrinks most. */
    private static String cause(RunResult run, RunResult baseline) {
        List<String> changes = new ArrayList<>();
        int microBatch = run.facts().model().microBatch();
        if (microBatch > baseline.facts().model().microBatch()) {
            changes.add("micro-batch " + microBatch + ", not "
                    + baseline.facts().model().microBatch());
        }
        for (Setting setting : run.facts().settings()) {
            Setting before = baseline.facts().setting(setting.path());
            if (before != null && !before.value().equals(setting.value()) && !NO_CAUSE.contains(setting.path())) {
                changes.add(
                        KnownSetting.of(setting.path()).inWords() + " " + setting.value() + ", not " + before.value());
            }
        }
        return changes.isEmpty() ? "less GPU time in " + shrunk(run, baseline) : String.join(", ", changes);
    }

    /** Returns the part of the step whose GPU time per sample shrinks most. */
    private static String shrunk(RunResult run, RunResult baseline) {
        long samples = run.facts().model().globalBatch();
        Map<String, Long> parts = StepParts.of(run, samples);
        String most = "";
        double saved = 0;
        for (Map.Entry<String, Long> part : StepParts.of(baseline, samples).entrySet()) {
            double less = (double) part.getValue() * baseline.gpus()
                    - (double) parts.getOrDefault(part.getKey(), 0L) * run.gpus();
            most = less > saved ? part.getKey() : most;
            saved = Math.max(saved, less);
        }
        return most;
    }

    /** Formats this, for example {@code 106 % (micro-batch 4, not 3)}. */
    public String words() {
        return Quantities.percent(efficiency) + (cause.isEmpty() ? "" : " (" + cause + ")");
    }

    private static double perGpu(RunResult run) {
        return run.step().samplesPerSecond() / run.gpus();
    }

    /** Returns a key shared by runs that differ only in the number of nodes. */
    static String seriesKey(RunResult run) {
        return String.valueOf(seriesPoint(run));
    }

    /** Returns the swept values without the number of nodes. */
    static Map<String, Object> seriesPoint(RunResult run) {
        Map<String, Object> rest = new LinkedHashMap<>();
        run.facts().point().forEach((path, value) -> {
            if (path.equals(NODES)) {
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

package io.shardsim.reports;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Throughput per GPU against that of the same series on the base cluster. All series of a sweep have one base: the smallest cluster on which all of them
 * fit with room. A series that fits with room nowhere has no say, and no efficiency. Where no cluster has room for all others, the base is the smallest of those that
 * have room for most, and a series without room there has no efficiency. Only where no run has room, tight ones count.
 *
 * <p>With a fixed global batch this is strong scaling: each GPU gets less to do as the cluster grows. With a global batch that grows with the cluster it is
 * weak scaling.
 *
 * @param efficiency 1 is linear
 * @param fixedGlobalBatch true for strong scaling
 * @param baselineGpus GPUs of the base cluster
 * @param otherMicroBatch whether the micro-batch differs from that of the next smaller cluster of the series
 * @param cause why it is beyond {@value #NOTABLE}; empty where it is not
 */
public record ScalingEfficiency(
        double efficiency, boolean fixedGlobalBatch, int baselineGpus, boolean otherMicroBatch, String cause) {
    /** Beyond this a run scales better than linearly, for a reason that a reader must know. */
    public static final double NOTABLE = 1.05;

    private static final String NODES = "cluster.nodes";
    /** What differs with the cluster, or is told apart. */
    private static final List<String> NO_CAUSE = List.of(NODES, "training.global_batch", "training.micro_batch");

    /** Gives every run whose series has room on the base cluster its efficiency, and the others none. */
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

    /** Whether the micro-batch of a run differs from that of the next smaller cluster of its series that ran. */
    public static boolean changesMicroBatch(RunResult run, List<RunResult> series) {
        RunResult before = null;
        for (RunResult other : series) {
            boolean smaller = other.training() != null && other.gpus() < run.gpus();
            before = smaller && (before == null || other.gpus() > before.gpus()) ? other : before;
        }
        return before != null
                && before.facts().model().microBatch() != run.facts().model().microBatch();
    }

    /** A larger micro-batch and other settings that the tool chose anew; where there are none, the part of the step that shrinks most. */
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

    /** The part of the step that takes less GPU time for as many samples, by most. */
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

    /** For example {@code 106 % (micro-batch 4, not 3)}. */
    public String words() {
        return Quantities.percent(efficiency) + (cause.isEmpty() ? "" : " (" + cause + ")");
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

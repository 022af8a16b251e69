package io.shardsim.reports.replay;

import io.shardsim.reports.StreamLook;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.simulator.observation.Recording;
import io.shardsim.simulator.observation.Recording.Spans;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.topology.Cluster;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The whole step in columns of equal time, with a row per pipeline stage: shares of its GPUs' time spent working, waiting by stream, and idle. The
 * shares of a row sum to the result's breakdown, the mean over its GPUs.
 */
final class Overview {
    /** More columns than a screen has pixels. */
    private static final int COLUMNS = 1_200;
    /** Shares are given as integers out of this. */
    private static final int WHOLE = 10_000;

    private static final int PARTS = StreamLook.all().size() + 1;

    private final Recording recording;
    private final double columnPs;
    /** GPU time by stage, part and column [ps]. */
    private final Map<Integer, double[][]> rows = new TreeMap<>();

    Overview(Recording recording) {
        this.recording = recording;
        columnPs = (double) recording.totals().last()[0] / COLUMNS;
        Cluster cluster = recording.cluster();
        recording.spans().forEach((rank, spans) -> {
            long copies = Arrays.stream(recording.representatives())
                    .filter(node -> node == cluster.nodeRank(rank))
                    .count();
            add(spans, copies, rows.computeIfAbsent(spans.stage(), key -> new double[PARTS][COLUMNS]));
        });
    }

    /** Returns the index of waiting for a stream among a row's parts; work is the first, idle the last. */
    static int part(Stream stream) {
        return stream == Stream.COMPUTE ? PARTS - 1 : StreamLook.of(stream).place();
    }

    private void add(Spans rank, long copies, double[][] row) {
        for (int column = 0; column < COLUMNS; column++) {
            row[0][column] += copies;
        }
        recording.tellWaits(rank, 0, recording.totals().last()[0], (stream, startPs, stopPs) -> {
            double until = stopPs / columnPs;
            for (int column = (int) (startPs / columnPs); column < Math.min(COLUMNS, until); column++) {
                double share = Math.min(until, column + 1) - Math.max(startPs / columnPs, column);
                row[part(stream)][column] += copies * share;
                row[0][column] -= copies * share;
            }
        });
    }

    /** Returns each stage's number of GPUs and, by the ID of each part that occurs, its share of every column in ten-thousandths. */
    List<Map<String, Object>> document() {
        return rows.values().stream().map(Overview::row).toList();
    }

    private static Map<String, Object> row(double[][] parts) {
        double gpus =
                Math.rint(Arrays.stream(parts).mapToDouble(part -> part[0]).sum());
        Map<String, Object> shares = new LinkedHashMap<>();
        for (int part = 0; part < PARTS; part++) {
            int[] whole = Arrays.stream(parts[part])
                    .mapToInt(share -> (int) Math.rint(WHOLE * share / gpus))
                    .toArray();
            if (Arrays.stream(whole).anyMatch(share -> share > 0)) {
                shares.put(part + 1 < PARTS ? StreamLook.all().get(part).id() : "idle", whole);
            }
        }
        return new JsonObject().with("gpus", gpus).with("shares", shares);
    }
}

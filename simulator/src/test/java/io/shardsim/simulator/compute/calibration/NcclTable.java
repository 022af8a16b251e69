package io.shardsim.simulator.compute.calibration;

import java.util.Map;
import java.util.TreeMap;

/** Measured collectives inside a node, interpolated in the logarithm of their size. */
public final class NcclTable {
    /** The column counts elements of two bytes: the collector divides nccl-tests' bytes by the size of a half. */
    private static final long ELEMENT_BYTES = 2;

    private final Map<String, TreeMap<Long, Double>> curves = new TreeMap<>();

    /** Reads {@code nccl_intra_node.csv}. */
    public NcclTable() {
        for (Map<String, String> row : ReferenceTables.read("nccl_intra_node.csv")) {
            curves.computeIfAbsent(key(row.get("gpu"), row.get("collective"), row.get("gpus")), k -> new TreeMap<>())
                    .put(
                            ELEMENT_BYTES * Long.parseLong(row.get("bytes")),
                            Double.parseDouble(row.get("latency_ms")) * 1e9);
        }
    }

    private static String key(String gpu, String collective, String gpus) {
        return gpu.substring(0, 4) + " " + collective + " " + gpus;
    }

    /** Time of a collective over the GPUs of one node, whole-buffer bytes as the table counts [ps]. */
    public double ps(String gpu, String collective, int gpus, long bytes) {
        if (gpus == 1 || bytes == 0) {
            return 0;
        }
        TreeMap<Long, Double> curve = curves.get(key(gpu, collective, Integer.toString(gpus)));
        if (curve == null) {
            throw new IllegalArgumentException("no measurement of " + key(gpu, collective, Integer.toString(gpus)));
        }
        Map.Entry<Long, Double> below = curve.floorEntry(bytes);
        Map.Entry<Long, Double> above = curve.ceilingEntry(bytes);
        if (above == null) {
            Map.Entry<Long, Double> last = curve.lastEntry();
            return last.getValue() * bytes / last.getKey();
        }
        if (below == null || below.getKey().equals(above.getKey())) {
            return above.getValue();
        }
        double share = StrictMath.log((double) bytes / below.getKey())
                / StrictMath.log((double) above.getKey() / below.getKey());
        return StrictMath.exp(
                (1 - share) * StrictMath.log(below.getValue()) + share * StrictMath.log(above.getValue()));
    }
}

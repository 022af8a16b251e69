package io.shardsim.simulator.compute.calibration;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Measured collectives inside a node, interpolated by the logarithm of their size. */
public final class NcclTable {
    /** The column counts elements of two bytes: the collector divides nccl-tests' bytes by the size of a half. */
    private static final long ELEMENT_BYTES = 2;

    private final Map<String, TreeMap<Long, Double>> curves = new TreeMap<>();

    /** Reads {@code nccl_intra_node.csv}. */
    public NcclTable() {
        for (Row row : rows()) {
            curves.computeIfAbsent(key(row.gpu(), row.collective(), row.gpus()), k -> new TreeMap<>())
                    .put(row.bytes(), row.milliseconds() * 1e9);
        }
    }

    /** One measurement; bytes are those of the whole buffer. */
    public record Row(String gpu, String collective, int gpus, long bytes, double milliseconds) {}

    /** Returns all measurements. */
    public static List<Row> rows() {
        return ReferenceTables.read("nccl_intra_node.csv").stream()
                .map(cells -> new Row(
                        cells.get("gpu"),
                        cells.get("collective"),
                        Integer.parseInt(cells.get("gpus")),
                        ELEMENT_BYTES * Long.parseLong(cells.get("bytes")),
                        Double.parseDouble(cells.get("latency_ms"))))
                .toList();
    }

    private static String key(String gpu, String collective, int gpus) {
        return gpu.substring(0, 4) + " " + collective + " " + gpus;
    }

    /** Returns the time of a collective over the GPUs of one node, for whole-buffer bytes as in the table [ps]. */
    public double ps(String gpu, String collective, int gpus, long bytes) {
        if (gpus == 1 || bytes == 0) {
            return 0;
        }
        TreeMap<Long, Double> curve = curves.get(key(gpu, collective, gpus));
        if (curve == null) {
            throw new IllegalArgumentException("no measurement of " + key(gpu, collective, gpus));
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

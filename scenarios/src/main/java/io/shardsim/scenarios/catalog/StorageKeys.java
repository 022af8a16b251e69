package io.shardsim.scenarios.catalog;

import io.shardsim.reports.Surroundings.Storage;
import io.shardsim.simulator.catalog.CatalogException;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.topology.units.UnitTable;
import java.util.List;
import java.util.Map;

/**
 * The keys that describe a storage service. One whose rate grows with the requests has {@code rate_per_request} and {@code requests_per_node}; one with a throughput that its
 * clients share has {@code throughput_per_tib} and {@code capacity}.
 */
public final class StorageKeys {
    private static final double BYTES_PER_TIB = 1L << 40;

    /** What a scenario may change. */
    public static final List<Key> CHANGEABLE = List.of(
            Key.optional(
                    "requests_per_node", ScalarTypes.whole(1, 10_000), "requests of a node to S3 at once; omitted: 15"),
            Key.optional(
                    "capacity",
                    ScalarTypes.quantity(UnitTable.DATA_SIZE, 1),
                    "size of the FSx for Lustre file system; omitted: 4.8 TiB"),
            Key.optional(
                    "throughput_per_tib",
                    ScalarTypes.rate(),
                    "throughput of that file system for each TiB; omitted: 250 MB/s"));

    /** What a file may say. */
    static final List<Key> ALL = List.of(
            Key.optional("rate_per_request", ScalarTypes.rate(), "rate of one request"),
            CHANGEABLE.get(0),
            CHANGEABLE.get(1),
            CHANGEABLE.get(2),
            Key.required("node_rate", ScalarTypes.rate(), "most that one node reaches"));

    private StorageKeys() {}

    /** The service with some values replaced. */
    static Storage storage(String name, Map<String, Object> values) {
        double nodeRate = number(name, values, "node_rate");
        if (values.containsKey("rate_per_request")) {
            double requests = number(name, values, "rate_per_request") * number(name, values, "requests_per_node");
            return new Storage(name, Math.min(nodeRate, requests), Double.POSITIVE_INFINITY);
        }
        return new Storage(
                name,
                nodeRate,
                number(name, values, "throughput_per_tib") * (number(name, values, "capacity") / BYTES_PER_TIB));
    }

    private static double number(String name, Map<String, Object> values, String key) {
        Object value = values.get(key);
        if (!(value instanceof Long number)) {
            throw new CatalogException("storage service " + name + " has no " + key
                    + "; write rate_per_request with requests_per_node, or throughput_per_tib with capacity");
        }
        return number;
    }
}

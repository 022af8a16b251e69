package io.shardsim.scenarios.catalog;

import io.shardsim.reports.Surroundings.Storage;
import io.shardsim.simulator.catalog.CatalogException;
import io.shardsim.simulator.schema.Key;
import java.util.List;
import java.util.Map;

/**
 * Keys of a storage service. If its rate grows with concurrent requests, it has {@code rate_per_request} and {@code requests_per_node}; if its
 * clients share a throughput, {@code throughput_per_tib} and {@code capacity}.
 */
public final class StorageKeys {
    private static final double BYTES_PER_TIB = 1L << 40;

    /** Keys of a storage file. */
    static final List<Key> ALL = HardwareKeys.FILE.keys("storage_file");

    /** Keys that a scenario may change: all but the rates of one request and one node. */
    public static final List<Key> CHANGEABLE = ALL.subList(1, 4);

    private StorageKeys() {}

    /** Returns the service with some values replaced. */
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

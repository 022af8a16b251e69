package io.shardsim.scenarios.calibrating;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.simulator.collective.CollectiveKind;
import java.util.List;

/**
 * A collective that nccl-tests measured at several sizes.
 *
 * @param file file name as the user gave it
 * @param kind the collective
 * @param ranks number of ranks
 * @param nodes number of nodes; 0 if the log does not say
 * @param rows one row per size, smallest first
 */
record CollectiveTest(String file, CollectiveKind kind, int ranks, int nodes, List<Row> rows) {
    CollectiveTest {
        rows = List.copyOf(rows);
    }

    /**
     * A measured size.
     *
     * @param line line of the file
     * @param bytes size of the whole buffer
     * @param seconds out-of-place time; in-place if the log has no other
     */
    record Row(int line, long bytes, double seconds) {}

    /** Returns the test with another number of nodes. */
    CollectiveTest on(int count) {
        return new CollectiveTest(file, kind, ranks, count, rows);
    }

    Row largest() {
        return rows.get(rows.size() - 1);
    }

    /** Returns the bus bandwidth of the largest size [bytes/s]. */
    double busBytesPerSecond() {
        return busBytesPerSecond(largest(), largest().seconds());
    }

    /** Returns the bus bandwidth of a size at a given time [bytes/s]. */
    double busBytesPerSecond(Row row, double seconds) {
        return BusBandwidth.of(kind, row.bytes(), ranks, seconds).busBytesPerSecond();
    }
}

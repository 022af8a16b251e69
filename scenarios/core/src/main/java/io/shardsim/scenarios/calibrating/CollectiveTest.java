package io.shardsim.scenarios.calibrating;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.simulator.collective.CollectiveKind;
import java.util.List;

/**
 * One collective that nccl-tests measured at several sizes.
 *
 * @param file as the user named it
 * @param kind the collective
 * @param ranks that took part
 * @param nodes that they are on; 0 where the log does not say
 * @param rows one for each size, the smallest first
 */
record CollectiveTest(String file, CollectiveKind kind, int ranks, int nodes, List<Row> rows) {
    CollectiveTest {
        rows = List.copyOf(rows);
    }

    /**
     * One size.
     *
     * @param line of the file
     * @param bytes of the whole buffer
     * @param seconds out of place; in place where the log has no other
     */
    record Row(int line, long bytes, double seconds) {}

    /** The same on so many nodes. */
    CollectiveTest on(int count) {
        return new CollectiveTest(file, kind, ranks, count, rows);
    }

    Row largest() {
        return rows.get(rows.size() - 1);
    }

    /** What the largest size reaches [bytes/s]. */
    double busBytesPerSecond() {
        return busBytesPerSecond(largest(), largest().seconds());
    }

    /** What a size reaches in such a time [bytes/s]. */
    double busBytesPerSecond(Row row, double seconds) {
        return BusBandwidth.of(kind, row.bytes(), ranks, seconds).busBytesPerSecond();
    }
}

package io.shardsim.simulator.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.topology.Link;
import io.shardsim.topology.LinkClass;
import io.shardsim.topology.units.Bandwidth;
import org.junit.jupiter.api.Test;

class OutputPortSharingTest {
    private static final long NANOSECOND = 1000;

    /** 1 byte/ns. */
    private final OutputPort port = new OutputPort(new Link(LinkClass.NVLINK, new Bandwidth(1_000_000_000L), 0, 1));

    @Test
    void chunksThatTrickleInShareThePortByTurns() {
        for (int lane = 0; lane < 10; lane++) {
            assertThat(port.book(0, 2800 * NANOSECOND, 256)).isEqualTo(2800 * NANOSECOND);
            assertThat(port.startPs()).isZero();
        }
        assertThat(port.queueingPs()).isZero();
    }

    @Test
    void theOrderOfTricklingChunksDoesNotDelayTheNextPort() {
        // Ten lanes of 256 bytes over 2.8 us leave the first port together; their last bits reach the next port in any
        // order.
        long[] heads = new long[10];
        for (int lane = 0; lane < 10; lane++) {
            port.book(0, 2800 * NANOSECOND, 256);
            heads[lane] = port.startPs();
        }
        OutputPort next = new OutputPort(port.link());
        for (int lane = 9; lane >= 0; lane--) {
            assertThat(next.book(heads[lane], 2800 * NANOSECOND, 256)).isEqualTo(2800 * NANOSECOND);
        }
    }

    @Test
    void chunksThatAreThereWaitForEachOther() {
        assertThat(port.book(0, 0, 256)).isEqualTo(256 * NANOSECOND);
        assertThat(port.book(0, 0, 256)).isEqualTo(512 * NANOSECOND);
        assertThat(port.startPs()).isEqualTo(256 * NANOSECOND);
        assertThat(port.queueingPs()).isEqualTo(256 * NANOSECOND);
    }
}

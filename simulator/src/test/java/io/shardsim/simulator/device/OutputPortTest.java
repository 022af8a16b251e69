package io.shardsim.simulator.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.topology.Link;
import io.shardsim.topology.LinkClass;
import io.shardsim.topology.units.Bandwidth;
import org.junit.jupiter.api.Test;

class OutputPortTest {
    /** 1 byte a picosecond and 3 ps for each message. */
    private final OutputPort port = new OutputPort(new Link(LinkClass.NIC, new Bandwidth(1_000_000_000_000L), 3, 10));

    @Test
    void aChunkHoldsThePortForItsBytesAndItsMessage() {
        assertThat(port.book(0, 0, 100)).isEqualTo(103);
        assertThat(port.busyPs()).isEqualTo(103);
    }

    @Test
    void secondChunkWaitsForTheFirst() {
        port.book(0, 0, 100);
        assertThat(port.book(50, 50, 100)).isEqualTo(206);
        assertThat(port.startPs()).isEqualTo(103);
        assertThat(port.queueingPs()).isEqualTo(53);
    }

    @Test
    void cutsThroughWithoutOvertakingTheLastBit() {
        assertThat(port.book(0, 1_000, 100))
                .as("a slow upstream link ends later")
                .isEqualTo(1_000);
        assertThat(port.busyPs()).as("and does not make the port look busy").isEqualTo(103);
    }

    @Test
    void conservesBytesAndChunks() {
        port.book(0, 0, 7);
        port.book(0, 0, 5);
        assertThat(port.chunks()).isEqualTo(2);
        assertThat(port.bytes()).isEqualTo(12);
    }
}

package io.shardsim.simulator.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.topology.Link;
import io.shardsim.topology.LinkClass;
import io.shardsim.topology.units.Bandwidth;
import org.junit.jupiter.api.Test;

class OutputPortTest {
    /** 1 byte per picosecond and 3 ps per message. */
    private final OutputPort port = new OutputPort(new Link(LinkClass.NIC, new Bandwidth(1_000_000_000_000L), 3, 10));

    @Test
    void aChunkHoldsThePortForItsBytesAndItsMessage() {
        assertThat(port.book(0, 0, 512)).isEqualTo(515);
        assertThat(port.busyPs()).isEqualTo(515);
    }

    @Test
    void aLastPacketTakesAsLongAsAFullOne() {
        assertThat(port.book(0, 0, 257)).isEqualTo(515);
        assertThat(port.bytes()).isEqualTo(257);
    }

    @Test
    void secondChunkWaitsForTheFirst() {
        port.book(0, 0, 512);
        assertThat(port.book(50, 50, 512)).isEqualTo(1030);
        assertThat(port.startPs()).isEqualTo(515);
        assertThat(port.queueingPs()).isEqualTo(465);
    }

    @Test
    void cutsThroughWithoutOvertakingTheLastBit() {
        assertThat(port.book(0, 1_000, 512))
                .as("a slow upstream link ends later")
                .isEqualTo(1_000);
        assertThat(port.busyPs()).as("and does not make the port look busy").isEqualTo(515);
    }

    @Test
    void conservesBytesAndChunks() {
        port.book(0, 0, 7);
        port.book(0, 0, 5);
        assertThat(port.chunks()).isEqualTo(2);
        assertThat(port.bytes()).isEqualTo(12);
    }
}

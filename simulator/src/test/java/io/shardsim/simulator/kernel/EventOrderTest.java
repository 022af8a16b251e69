package io.shardsim.simulator.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EventOrderTest {
    @Test
    void givesBackWhatWasPacked() {
        long order = EventOrder.of(
                EventOrder.KERNEL,
                EventOrder.OPERATIONS_MAX - 1,
                EventOrder.CHANNELS_MAX - 1,
                EventOrder.RECEIVE_SLOTS_MAX - 1,
                EventOrder.NODE_SLOTS_MAX - 1,
                EventOrder.LOCAL_RANKS_MAX - 1);

        assertThat(order).isPositive();
        assertThat(EventOrder.eventClass(order)).isEqualTo(EventOrder.KERNEL);
        assertThat(EventOrder.operation(order)).isEqualTo(EventOrder.OPERATIONS_MAX - 1);
        assertThat(EventOrder.channel(order)).isEqualTo(EventOrder.CHANNELS_MAX - 1);
        assertThat(EventOrder.receiveSlot(order)).isEqualTo(EventOrder.RECEIVE_SLOTS_MAX - 1);
    }

    @Test
    void passingOnChangesTheSenderOnly() {
        long order = EventOrder.of(EventOrder.CHUNK, 5, 4, 3, 2, 1);

        assertThat(EventOrder.from(order, 9)).isEqualTo(EventOrder.of(EventOrder.CHUNK, 5, 4, 3, 9, 1));
        assertThat(EventOrder.shifted(order, 7)).isEqualTo(EventOrder.of(EventOrder.CHUNK, 12, 4, 3, 2, 1));
    }

    @Test
    void earlierOperationsComeFirst() {
        assertThat(EventOrder.of(EventOrder.CHUNK, 5, 100, 0, 0, 0))
                .isLessThan(EventOrder.of(EventOrder.CHUNK, 6, 0, 0, 0, 0));
    }
}

package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.TooLargeException;
import org.junit.jupiter.api.Test;

class LimitsTest {
    @Test
    void devicesThatTheHeapCannotHoldAreRefusedWithNumbers() {
        assertThatThrownBy(() -> Limits.requireHeap(1_000_000, 1L << 30))
                .isInstanceOf(TooLargeException.class)
                .hasMessage(
                        "1000000 devices need 2441 MiB > 1024 MiB of heap; write fewer nodes, or set SHARDSIM_JAVA_OPTS=-Xmx5g");
        assertThatCode(() -> Limits.requireHeap(1_000_000, 3L << 30)).doesNotThrowAnyException();
    }
}

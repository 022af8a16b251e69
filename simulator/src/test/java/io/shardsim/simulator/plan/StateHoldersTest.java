package io.shardsim.simulator.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StateHoldersTest {
    private static StateHolders of(int... ranks) {
        return StateHolders.of(
                BitSet.valueOf(new long[] {
                    IntStream.of(ranks).mapToLong(rank -> 1L << rank).sum()
                }),
                4);
    }

    @Test
    void equalSharesMakeWholeNodes() {
        assertThat(of(0, 1, 2, 3, 4, 5, 6, 7).nodes()).isEqualTo(2);
        assertThat(of(0, 4, 12).nodes()).isEqualTo(3);
        assertThat(of(0).nodes()).isEqualTo(1);
    }

    /** The node with two of three shards takes as long as one of one and a half full nodes. */
    @Test
    void theFullestNodeCounts() {
        assertThat(of(0, 1, 4)).isEqualTo(new StateHolders(3, 2));
        assertThat(of(0, 1, 4).nodes()).isEqualTo(1.5);
    }

    @Test
    void nobodyHoldsNoCopy() {
        assertThatThrownBy(() -> of()).hasMessage("0 ranks, at most 0 on a node, hold no copy");
    }
}

package io.shardsim.simulator.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class StreamTest {
    @Test
    void exchangesWithinLayersGoAheadOfKernels() {
        assertThat(Arrays.stream(Stream.values()).filter(Stream::goesAheadOfKernels))
                .containsExactly(Stream.TENSOR, Stream.CONTEXT, Stream.EXPERT, Stream.EXPERT_IN_NODE);
    }

    /** Transfers of keys and values overlap with attention, those of parameters and gradients with layers. */
    @Test
    void computeWaitsForTensorParallelGroupsExpertsAndPipelineNeighbours() {
        assertThat(Arrays.stream(Stream.values()).filter(Stream::holdsUpCompute).map(Stream::reportedAs))
                .containsOnly(Stream.TENSOR, Stream.EXPERT, Stream.PIPELINE_FORWARD, Stream.PIPELINE_BACKWARD)
                .hasSize(7);
    }
}

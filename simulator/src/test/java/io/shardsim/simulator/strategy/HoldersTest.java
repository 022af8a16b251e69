package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.StateHolders;
import io.shardsim.simulator.workload.ModelShape;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Placement of one copy of the model states on 64 ranks, eight per node. */
class HoldersTest {
    private static final ModelShape MODEL = ModelShape.gpt2(1024, 8, 16, 51200, 1024);

    @ParameterizedTest(name = "{0}, tensor {1}, context {2}, pipeline {3}, shard group {4}")
    @CsvSource({
        // kind, tensor, context, pipeline, shard group, ranks, most on a node
        // States split over all data-parallel ranks lie on all ranks, however the model is split.
        "megatron-core, 1, 1, 1, 0, 64, 8",
        "megatron-core, 8, 1, 1, 0, 64, 8",
        "megatron-core, 2, 1, 4, 0, 64, 8",
        "megatron-core, 2, 2, 2, 0, 64, 8",
        "zero3, 4, 1, 1, 0, 64, 8",
        // With replicas, including ranks that share a sample, one copy counts.
        "ddp, 1, 1, 1, 0, 1, 1",
        "megatron, 1, 8, 1, 0, 1, 1",
        "megatron, 8, 1, 1, 0, 8, 8",
        "megatron, 2, 4, 1, 0, 2, 2",
        // Stages of 16 ranks begin on every second node, stages of 8 on each node.
        "megatron, 2, 1, 4, 0, 8, 2",
        "megatron, 1, 1, 8, 0, 8, 1",
        "megatron, 2, 2, 8, 0, 16, 2",
        // One shard group of several: consecutive ranks, or ranks a stride of the tensor-parallel size apart.
        "mics, 1, 1, 1, 16, 16, 8",
        "mics, 1, 1, 1, 4, 4, 4",
        "mics, 8, 1, 1, 4, 32, 8",
        "mics, 2, 1, 1, 4, 8, 8",
        "fsdp-hybrid, 1, 1, 1, 0, 8, 8"
    })
    void oneCopyLiesWhereItsRanksAre(
            String kind, int tensor, int context, int pipeline, int shardGroup, int ranks, int most) {
        Map<String, Object> given = new HashMap<>();
        put(given, "tensor_parallel", tensor, 1);
        put(given, "context_parallel", context, 1);
        put(given, "pipeline_parallel", pipeline, 1);
        put(given, "shard_group", shardGroup, 0);
        ShardingStrategy strategy = Strategies.of(kind, given);
        TrainingJob job = JobBuilder.job(MODEL)
                .ranks(64)
                .parallel(strategy.modelParallel())
                .build();
        assertThat(strategy.holders(job)).isEqualTo(new StateHolders(ranks, most));
    }

    private static void put(Map<String, Object> given, String key, int value, int byDefault) {
        if (value != byDefault) {
            given.put(key, value);
        }
    }
}

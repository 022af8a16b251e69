package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps of a model with a multi-token prediction module. */
class MultiTokenPredictionPlanTest {
    private static final ModelShape MODEL = ModelShape.llama(1024, 4, 16, 2816, 32_000, 16);

    private static TrainingJob job(ModelShape model, String kind, Map<String, Object> given) {
        return JobBuilder.job(model)
                .samples(1024, 1, 2)
                .checkpointing(Checkpointing.FULL)
                .parallel(Strategies.of(kind, given).modelParallel())
                .build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ddp", "zero2", "zero3", "zeropp", "mics", "fsdp", "fsdp2", "megatron-core"})
    void everyKindTrainsTheModule(String kind) {
        ShardingStrategy strategy = Strategies.of(kind, Map.of());
        assertThat(strategy.plan(job(MODEL.withMtpLayers(1), kind, Map.of())).size())
                .isGreaterThan(strategy.plan(job(MODEL, kind, Map.of())).size());
    }

    /** With the module, the last of two stages holds the embedding too: all of its own and a copy. */
    @Test
    void theLastStageHoldsTheEmbeddingToo() {
        Map<String, Object> two = Map.of("pipeline_parallel", 2);
        ModelShape model = MODEL.withMtpLayers(1);
        MemoryLedger ledger =
                MemoryLedger.of(Strategies.of("megatron-core", two).plan(job(model, "megatron-core", two)));
        long ofStage = 2 * MODEL.layerParameters(0)
                + model.layerParameters(4)
                + model.outputParameters()
                + model.embeddingParameters();
        assertThat(ledger.atPeak().get(MemoryOwner.PARAMETERS)).isEqualTo(2 * ofStage);
    }
}

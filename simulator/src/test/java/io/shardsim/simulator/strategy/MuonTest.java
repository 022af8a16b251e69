package io.shardsim.simulator.strategy;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_TO_ALL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.workload.ModelShape;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Muon by arithmetic: matrices within layers have a momentum in FP32, everything else has AdamW's two moments. */
class MuonTest {
    private static final ModelShape MODEL = ModelShape.gpt2(1024, 24, 16, 50257, 1024);
    /** QKV and output of the attention, both of the feed-forward. */
    private static final double MATRICES = 24 * 12.0 * 1024 * 1024;

    private static final double PSI = MODEL.parameters();
    private static final TrainingJob JOB = job().build();

    private static JobBuilder job() {
        return JobBuilder.job(MODEL).ranks(64).samples(1024, 2, 1).optimizer("muon");
    }

    @Test
    void keepsOneMomentOfMatricesAndTwoOfTheRest() {
        assertThat((double) JOB.momentBytes(MODEL.parameters()))
                .isCloseTo(4 * MATRICES + 8 * (PSI - MATRICES), within(2.0));
    }

    /** Each of 64 ranks gets its matrices whole, and returns their updates, in two bytes per parameter. */
    @Test
    void shardedMatricesMoveThereAndBack() {
        StepPlan plan = Strategies.of("fsdp2", Map.of()).plan(JOB);
        assertThat(Strategies.bytes(plan, ALL_TO_ALL, "gather matrices") / (2 * PSI / 64))
                .isCloseTo(1, within(0.001));
        assertThat(Strategies.bytes(plan, ALL_TO_ALL, "return updates") / (2 * PSI / 64))
                .isCloseTo(1, within(0.001));
        assertThat(Strategies.moved(plan, "orthogonalize momentum") / (PSI / 64))
                .isCloseTo(1, within(0.001));
    }

    @Test
    void unshardedMatricesAreOrthogonalizedOnEveryRank() {
        StepPlan plan = Strategies.of("ddp", Map.of()).plan(JOB);
        assertThat(Strategies.count(plan, ALL_TO_ALL, "")).isZero();
        assertThat(Strategies.moved(plan, "orthogonalize momentum")).isEqualTo(MODEL.parameters());
    }

    @Test
    void refusesWhatCutsMatricesOtherwise() {
        assertThat(Strategies.of("zero3", Map.of()).problems(JOB))
                .anyMatch(refusal -> refusal.toString().contains("optimizer muon works on whole matrices"));
        assertThat(Strategies.of("fsdp2", Map.of()).problems(JOB)).isEmpty();
        TrainingJob split = job().parallel(
                        Strategies.of("fsdp2", Map.of("tensor_parallel", 2)).modelParallel())
                .build();
        assertThat(Strategies.of("fsdp2", Map.of("tensor_parallel", 2)).problems(split))
                .anyMatch(refusal -> refusal.toString().contains("optimizer muon works on whole matrices"));
    }
}

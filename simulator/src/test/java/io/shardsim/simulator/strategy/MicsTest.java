package io.shardsim.simulator.strategy;

import static io.shardsim.simulator.collective.CollectiveKind.ALL_GATHER;
import static io.shardsim.simulator.collective.CollectiveKind.ALL_REDUCE;
import static io.shardsim.simulator.collective.CollectiveKind.REDUCE_SCATTER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.workload.ModelShape;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MicsTest {
    private static final ModelShape MODEL = ModelShape.gpt2(7168, 48, 64, 50257, 2048);
    private static final TrainingJob JOB = Strategies.job(MODEL, 256, 2048, 3, 2);

    private static StepPlan plan(Map<String, ?> changes) {
        Map<String, Object> given = new HashMap<>(changes);
        given.putIfAbsent("shard_group", 128);
        return Strategies.of("mics", given).plan(JOB);
    }

    /** MiCS, section 3.4: one shard of 2 Psi / p bytes crosses between groups, once per step, for any accumulation. */
    @Test
    void shardsAreAllReducedAmongReplicasOnceInAStep() {
        StepPlan plan = plan(Map.of());
        double shard = 2.0 * MODEL.parameters() / 128;
        assertThat((double) Strategies.bytes(plan, ALL_REDUCE, "among replicas"))
                .isCloseTo(shard, within(shard / 1000));
        double model = 2.0 * MODEL.parameters();
        assertThat((double) Strategies.bytes(plan, REDUCE_SCATTER, "")).isCloseTo(2 * model, within(model / 1000));
    }

    @Test
    void withoutTheSecondHopGradientsCrossAllRanksEveryMicroBatch() {
        StepPlan plan = plan(Map.of("two_hop_gradient_sync", false));
        double model = 2.0 * MODEL.parameters();
        assertThat((double) Strategies.bytes(plan, ALL_REDUCE, "bucket")).isCloseTo(2 * model, within(model / 1000));
        assertThat(Strategies.count(plan, REDUCE_SCATTER, "")).isZero();
    }

    @Test
    void gathersStayInTheShardGroupAndAreHierarchicalWhenItSpansNodes() {
        assertThat(algorithms(plan(Map.of()))).isEqualTo("hierarchical 128");
        assertThat(algorithms(plan(Map.of("hierarchical_all_gather", false)))).isEqualTo("auto 128");
        assertThat(algorithms(plan(Map.of("shard_group", 8)))).isEqualTo("auto 8");
    }

    private static String algorithms(StepPlan plan) {
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective gather && gather.kind() == ALL_GATHER) {
                return gather.algorithm() + " " + gather.groups().size();
            }
        }
        return "none";
    }

    @Test
    void coalescedGathersAreFewerAndMoveTheSameBytes() {
        Map<String, Object> many = Map.of("param_persistence_threshold", 0, "max_live_parameters", 2_000_000_000);
        Map<String, Object> alone = new HashMap<>(many);
        alone.put("coalesced_gathers", false);
        StepPlan together = plan(many);
        StepPlan apart = plan(alone);
        assertThat(Strategies.bytes(apart, ALL_GATHER, "")).isEqualTo(Strategies.bytes(together, ALL_GATHER, ""));
        assertThat(Strategies.count(apart, ALL_GATHER, ""))
                .isGreaterThan(2 * Strategies.count(together, ALL_GATHER, ""));
    }

    @Test
    void statesAreDividedByTheShardGroupNotByTheWorld() {
        Map<MemoryOwner, Long> held = MemoryLedger.of(plan(Map.of())).atPeak();
        assertThat((double) held.get(MemoryOwner.OPTIMIZER_STATES))
                .isCloseTo(12.0 * MODEL.parameters() / 128, within(1e6));
    }

    @Test
    void defragmentedBuffersLoseLessMemory() {
        long with = MemoryLedger.of(plan(Map.of())).atPeak().get(MemoryOwner.FRAGMENTATION);
        long without = MemoryLedger.of(plan(Map.of("defragmented_buffers", false)))
                .atPeak()
                .get(MemoryOwner.FRAGMENTATION);
        assertThat(with).isLessThan(without);
    }

    /** The guide's rule: one more node per 3 billion parameters, rounded up to a power of two. */
    @Test
    void shardGroupFollowsTheRuleOfThumbWhenNotGiven() {
        ShardingStrategy strategy = Strategies.of("mics", Map.of());
        assertThat(strategy.shardGroups(JOB).size()).isEqualTo(16 * 8);
        ModelShape billion = ModelShape.gpt2(1536, 24, 16, 50257, 1024);
        assertThat(strategy.shardGroups(Strategies.job(billion, 256, 1024, 1, 1))
                        .size())
                .isEqualTo(8);
    }

    @Test
    void tellsWhichShardGroupsWouldDo() {
        assertThat(Strategies.of("mics", Map.of("shard_group", 48)).problems(JOB))
                .extracting(Refusal::sentence)
                .containsExactly("shard_group 48 does not divide world size 256; nearest divisors: 32, 64");
        assertThat(Strategies.of("mics", Map.of("shrad_group", 48)).problems(JOB))
                .extracting(Refusal::sentence)
                .containsExactly("unknown parameter shrad_group; did you mean shard_group?");
        assertThat(Strategies.of("mics", Map.of("shard_group", "many")).problems(JOB))
                .extracting(Refusal::sentence)
                .containsExactly("shard_group many has the wrong form; the default is 0 ranks");
    }
}

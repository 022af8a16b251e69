package io.shardsim.simulator.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.plan.Work.Kind;
import java.util.EnumSet;
import org.junit.jupiter.api.Test;

class MemoryLedgerTest {
    private static final Operation FORWARD =
            new Operation.Compute(Stream.COMPUTE, new Work(Kind.LAYER_FORWARD, 1), "forward layer");

    private static StepPlan plan() {
        StepPlan.Builder plan = StepPlan.builder().memory(MemoryOwner.PARAMETERS, 100);
        plan.memory(MemoryOwner.ACTIVATIONS, 30).memory(MemoryOwner.WORKING_SET, 20);
        plan.add(FORWARD);
        plan.memory(MemoryOwner.WORKING_SET, -20).memory(MemoryOwner.GATHERED_UNITS, 40);
        plan.add(FORWARD);
        plan.memory(MemoryOwner.GATHERED_UNITS, -40).memory(MemoryOwner.ACTIVATIONS, -30);
        return plan.build();
    }

    @Test
    void peakIsTheInstantAtWhichMostIsHeldTogether() {
        MemoryLedger ledger = MemoryLedger.of(plan());
        assertThat(ledger.peakBytes()).isEqualTo(170);
        assertThat(ledger.atPeak())
                .containsEntry(MemoryOwner.PARAMETERS, 100L)
                .containsEntry(MemoryOwner.ACTIVATIONS, 30L)
                .containsEntry(MemoryOwner.GATHERED_UNITS, 40L)
                .containsEntry(MemoryOwner.WORKING_SET, 0L);
        assertThat(ledger.usedBytes()).isEqualTo(170);
    }

    /** One stage reserves most, another uses most. */
    @Test
    void whatIsUsedIsThatOfTheStageThatUsesMost() {
        StepPlan.Builder plan = StepPlan.builder().stages(2);
        plan.stage(0).memory(MemoryOwner.ACTIVATIONS, 70).memoryThroughout(MemoryOwner.FRAGMENTATION, 30);
        plan.stage(1).memory(MemoryOwner.WORKING_SET, 80).memoryThroughout(MemoryOwner.FRAGMENTATION, 10);
        MemoryLedger ledger = MemoryLedger.of(plan.build());
        assertThat(ledger.peakBytes()).isEqualTo(100);
        assertThat(ledger.atPeak()).containsEntry(MemoryOwner.ACTIVATIONS, 70L);
        assertThat(ledger.usedBytes()).isEqualTo(80);
        assertThat(new GpuMemory(79, 0).fit(ledger).fits()).isFalse();
        assertThat(new GpuMemory(85, 5).fit(ledger).isTight()).isTrue();
        assertThat(new GpuMemory(105, 5).fit(ledger).isRoomy()).isTrue();
    }

    @Test
    void ownersCanBeFollowedTogether() {
        assertThat(MemoryLedger.peakBytes(
                        plan().memoryChanges(), EnumSet.of(MemoryOwner.ACTIVATIONS, MemoryOwner.WORKING_SET), 0))
                .isEqualTo(50);
    }

    @Test
    void freeingWhatIsNotHeldIsAnError() {
        StepPlan plan = StepPlan.builder().memory(MemoryOwner.BUCKETS, -1).build();
        assertThatThrownBy(() -> MemoryLedger.of(plan)).hasMessageContaining("BUCKETS frees 1 bytes");
    }
}

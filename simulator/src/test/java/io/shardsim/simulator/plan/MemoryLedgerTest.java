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
        assertThat(ledger.headroomBytes(180)).isEqualTo(10);
        assertThat(ledger.headroomBytes(160)).isEqualTo(-10);
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

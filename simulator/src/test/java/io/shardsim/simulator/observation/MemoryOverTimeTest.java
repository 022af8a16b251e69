package io.shardsim.simulator.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryOverTimeTest {
    private static final long MS = 1_000_000_000L;

    private final StepPlan.Builder plan = StepPlan.builder();
    private final List<OperationSpan> timeline = new ArrayList<>();

    private void run(Stream stream, long startMs, long endMs) {
        int operation = plan.add(new Operation.Compute(stream, new Work(Work.Kind.LAYER_FORWARD, 1), "layer"));
        timeline.add(new OperationSpan(operation, stream, "layer", startMs * MS, endMs * MS));
    }

    private MemoryOverTime over(long endMs) {
        return MemoryOverTime.of(plan.build(), timeline, endMs * MS, 5);
    }

    @Test
    void changesStandWhereTheNextComputeOperationBegins() {
        plan.memory(MemoryOwner.PARAMETERS, 100);
        run(Stream.GATHER, 0, 40);
        plan.memory(MemoryOwner.ACTIVATIONS, 30);
        run(Stream.COMPUTE, 40, 90);
        plan.memory(MemoryOwner.ACTIVATIONS, -30);
        run(Stream.COMPUTE, 90, 180);
        plan.memory(MemoryOwner.PARAMETERS, -100);
        MemoryOverTime memory = over(180);
        assertThat(memory.columnPs()).isEqualTo(MS);
        assertThat(memory.of(MemoryOwner.PARAMETERS, 0)).isEqualTo(100);
        assertThat(memory.of(MemoryOwner.ACTIVATIONS, 39)).isZero();
        assertThat(memory.of(MemoryOwner.ACTIVATIONS, 40)).isEqualTo(30);
        assertThat(memory.of(MemoryOwner.ACTIVATIONS, 91)).isZero();
        assertThat(memory.total(41)).as("what libraries hold is in it").isEqualTo(135);
        assertThat(memory.peakColumn()).isEqualTo(40);
    }

    @Test
    void peakOfAShortOperationIsNotLostBetweenColumns() {
        plan.memory(MemoryOwner.PARAMETERS, 100);
        for (int i = 0; i < 10_000; i++) {
            plan.memory(MemoryOwner.WORKING_SET, i == 7_777 ? 900 : 10);
            run(Stream.COMPUTE, i, i + 1);
            plan.memory(MemoryOwner.WORKING_SET, i == 7_777 ? -900 : -10);
        }
        MemoryOverTime memory = over(10_000);
        MemoryLedger ledger = MemoryLedger.of(plan.build());
        assertThat(memory.total(memory.peakColumn()) - 5)
                .isEqualTo(ledger.peakBytes())
                .isEqualTo(1000);
        assertThat(memory.bytes().get(MemoryOwner.WORKING_SET)).hasSize(memory.columns());
    }

    @Test
    void stagesOfAPipelineOtherThanTheFirstAreLeftOut() {
        plan.stages(2).stage(0).memory(MemoryOwner.PARAMETERS, 10);
        plan.stage(1).memory(MemoryOwner.PARAMETERS, 90);
        plan.stage(0);
        run(Stream.COMPUTE, 0, 10);
        assertThat(over(10).of(MemoryOwner.PARAMETERS, 179)).isEqualTo(10);
    }
}

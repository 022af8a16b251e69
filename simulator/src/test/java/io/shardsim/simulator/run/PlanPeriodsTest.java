package io.shardsim.simulator.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.device.RankPlan;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.util.List;
import org.junit.jupiter.api.Test;

class PlanPeriodsTest {
    /** Ten layers, each with a compute operation that waits for a host operation; layers of two lengths alternate. */
    private static PlanPeriods plan(int distinct) {
        StepPlan.Builder builder = StepPlan.builder();
        int first = builder.add(new Operation.Compute(Stream.COPY, new Work(Work.Kind.HOST_TIME, 5), "begin"));
        for (int layer = 0; layer < 10; layer++) {
            builder.mark(0);
            int host =
                    builder.add(new Operation.Compute(Stream.HOST, new Work(Work.Kind.HOST_TIME, 1), "issue"), first);
            builder.add(
                    new Operation.Compute(
                            Stream.COMPUTE, new Work(Work.Kind.LAYER_FORWARD, 10 + layer % distinct), "forward"),
                    host);
        }
        return new PlanPeriods(List.of(new RankPlan(builder.build(), Work::amount)));
    }

    @Test
    void aPlanOfEqualLayersRepeatsWithPeriodOne() {
        PlanPeriods plan = plan(1);
        // Mark 3 is before operation 7; the last layer is the tenth.
        assertThat(plan.repetitionsAhead(3, 1, 7, 7)).isEqualTo(6);
        assertThat(plan.repetitionsAhead(3, 1, 7, 9)).isEqualTo(5);
    }

    @Test
    void layersThatTakeTurnsRepeatWithPeriodTwo() {
        PlanPeriods plan = plan(2);
        assertThat(plan.repetitionsAhead(4, 1, 9, 9)).isNegative();
        assertThat(plan.repetitionsAhead(4, 2, 9, 9)).isEqualTo(5);
    }

    @Test
    void aWaitThatAnEarlierOperationSettledDoesNotHideThePeriod() {
        assertThat(plan(1).repetitionsAhead(5, 1, 11, 11)).isEqualTo(4);
    }
}

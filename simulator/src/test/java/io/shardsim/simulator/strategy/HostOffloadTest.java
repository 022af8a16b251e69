package io.shardsim.simulator.strategy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.workload.ModelShape;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** States and traffic of CPU offload, by DeepSpeed's own estimates. Psi is the number of parameters, N the number of ranks. */
class HostOffloadTest {
    private static final ModelShape MODEL = ModelShape.gpt2(2048, 24, 16, 50257, 1024);
    private static final double PSI = MODEL.parameters();
    private static final int RANKS = 64;
    private static final int MICRO_BATCHES = 3;
    private static final TrainingJob JOB = Strategies.job(MODEL, RANKS, 1024, 2, MICRO_BATCHES);

    private static StepPlan plan(String kind, boolean optimizer, boolean parameters) {
        Map<String, Object> given = new HashMap<>(Map.of("offload_optimizer", optimizer));
        if (kind.equals("zero3")) {
            given.put("offload_parameters", parameters);
            given.put("param_persistence_threshold", 0);
        }
        return Strategies.of(kind, given).plan(JOB);
    }

    private static double copied(StepPlan plan, Work.Kind direction, String label) {
        double bytes = 0;
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Compute compute
                    && compute.work().kind() == direction
                    && compute.label().contains(label)) {
                bytes += compute.work().amount();
            }
        }
        return bytes;
    }

    /** estimate_zero2_model_states_mem_needs: 2 Psi; estimate_zero3_...: 2 Psi / N, and nothing with parameters offloaded. */
    @ParameterizedTest
    @CsvSource({"zero1, false, 4, 0", "zero2, false, 2, 0", "zero3, false, 0, 2", "zero3, true, 0, 0"})
    void modelStatesLeftOnTheGpu(String kind, boolean parameters, double replicated, double sharded) {
        Map<MemoryOwner, Long> held =
                MemoryLedger.of(plan(kind, true, parameters)).atPeak();
        double states = held.getOrDefault(MemoryOwner.PARAMETERS, 0L)
                + held.getOrDefault(MemoryOwner.GRADIENTS, 0L)
                + held.getOrDefault(MemoryOwner.OPTIMIZER_STATES, 0L);
        assertThat(states).isCloseTo(replicated * PSI + sharded * PSI / RANKS, within(0.001 * PSI / RANKS));
    }

    /**
     * In both directions 2 Psi / N bytes per micro-batch if gradients are reduced each time; once per step 4 Psi / N to the host and 2 Psi / N back.
     */
    @ParameterizedTest
    @CsvSource({"zero1, 0", "zero2, 1", "zero3, 1"})
    void trafficOverPcieOfOneRank(String kind, int everyMicroBatch) {
        StepPlan plan = plan(kind, true, false);
        double shard = PSI / RANKS;
        double accumulated = 2.0 * MICRO_BATCHES * everyMicroBatch;
        assertThat(copied(plan, Work.Kind.HOST_STORE, "") / shard).isCloseTo(accumulated + 4, within(0.01));
        assertThat(copied(plan, Work.Kind.HOST_LOAD, "") / shard).isCloseTo(accumulated + 2, within(0.01));
    }

    /** Each gather of a tensor starts with loading each rank's own shard: 1 / N of the gathered bytes. */
    @Test
    void offloadedParametersAreLoadedBeforeTheyAreGathered() {
        StepPlan plan = plan("zero3", true, true);
        double gathered = Strategies.bytes(plan, CollectiveKind.ALL_GATHER, "parameters");
        assertThat(copied(plan, Work.Kind.HOST_LOAD, "load parameters")).isCloseTo(gathered / RANKS, within(1.0));
    }

    @Test
    void theHostUpdatesTheShardsOfAllGpusOfItsNode() {
        StepPlan plan = plan("zero3", true, false);
        long hostPs = 0;
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i).label().equals("optimizer step on the host")) {
                hostPs += ((Operation.Compute) plan.operation(i)).work().amount();
            }
        }
        assertThat(hostPs / 1e12).isCloseTo(PSI / RANKS * 8 * 550e-12, within(1e-4));
    }

    @Test
    void withoutOffloadNothingGoesToTheHost() {
        for (String kind : new String[] {"zero1", "zero2", "zero3"}) {
            StepPlan plan = plan(kind, false, false);
            assertThat(copied(plan, Work.Kind.HOST_STORE, "") + copied(plan, Work.Kind.HOST_LOAD, ""))
                    .isZero();
        }
    }
}

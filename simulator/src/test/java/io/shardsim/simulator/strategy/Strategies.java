package io.shardsim.simulator.strategy;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.workload.ModelShape;
import java.util.Map;

/** Strategies as declared by their descriptors, and jobs to plan. */
final class Strategies {
    private Strategies() {}

    static ShardingStrategy of(String kind, Map<String, ?> given) {
        return StrategyCatalog.load().create(kind, given);
    }

    static TrainingJob job(ModelShape model, int worldSize, int sequenceLength, int microBatch, int accumulationSteps) {
        return JobBuilder.job(model)
                .ranks(worldSize)
                .samples(sequenceLength, microBatch, accumulationSteps)
                .build();
    }

    /** Returns the bytes of all collectives of a kind on a stream; 0 if there are none. */
    static long bytes(StepPlan plan, CollectiveKind kind, String label) {
        long bytes = 0;
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective collective
                    && collective.kind() == kind
                    && collective.label().contains(label)) {
                bytes += collective.totalBytes();
            }
        }
        return bytes;
    }

    /** Returns the bytes that copies with a label read and write; 0 if there are none. */
    static long moved(StepPlan plan, String label) {
        long bytes = 0;
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Compute copy
                    && copy.label().contains(label)) {
                bytes += copy.work().amount();
            }
        }
        return bytes;
    }

    static long count(StepPlan plan, CollectiveKind kind, String label) {
        long count = 0;
        for (int i = 0; i < plan.size(); i++) {
            if (plan.operation(i) instanceof Operation.Collective collective
                    && collective.kind() == kind
                    && collective.label().contains(label)) {
                count++;
            }
        }
        return count;
    }
}

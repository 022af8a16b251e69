package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.StepWriter;

/** Step with one flat parameter per unit; all parameters are views of it. */
final class FlatParameterStep extends FsdpStep {
    FlatParameterStep(TrainingJob job, StepWriter writer, StrategyParameters settings, Sharding all) {
        super(job, writer, settings, all);
    }

    /** Joins a layer's gradients on the all-gather stream: separate and flat copies coexist while autograd concatenates them. */
    @Override
    int joinLayer(long elements, int computed) {
        writer.allocate(MemoryOwner.BUCKETS, readyBytes * elements);
        int joined = writer.copy(Stream.GATHER, 2 * readyBytes * elements, "flatten gradients", computed);
        writer.free(MemoryOwner.BUCKETS, passingBytes * elements);
        return joined;
    }

    @Override
    void joinRoot() {
        writer.allocate(MemoryOwner.BUCKETS, (readyBytes - passingBytes) * root.elements());
    }

    @Override
    int prepare(long elements, int computed) {
        return divide(elements, cast(elements, computed));
    }

    private int cast(long elements, int computed) {
        if (reduceBytes == readyBytes) {
            return computed;
        }
        writer.allocate(MemoryOwner.BUCKETS, reduceBytes * elements);
        int done = writer.copy(Stream.REDUCE, (readyBytes + reduceBytes) * elements, "cast gradients", computed);
        writer.free(MemoryOwner.BUCKETS, readyBytes * elements);
        return done;
    }

    /** Divides by a factor of the rank count, which prevents 16-bit overflow. */
    private int divide(long elements, int computed) {
        return job.dataParallel() > 1
                ? writer.copy(Stream.REDUCE, 2 * reduceBytes * elements, "divide gradients", computed)
                : computed;
    }
}

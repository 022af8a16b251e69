package io.shardsim.scenarios.evaluation;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.BeyondMemoryException;
import io.shardsim.simulator.run.LayersBound;
import io.shardsim.simulator.run.StepBound;
import io.shardsim.simulator.strategy.ShardingStrategy;
import java.util.Set;

/**
 * What is known of a training point before it runs.
 *
 * @param fits exact: by the memory of the plan which would run
 * @param leastStepSeconds a time that its step cannot beat; 0 where it does not fit [s]
 * @param tight whether it fits only without fragmentation
 */
public record PointBounds(boolean fits, double leastStepSeconds, boolean tight) {
    /** Of what does not fit. */
    public static final PointBounds TOO_LARGE = new PointBounds(false, 0, false);

    /** @param point of a training with its micro-batch written */
    public static PointBounds of(ScenarioPoint point) {
        try {
            TrainingPoint training = TrainingPoint.within(point);
            return training.fits()
                    ? new PointBounds(true, StepBound.ps(training.setup(Set.of())) * 1e-12, training.isTight())
                    : TOO_LARGE;
        } catch (BeyondMemoryException early) {
            return TOO_LARGE;
        }
    }

    /** A time that the step cannot beat, of the kernels of layers alone and without planning ({@link LayersBound}) [s]. */
    public static double leastComputeSeconds(ScenarioPoint point) {
        Task.Training task = (Task.Training) point.task();
        ShardingStrategy strategy = task.strategy().create();
        TrainingJob job = task.job(point.cluster(), strategy);
        return LayersBound.ps(job, point.cluster(), strategy.offloadedBytes(job)) * 1e-12;
    }

    /** Samples of one data-parallel rank in a training step, which its micro-batches divide. */
    public static int samplesOfReplica(ScenarioPoint point) {
        Task.Training task = (Task.Training) point.task();
        int ofSample = task.strategy().create().modelParallel().ranksOfSample();
        return Math.toIntExact(task.globalBatch() / (point.cluster().worldSize() / ofSample));
    }
}

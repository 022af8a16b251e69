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
 * A training point's prospects before it runs.
 *
 * @param fits exact: from the memory of the plan that would run
 * @param leastStepSeconds lower bound of the step time; 0 if it does not fit [s]
 * @param tight whether it fits only without fragmentation
 */
public record PointBounds(boolean fits, double leastStepSeconds, boolean tight) {
    /** A point that does not fit. */
    public static final PointBounds TOO_LARGE = new PointBounds(false, 0, false);

    /** @param point a training point with its micro-batch set */
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

    /** Returns a lower bound of the step time, from layer kernels alone and without planning ({@link LayersBound}) [s]. */
    public static double leastComputeSeconds(ScenarioPoint point) {
        Task.Training task = (Task.Training) point.task();
        ShardingStrategy strategy = task.strategy().create();
        TrainingJob job = task.job(point.cluster(), strategy);
        return LayersBound.ps(job, point.cluster(), strategy.offloadedBytes(job)) * 1e-12;
    }

    /** Returns samples per data-parallel rank and step, a multiple of its micro-batch. */
    public static int samplesOfReplica(ScenarioPoint point) {
        Task.Training task = (Task.Training) point.task();
        int ofSample = task.strategy().create().modelParallel().ranksOfSample();
        return Math.toIntExact(task.globalBatch() / (point.cluster().worldSize() / ofSample));
    }
}

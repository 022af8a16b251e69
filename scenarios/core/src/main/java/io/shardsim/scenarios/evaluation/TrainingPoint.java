package io.shardsim.scenarios.evaluation;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.BeyondMemoryException;
import io.shardsim.simulator.plan.GpuMemory;
import io.shardsim.simulator.run.Shortcut;
import io.shardsim.simulator.run.SimulationSetup;
import io.shardsim.simulator.run.StepBound;
import io.shardsim.simulator.run.TransformerWorkTimes;
import io.shardsim.simulator.strategy.LargestMicroBatch;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.topology.Cluster;
import java.util.Set;

/**
 * A training point with its micro-batch, set or chosen, before it runs.
 *
 * @param found the job with its micro-batch, its plan, and how it fits
 */
record TrainingPoint(
        ScenarioPoint point,
        Task.Training task,
        ShardingStrategy strategy,
        GpuMemory memory,
        LargestMicroBatch.Found found) {

    static TrainingPoint of(ScenarioPoint point) {
        return of(point, Long.MAX_VALUE);
    }

    /**
     * Returns the training of a point, stopping its plan as soon as it exceeds memory.
     *
     * @param point a point with its micro-batch set
     * @throws BeyondMemoryException if it does not fit, unless that is known only at the end of the plan
     */
    static TrainingPoint within(ScenarioPoint point) {
        return of(point, memory(point).usableBytes());
    }

    private static TrainingPoint of(ScenarioPoint point, long limitBytes) {
        Task.Training task = (Task.Training) point.task();
        ShardingStrategy strategy = task.strategy().create();
        GpuMemory memory = memory(point);
        TrainingJob job = task.job(point.cluster(), strategy).within(limitBytes);
        if (task.microBatch() != null) {
            return new TrainingPoint(point, task, strategy, memory, LargestMicroBatch.given(strategy, job, memory));
        }
        TrainingPoint largest =
                new TrainingPoint(point, task, strategy, memory, LargestMicroBatch.of(strategy, job, memory));
        return job.parallel().stages() > 1 && largest.fits() ? largest.quicker() : largest;
    }

    /**
     * Returns this point with a micro-batch that shrinks the pipeline bubble: below the largest that fits, the next smaller one as long as it
     * promises a shorter step.
     */
    private TrainingPoint quicker() {
        TrainingPoint best = this;
        long bestPs = StepBound.ps(setup(Set.of()));
        int samples = job().microBatch() * job().accumulationSteps();
        for (int microBatch = job().microBatch() - 1; microBatch > 0; microBatch--) {
            if (samples % microBatch != 0) {
                continue;
            }
            TrainingJob smaller = job().withMicroBatch(microBatch, samples / microBatch);
            if (!strategy.problems(smaller).isEmpty()) {
                continue;
            }
            TrainingPoint tried;
            long leastPs;
            try {
                tried = new TrainingPoint(
                        point, task, strategy, memory, LargestMicroBatch.given(strategy, smaller, memory));
                leastPs = StepBound.ps(tried.setup(Set.of()));
            } catch (TooLargeException beyond) {
                // Keep the larger one, which can be simulated.
                break;
            }
            if (leastPs >= bestPs) {
                break;
            }
            best = tried;
            bestPs = leastPs;
        }
        return best;
    }

    /** Returns the memory of a GPU, with the communication library's buffers. */
    static GpuMemory memory(ScenarioPoint point) {
        Cluster cluster = point.cluster();
        return new GpuMemory(
                cluster.instance().gpu().memoryBytes(),
                point.collectives().transports().bufferBytes(cluster),
                cluster.instance().hostMemoryBytes());
    }

    /** Returns the setup of the simulation for the whole step. */
    SimulationSetup setup(Set<Shortcut> shortcuts) {
        return new SimulationSetup(
                cluster(),
                found.plan().get(),
                new TransformerWorkTimes(job(), cluster()),
                point.collectives().transports(),
                cluster().faults().durationPerMille(cluster().worldSize()),
                shortcuts);
    }

    Cluster cluster() {
        return point.cluster();
    }

    TrainingJob job() {
        return found.job();
    }

    boolean fits() {
        return found.fits();
    }

    boolean isTight() {
        return found.fit().isTight();
    }
}

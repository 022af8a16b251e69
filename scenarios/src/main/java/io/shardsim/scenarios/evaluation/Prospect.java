package io.shardsim.scenarios.evaluation;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.BeyondMemoryException;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.run.StepBound;
import io.shardsim.simulator.run.TransformerWorkTimes;
import io.shardsim.simulator.workload.Segment.Section;
import io.shardsim.simulator.workload.Segments;
import java.util.Set;

/**
 * What is known of a training point before it runs.
 *
 * @param fits exact: by the memory of the plan which would run
 * @param leastStepSeconds a time that its step cannot beat; 0 where it does not fit [s]
 */
public record Prospect(boolean fits, double leastStepSeconds) {
    private static final Prospect TOO_LARGE = new Prospect(false, 0);

    /** @param point of a training with its micro-batch written */
    public static Prospect of(ScenarioPoint point) {
        try {
            TrainingPoint training = TrainingPoint.within(point);
            return training.fits() ? new Prospect(true, StepBound.ps(training.setup(Set.of())) * 1e-12) : TOO_LARGE;
        } catch (BeyondMemoryException early) {
            return TOO_LARGE;
        }
    }

    /**
     * A time that the step cannot beat, of kernels alone and without planning: one stage of a pipeline has at least its share of the layers, and computes them one
     * after another for every micro-batch [s].
     */
    public static double leastComputeSeconds(ScenarioPoint point) {
        Task.Training task = (Task.Training) point.task();
        TrainingJob job = task.job(point.cluster(), task.strategy().create());
        if (job.parallel().context() > 1) {
            return 0;
        }
        TransformerWorkTimes times = new TransformerWorkTimes(job, point.cluster());
        Segments segments = new Segments(job.model().operators());
        long layerPs = times.ps(Work.of(segments.forward(Section.LAYER)))
                + times.ps(Work.of(segments.backward(Section.LAYER)));
        int stages = job.parallel().stages();
        int layers = (job.model().layers() + stages - 1) / stages;
        return layers * (double) layerPs * job.accumulationSteps() * 1e-12;
    }

    /** Samples of one data-parallel rank in a training step, which its micro-batches divide. */
    public static int samplesOfReplica(ScenarioPoint point) {
        Task.Training task = (Task.Training) point.task();
        int ofSample = task.strategy().create().modelParallel().ranksOfSample();
        return Math.toIntExact(task.globalBatch() / (point.cluster().worldSize() / ofSample));
    }
}

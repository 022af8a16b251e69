package io.shardsim.simulator.run;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.compute.LayerKernels;
import io.shardsim.simulator.compute.LayerKernels.Logits;
import io.shardsim.simulator.compute.TransformerTimes;
import io.shardsim.simulator.compute.TransformerTimes.Phase;
import io.shardsim.simulator.job.ModelParallel.Choice;
import io.shardsim.simulator.job.ModelParallel.Dispatcher;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.simulator.workload.Segment.Section.Place;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Faults;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import java.util.Objects;

/** Times of a plan's work on one GPU type, from the compute model. */
public final class TransformerWorkTimes implements WorkTimes {
    private final TransformerTimes times;
    private final InstanceSpec instance;
    private final Faults faults;
    private final GpuCalibration calibration;
    private final boolean clips;
    private final List<String> remarks;

    /** Creates times without faults. */
    public TransformerWorkTimes(TrainingJob job, InstanceSpec instance) {
        this(job, instance, Faults.NONE);
    }

    /** Creates times in a cluster: with its hosts, and GPUs at full speed. */
    public TransformerWorkTimes(TrainingJob job, Cluster cluster) {
        this(job, cluster.instance(), cluster.faults());
    }

    private TransformerWorkTimes(TrainingJob job, InstanceSpec instance, Faults faults) {
        this.instance = instance;
        this.faults = faults;
        clips = job.gradientClipping() > 0;
        LayerKernels.Workload workload = new LayerKernels.Workload(
                job.sequenceLength(),
                job.microBatch(),
                job.execution().attention(),
                new LayerKernels.Split(
                        job.parallel().tensor(),
                        job.parallel().context(),
                        job.parallel().dispatcher() == Dispatcher.ALLTOALL,
                        job.parallel().experts(),
                        job.parallel().expertTensor(),
                        job.parallel().sequence(),
                        job.parallel().is(Choice.GATHERS_LOGITS) ? Logits.WHOLE : Logits.SPLIT,
                        job.parallel().is(Choice.SUMS_IN_FP32)));
        FrameworkProfile profile = job.profile();
        calibration = GpuCalibration.of(instance.gpu());
        times = TransformerTimes.of(
                job.model(),
                instance.gpu(),
                calibration.slowestOf(job.worldSize()),
                instance.gpu().smCount(),
                workload,
                profile);
        remarks = new LayerKernels(job.model(), workload, profile).remarks(calibration);
    }

    /** Returns caveats about these times; empty inside the range of the GPU's calibration. */
    public List<String> remarks() {
        return remarks;
    }

    @Override
    public long ps(Work work) {
        long amount = work.amount();
        return switch (work.kind()) {
            case GRADIENT_NORM ->
                here(times.gradientNorm(amount)).ps()
                        + (clips ? here(times.gradientClip(amount)).ps() : 0);
            case OPTIMIZER_STEP -> here(times.optimizerStep(amount)).ps();
            case ORTHOGONALIZATION -> here(times.orthogonalization(amount)).ps();
            case MEMORY_COPY -> here(times.memoryMove(amount)).ps();
            case HOST_STORE, HOST_LOAD -> instance.pcie().linkRate().serializationPs(amount);
            case HOST_TIME -> faults.hostPs(amount);
            default -> amount * phase(work).ps();
        };
    }

    @Override
    public int memoryPerMille(Work work) {
        return switch (work.kind()) {
            case EMBEDDING_FORWARD, EMBEDDING_BACKWARD, GRADIENT_NORM, OPTIMIZER_STEP, MEMORY_COPY -> 1000;
            case ORTHOGONALIZATION, HOST_STORE, HOST_LOAD, HOST_TIME -> 0;
            default -> phase(work).memoryPerMille();
        };
    }

    @Override
    public int productsPerMille(Work work) {
        if (work.segment() == null) {
            return work.kind() == Work.Kind.ORTHOGONALIZATION ? 1000 : 0;
        }
        return phase(work).productsPerMille();
    }

    @Override
    public long waitPs(Work work, int ranks) {
        boolean waits = work.segment() != null && work.segment().section().place() != Place.EMBEDDING;
        return waits ? phase(work).waitPs(ranks) : 0;
    }

    private Phase phase(Work work) {
        return here(times.of(Objects.requireNonNull(work.segment(), () -> work + " names no segment of the model")));
    }

    /** Returns a phase with the issue time of this cluster's hosts. */
    private Phase here(Phase phase) {
        return new Phase(phase.gpuPs(), phase.memoryPs(), faults.hostPs(phase.hostPs()), phase.kernelsPs());
    }

    @Override
    public double memoryRatio() {
        return calibration.memoryBound().hbmRatio();
    }

    @Override
    public Bandwidth cacheRate() {
        return calibration.cacheRate(instance.gpu().smCount());
    }
}

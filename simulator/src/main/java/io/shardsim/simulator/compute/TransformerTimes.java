package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Segment;
import io.shardsim.topology.GpuSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Times of the phases of a training step on one rank: a layer, the embedding, the output, the optimizer.
 *
 * <p>A phase takes as long as the GPU computes or the host issues its kernels, whichever is longer: the host runs ahead of a busy GPU, and an
 * underused GPU waits for the host.
 *
 * <p>A kernel launched meanwhile on another stream waits for the running one: the GPU first schedules all thread blocks of the earlier kernel [1],
 * and nearly all kernels of a step have more than fit.
 *
 * <p>Leaves out collectives, the data loader and the one-time costs of a first step.
 *
 * <p>[1] Amert et al., GPU Scheduling on the NVIDIA TX2: Hidden Details Revealed, RTSS 2017, section III: blocks of a kernel are assigned after those
 * of the kernels before it in the queue. An FSDP profile on A100 shows the same: a reduce-scatter begins as the running GEMM ends, and casts and
 * GEMMs of two streams are serialized (github.com/yandex/YaFSDP, assets at 669fc36). So does github.com/NVIDIA/nccl issue 1431.
 */
public final class TransformerTimes {
    private final RooflineKernelTime model;
    private final LayerKernels kernels;
    private final FrameworkProfile profile;
    private final long hostExpertKernelPs;

    private TransformerTimes(RooflineKernelTime model, LayerKernels kernels, long hostExpertKernelPs) {
        this.model = model;
        this.kernels = kernels;
        this.profile = kernels.profile();
        this.hostExpertKernelPs = hostExpertKernelPs;
    }

    /** Returns times on all SMs of a GPU, with its own calibration. */
    public static TransformerTimes of(
            ModelShape shape, GpuSpec gpu, LayerKernels.Workload workload, FrameworkProfile profile) {
        return of(shape, gpu, GpuCalibration.of(gpu), gpu.smCount(), workload, profile);
    }

    /** Returns times on some of the SMs of a GPU, with a given calibration. */
    public static TransformerTimes of(
            ModelShape shape,
            GpuSpec gpu,
            GpuCalibration calibration,
            int availableSms,
            LayerKernels.Workload workload,
            FrameworkProfile profile) {
        GpuCalibration shipped = calibration.under(profile, gpu.architecture());
        return new TransformerTimes(
                RooflineKernelTime.shared(gpu, shipped, availableSms, profile.elementBytes()),
                new LayerKernels(shape, workload, profile),
                shipped.hostExpertKernelPs(profile, gpu.architecture()));
    }

    /**
     * Duration of a phase.
     *
     * @param gpuPs sum of its kernels on the GPU [ps]
     * @param memoryPs part of it in memory-bound kernels, while they wait for memory [ps]
     * @param hostPs time for the host to issue them [ps]
     * @param kernelsPs time of each of its kernels on the GPU, in order [ps]
     */
    public record Phase(long gpuPs, long memoryPs, long hostPs, List<Long> kernelsPs) {
        /** Returns the longer of GPU and host time [ps]. */
        public long ps() {
            return Math.max(gpuPs, hostPs);
        }

        /** Returns the share of the phase spent waiting for memory, in thousandths. */
        public int memoryPerMille() {
            return ps() == 0 ? 0 : (int) (1000 * memoryPs / ps());
        }

        /** Returns the share of the phase spent in GEMMs and attention, in thousandths. */
        public int productsPerMille() {
            return ps() == 0 ? 0 : (int) (1000 * (gpuPs - memoryPs) / ps());
        }

        /**
         * Returns the mean wait until a kernel launched on another stream during the phase has started on all of some ranks, each at an independent
         * random instant of the phase [ps]. A rank waits at most t with probability F(t) = (idle time + the sum of min(kernel, t)) / phase, all of n
         * ranks with F(t)^n, and the mean is the integral of 1 - F(t)^n.
         *
         * @param ranks ranks that start together, as for a collective
         */
        public long waitPs(int ranks) {
            long[] sorted =
                    kernelsPs.stream().mapToLong(Long::longValue).sorted().toArray();
            double phasePs = ps();
            double waitPs = 0;
            double shorter = 0;
            double certain = (phasePs - gpuPs) / phasePs;
            for (int i = 0; i < sorted.length; i++) {
                double pace = (sorted.length - i) / phasePs;
                double reached = certain + pace * (sorted[i] - shorter);
                waitPs += sorted[i] - shorter;
                waitPs -= (StrictMath.pow(reached, ranks + 1) - StrictMath.pow(certain, ranks + 1))
                        / (pace * (ranks + 1));
                shorter = sorted[i];
                certain = reached;
            }
            return (long) waitPs;
        }
    }

    /** Returns the phase of a segment of the model. */
    public Phase of(Segment segment) {
        boolean backward = segment.direction().isBackward();
        List<Kernel> all = kernels.of(segment);
        return phase(all, kernels.issued(segment, all) * profile.hostKernelPs(backward));
    }

    /** Returns the local part of the gradient norm. */
    public Phase gradientNorm(long parameters) {
        return forward(profile.kernels(Operator.GRADIENT_NORM, parameters));
    }

    /** Returns the scaling of gradients by the clip factor. */
    public Phase gradientClip(long parameters) {
        return forward(profile.kernels(Operator.GRADIENT_CLIP, parameters));
    }

    /** Returns the optimizer update of local parameters. */
    public Phase optimizerStep(long parameters) {
        return forward(profile.kernels(Operator.OPTIMIZER, parameters));
    }

    /** Returns the share of these parameters in the Newton-Schulz iterations of all matrices. */
    public Phase orthogonalization(long parameters) {
        NewtonSchulz all = new NewtonSchulz(kernels.shape(), profile.newtonSchulz());
        double share = parameters / (double) kernels.shape().trainedParameters();
        long gpuPs = Math.round(share * all.sum(model::kernelPs));
        long hostPs = Math.round(share * all.launches() * profile.hostKernelPs(false));
        return new Phase(gpuPs, 0, hostPs, List.of(gpuPs));
    }

    /** Returns the time to move bytes within GPU memory (read plus written): casts, copies into buckets and flat buffers. */
    public Phase memoryMove(long bytes) {
        return forward(List.of(new Kernel.MemoryBound("move", bytes)));
    }

    private Phase forward(List<Kernel> list) {
        return phase(list, list.size() * profile.hostKernelPs(false));
    }

    private Phase phase(List<Kernel> list, long firstsPs) {
        long gpuPs = 0;
        long memoryPs = 0;
        long hostPs = firstsPs;
        List<Long> kernelsPs = new ArrayList<>();
        for (Kernel kernel : list) {
            long ps = model.kernelPs(kernel);
            gpuPs = Math.addExact(gpuPs, ps);
            kernelsPs.add(ps);
            memoryPs += kernel instanceof Kernel.MemoryBound ? ps : 0;
            hostPs += (kernel.launches() - 1) * hostExpertKernelPs;
        }
        return new Phase(gpuPs, memoryPs, hostPs, List.copyOf(kernelsPs));
    }
}

package io.shardsim.scenarios.accuracy;

import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.GpuSpec;

/**
 * Features that decide how much one run says about another.
 *
 * @param work {@code training}, with the kind of model if that matters, or the collective
 * @param architecture the GPU's architecture
 * @param gpu type of the GPU
 * @param strategy the strategy's kind; empty for a bare collective
 * @param nodes number of nodes
 * @param gpus number of GPUs
 * @param size hidden size, or bytes of the collective's buffer
 * @param sequenceLength sequence length; 1 for a bare collective
 */
record Likeness(
        String work,
        String architecture,
        String gpu,
        String strategy,
        int nodes,
        int gpus,
        long size,
        int sequenceLength) {
    /** Distance of another architecture, with other kernels and another network: beyond what counts as similar. */
    private static final double OTHER_ARCHITECTURE = 8;

    private static final String TRAINING = "training";
    /** Encoders: other attention, another head, other frameworks. */
    private static final String OF_ENCODERS = TRAINING + " of an encoder";
    /** Convolutional networks: other kernels. */
    private static final String OF_CONVOLUTIONS = TRAINING + " of convolutions";
    /** Mixture of experts: its kernels differ, so dense runs say nothing about it. */
    private static final String OF_EXPERTS = "training of experts";

    /** Adapters: memory and kernels differ. */
    private static final String OF_ADAPTERS = "training of adapters";

    private static final double OTHER_GPU = 0.5;
    private static final double OTHER_FRAMEWORK = 2;
    private static final double OTHER_STRATEGY = 0.5;
    /** Distance between a single node, which uses no network, and several. */
    private static final double ONE_NODE_OR_SEVERAL = 1.5;
    /** Distance of each doubling of the GPUs. */
    private static final double TWICE_THE_GPUS = 0.25;

    private static final double TWICE_THE_SIZE = 0.5;

    static Likeness of(ScenarioPoint point) {
        Cluster cluster = point.cluster();
        GpuSpec gpu = cluster.instance().gpu();
        if (point.task() instanceof Task.Training training) {
            return new Likeness(
                    work(training.model()),
                    gpu.architecture(),
                    gpu.name(),
                    training.strategy().kind(),
                    cluster.nodes(),
                    cluster.worldSize(),
                    training.model().hidden(),
                    training.sequenceLength());
        }
        Task.Collective bare = (Task.Collective) point.task();
        return new Likeness(
                bare.kind().id(),
                gpu.architecture(),
                gpu.name(),
                "",
                cluster.nodes(),
                cluster.worldSize(),
                bare.totalBytes(),
                1);
    }

    /** Returns the parameter count of a point's model; 0 for a bare collective. */
    static long parametersOf(ScenarioPoint point) {
        return point.task() instanceof Task.Training training ? training.model().parameters() : 0;
    }

    boolean isTraining() {
        return work.startsWith(TRAINING);
    }

    private static String work(ModelShape model) {
        if (!model.adapters().isNone()) {
            return OF_ADAPTERS;
        }
        if (model.image().isConvolved()) {
            return OF_CONVOLUTIONS;
        }
        if (model.hasEncoder()) {
            return OF_ENCODERS;
        }
        return model.mixture().isPresent() ? OF_EXPERTS : TRAINING;
    }

    boolean sameWork(Likeness other) {
        return work.equals(other.work);
    }

    /** Returns the distance to another run; 0 for equal runs [1]. */
    double distance(Likeness other) {
        double distance = architecture.equals(other.architecture) ? 0 : OTHER_ARCHITECTURE;
        distance += gpu.equals(other.gpu) ? 0 : OTHER_GPU;
        distance += strategy.equals(other.strategy)
                ? 0
                : framework().equals(other.framework()) ? OTHER_STRATEGY : OTHER_FRAMEWORK;
        distance += (nodes == 1) == (other.nodes == 1) ? 0 : ONE_NODE_OR_SEVERAL;
        distance += TWICE_THE_GPUS * doublings(gpus, other.gpus);
        distance += TWICE_THE_SIZE * doublings(size, other.size);
        return distance + TWICE_THE_SIZE * doublings(sequenceLength, other.sequenceLength);
    }

    /** Returns the strategy's family; its kind if it has none or no longer exists. */
    String framework() {
        StrategyDescriptor descriptor = Strategies.descriptor(strategy);
        return descriptor == null ? strategy : descriptor.family();
    }

    private static double doublings(long one, long other) {
        return StrictMath.abs(StrictMath.log((double) one / other)) / StrictMath.log(2);
    }
}

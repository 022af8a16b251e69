package io.shardsim.simulator.strategy;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.workload.ActivationMemory;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ParameterTensor;
import java.util.List;

/**
 * What is trained and on how many ranks: all that a strategy needs to plan one training step.
 *
 * @param model shape of the transformer, as the framework holds it
 * @param worldSize ranks, one a GPU
 * @param gpusPerNode ranks of one node
 * @param sequenceLength tokens of one sample
 * @param microBatch samples of one rank in one forward-backward
 * @param accumulationSteps micro-batches of one rank in one training step
 * @param precision format of parameters, activations and gradients
 * @param checkpointing which activations are recomputed in backward
 * @param activationOffload whether kept activations wait in host memory
 * @param attention how scores are computed
 * @param dropout whether dropout masks are kept
 * @param kernels framework profile whose kernels run; the compute model knows it
 * @param gradientClipping largest gradient norm; 0 for no clipping
 * @param parallel how the model is split among ranks
 */
public record TrainingJob(
        ModelShape model,
        int worldSize,
        int gpusPerNode,
        int sequenceLength,
        int microBatch,
        int accumulationSteps,
        Precision precision,
        Checkpointing checkpointing,
        boolean activationOffload,
        AttentionKind attention,
        boolean dropout,
        String kernels,
        double gradientClipping,
        ModelParallel parallel) {
    public TrainingJob {
        requirePositive("world size", worldSize);
        requirePositive("GPUs per node", gpusPerNode);
        requirePositive("sequence_length", sequenceLength);
        requirePositive("micro_batch", microBatch);
        requirePositive("accumulation steps", accumulationSteps);
        if (!(gradientClipping >= 0)) {
            throw new IllegalArgumentException("gradient_clipping " + gradientClipping + " < 0; 0 means none");
        }
        model = FrameworkProfile.named(kernels).held(model, parallel.tensor());
    }

    private static void requirePositive(String what, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(what + " " + value + " < 1");
        }
    }

    /** Replicas of the model: ranks over those that hold one copy. */
    public int dataParallel() {
        return worldSize / parallel.ranks();
    }

    /** Data-parallel ranks of one node that hold the same part of the model. */
    public int dataParallelPerNode() {
        return Math.max(1, gpusPerNode / parallel.tensor());
    }

    /** Ranks of one pipeline stage. */
    int stageRanks() {
        return worldSize / parallel.stages();
    }

    /** Parameter tensors of a layer as one rank of a tensor-parallel group holds them. */
    public List<ParameterTensor> layerTensors() {
        return split(model.layerTensors());
    }

    /** Parameter tensors of the embedding as one rank of a tensor-parallel group holds them. */
    public List<ParameterTensor> embeddingTensors() {
        return split(model.embeddingTensors());
    }

    /** Parameter tensors of final norm and output as one rank of a tensor-parallel group holds them. */
    public List<ParameterTensor> outputTensors() {
        return split(model.outputTensors());
    }

    private List<ParameterTensor> split(List<ParameterTensor> tensors) {
        return tensors.stream()
                .map(tensor -> new ParameterTensor(
                        tensor.name(), tensor.elements(parallel.tensor()), tensor.splitByTensorParallel()))
                .toList();
    }

    /** Parameters of a layer on one rank. */
    public long layerParameters() {
        return model.layerParameters(parallel.tensor());
    }

    /** Parameters of the embedding on one rank. */
    public long embeddingParameters() {
        return model.embeddingParameters(parallel.tensor());
    }

    /** Parameters of final norm and output on one rank. */
    public long outputParameters() {
        return model.outputParameters(parallel.tensor());
    }

    /** Tokens of one rank in one forward-backward. */
    public long microBatchTokens() {
        return (long) microBatch * sequenceLength;
    }

    /** The same job with the samples of a rank divided otherwise. */
    public TrainingJob withMicroBatch(int newMicroBatch, int newAccumulationSteps) {
        return new TrainingJob(
                model,
                worldSize,
                gpusPerNode,
                sequenceLength,
                newMicroBatch,
                newAccumulationSteps,
                precision,
                checkpointing,
                activationOffload,
                attention,
                dropout,
                kernels,
                gradientClipping,
                parallel);
    }

    /** Bytes that forward keeps for backward on one rank. */
    public ActivationMemory activations() {
        return new ActivationMemory(
                model, attention, dropout, parallel.tensor(), parallel.sequence(), precision.bytes());
    }
}

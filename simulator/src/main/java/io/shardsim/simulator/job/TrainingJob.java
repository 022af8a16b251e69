package io.shardsim.simulator.job;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.workload.ActivationMemory;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ParameterTensor;
import java.util.List;

/**
 * Model, batch and ranks of a training: everything that a strategy needs to plan one training step.
 *
 * @param model shape of the transformer, as the framework holds it
 * @param kept treatment of activations
 * @param gradientClipping largest gradient norm; 0 for no clipping
 * @param parallel split of the model among ranks
 */
public record TrainingJob(
        ModelShape model,
        Ranks ranks,
        Batch batch,
        LayerExecution execution,
        ActivationPolicy kept,
        double gradientClipping,
        ModelParallel parallel) {
    public TrainingJob {
        int checkpointedLayers = kept.checkpointedLayers();
        if (checkpointedLayers < 0 || checkpointedLayers > model.layers()) {
            throw new IllegalArgumentException(
                    "checkpointed_layers " + checkpointedLayers + " is not one of 0 to " + model.layers() + " layers");
        }
        if (!(gradientClipping >= 0)) {
            throw new IllegalArgumentException("gradient_clipping " + gradientClipping + " < 0; 0 means none");
        }
        model = FrameworkProfile.named(execution.kernels())
                .held(model, parallel.tensor())
                .amongExperts(parallel.expertParallel())
                .shared();
    }

    static void requirePositive(String what, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(what + " " + value + " < 1");
        }
    }

    public int worldSize() {
        return ranks.worldSize();
    }

    public int gpusPerNode() {
        return ranks.perNode();
    }

    public int sequenceLength() {
        return batch.sequenceLength();
    }

    public int microBatch() {
        return batch.microBatch();
    }

    public int accumulationSteps() {
        return batch.accumulationSteps();
    }

    public Precision precision() {
        return execution.precision();
    }

    public String kernels() {
        return execution.kernels();
    }

    /** Returns the framework profile in the job's precision; without FP8 if the framework ships no recipe. */
    public FrameworkProfile profile() {
        FrameworkProfile profile = FrameworkProfile.named(kernels());
        return (precision() == Precision.FP8 ? profile.inFp8() : profile)
                .under(execution.fp8Recipe())
                .withElements(precision().bytes())
                .with(execution.optimizer())
                .with(execution.graphs());
    }

    /** Returns the optimizer's state of some parameters, without their weights and gradients [bytes]. */
    public long momentBytes(long parameters) {
        return (long) Math.ceil(
                parameters * execution.optimizer().bytesPerParameter(precision().stateBytes(), model));
    }

    /**
     * Returns the optimizer's state of some parameters, including the weights that it updates if these have another format than the layers' [bytes].
     */
    public long optimizerBytes(long parameters) {
        return momentBytes(parameters) + (precision().isMixed() ? precision().stateBytes() * parameters : 0);
    }

    public Checkpointing checkpointing() {
        return kept.checkpointing();
    }

    /** Returns which activations of a layer are recomputed in backward. */
    public Checkpointing checkpointing(int layer) {
        long before = (long) layer * kept.checkpointedLayers() / model.layers();
        long after = (layer + 1L) * kept.checkpointedLayers() / model.layers();
        return after > before ? checkpointing() : Checkpointing.NONE;
    }

    /** Returns the share of the model's layers that are checkpointed. */
    private double checkpointedShare() {
        return (double) kept.checkpointedLayers() / model.layers();
    }

    /** Returns the recomputed share of the GEMM operations of all layers, 0 to 1. */
    public double recomputedProducts() {
        return checkpointedShare() * checkpointing().recomputedProducts(model, kept.recomputed());
    }

    /** Returns the recomputed share of the attention operations of all layers, 0 to 1. */
    public double recomputedAttention() {
        return checkpointedShare() * checkpointing().recomputedAttention(kept.recomputed());
    }

    /** Returns the number of data-parallel ranks with the same shard of the model, context-parallel ones included. */
    public int dataParallel() {
        return worldSize() / parallel.ranks();
    }

    /** Returns the data-parallel ranks of one node with the same shard of the model. */
    public int dataParallelPerNode() {
        return Math.max(1, gpusPerNode() / parallel.tensor());
    }

    /** Returns the ranks of one pipeline stage. */
    public int stageRanks() {
        return worldSize() / parallel.stages();
    }

    /** Returns the parameter tensors of a layer as one rank of a tensor-parallel group holds them. */
    public List<ParameterTensor> layerTensors(int layer) {
        return split(model.layerTensors(layer));
    }

    /** Returns the parameter tensors of the embedding as one rank of a tensor-parallel group holds them. */
    public List<ParameterTensor> embeddingTensors() {
        return split(model.embeddingTensors());
    }

    /** Returns the parameter tensors of the final norm and output as one rank of a tensor-parallel group holds them. */
    public List<ParameterTensor> outputTensors() {
        return split(model.outputTensors());
    }

    private List<ParameterTensor> split(List<ParameterTensor> tensors) {
        if (parallel.tensor() == 1 && parallel.experts() == 1) {
            return tensors;
        }
        return tensors.stream()
                .map(tensor -> tensor.ofRank(parallel.tensor(), parallel.experts()))
                .toList();
    }

    /** Returns the trained parameters of a layer on one rank. */
    public long layerParameters(int layer) {
        return trained(model.layerTensors(layer));
    }

    /** Returns the trained parameters of the embedding on one rank. */
    public long embeddingParameters() {
        return trained(model.embeddingTensors());
    }

    /** Returns the trained parameters of the final norm and output on one rank. */
    public long outputParameters() {
        return trained(model.outputTensors());
    }

    /** Returns the trained parameters of a layer's experts on one rank, if expert parallelism distributes the experts; else 0. */
    public long expertParameters(int layer) {
        return parallel.experts() == 1
                ? 0
                : trained(model.layerTensors(layer).stream()
                        .filter(ParameterTensor::isOfExperts)
                        .toList());
    }

    private long trained(List<ParameterTensor> tensors) {
        return tensors.stream()
                .filter(ParameterTensor::isTrained)
                .mapToLong(tensor -> tensor.elements(parallel.tensor(), parallel.experts()))
                .sum();
    }

    /** Returns the bytes of a layer's frozen parameters on one rank. */
    public long layerFrozenBytes(int layer) {
        return frozenBytes(model.layerTensors(layer));
    }

    /** Returns the bytes of the frozen parameters before and after the layers on one rank. */
    public long rootFrozenBytes() {
        return frozenBytes(model.embeddingTensors()) + frozenBytes(model.outputTensors());
    }

    private long frozenBytes(List<ParameterTensor> tensors) {
        return tensors.stream()
                .filter(tensor -> !tensor.isTrained())
                .mapToLong(tensor -> tensor.ofRank(parallel.tensor(), parallel.experts())
                        .bytes(precision().bytes()))
                .sum();
    }

    /** Returns the tokens of a sample on one rank. */
    public int rankSequence() {
        return batch.sequenceLength() / parallel.context();
    }

    /** Returns the tokens of one rank in one forward and backward. */
    public long microBatchTokens() {
        return (long) batch.microBatch() * rankSequence();
    }

    /** Returns the tokens of one rank, per forward and backward, whose logits are computed. */
    public long lossTokens() {
        return model.lossTokens(batch.microBatch(), rankSequence());
    }

    /** Returns this job with the samples of a rank split differently into micro-batches. */
    public TrainingJob withMicroBatch(int newMicroBatch, int newAccumulationSteps) {
        return with(new Batch(batch.sequenceLength(), newMicroBatch, newAccumulationSteps), kept);
    }

    /** Returns this job with another number of checkpointed layers. */
    public TrainingJob withCheckpointedLayers(int layers) {
        return with(batch, kept.withCheckpoints(kept.checkpointing(), layers));
    }

    /** Returns this job with a memory limit, at which writing a plan stops [bytes]. */
    public TrainingJob within(long limitBytes) {
        return with(new Ranks(ranks.worldSize(), ranks.perNode(), limitBytes), batch, kept);
    }

    private TrainingJob with(Batch otherBatch, ActivationPolicy otherKept) {
        return with(ranks, otherBatch, otherKept);
    }

    private TrainingJob with(Ranks otherRanks, Batch otherBatch, ActivationPolicy otherKept) {
        return new TrainingJob(model, otherRanks, otherBatch, execution, otherKept, gradientClipping, parallel);
    }

    /** Returns the memory of saved activations on one rank. */
    public ActivationMemory activations() {
        return new ActivationMemory(
                model,
                execution.attention(),
                execution.dropout(),
                parallel.tensor(),
                parallel.sequence(),
                precision().bytes(),
                profile().recomputesPointwise(),
                kept.recomputed());
    }
}

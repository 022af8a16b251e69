package io.shardsim.simulator.job;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.workload.ActivationMemory;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.ParameterTensor;
import java.util.List;

/**
 * What is trained and on how many ranks: all that a strategy needs to plan one training step.
 *
 * @param model shape of the transformer, as the framework holds it
 * @param kept what becomes of activations
 * @param gradientClipping largest gradient norm; 0 for no clipping
 * @param parallel how the model is split among ranks
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
                .amongExperts(parallel.experts())
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

    /** The kernels that run, in the job's precision; without FP8 where the framework ships no recipe of it. */
    public FrameworkProfile profile() {
        FrameworkProfile profile = FrameworkProfile.named(kernels());
        return (precision() == Precision.FP8 ? profile.inFp8() : profile)
                .under(execution.fp8Recipe())
                .withElements(precision().bytes())
                .with(execution.optimizer())
                .with(execution.graphs());
    }

    /** What the optimizer keeps of some parameters beside their weights and gradients [bytes]. */
    public long momentBytes(long parameters) {
        return (long) Math.ceil(
                parameters * execution.optimizer().bytesPerParameter(precision().stateBytes()));
    }

    /** The same, and the weights that it updates where those of the layers have another format [bytes]. */
    public long optimizerBytes(long parameters) {
        return momentBytes(parameters) + (precision().isMixed() ? precision().stateBytes() * parameters : 0);
    }

    public Checkpointing checkpointing() {
        return kept.checkpointing();
    }

    /** Which activations of a layer are recomputed in backward. */
    public Checkpointing checkpointing(int layer) {
        long before = (long) layer * kept.checkpointedLayers() / model.layers();
        long after = (layer + 1L) * kept.checkpointedLayers() / model.layers();
        return after > before ? checkpointing() : Checkpointing.NONE;
    }

    /** Share of the model's layers that are checkpointed. */
    private double checkpointedShare() {
        return (double) kept.checkpointedLayers() / model.layers();
    }

    /** Share of the operations of all layers' GEMMs that are computed again, 0 to 1. */
    public double recomputedProducts() {
        return checkpointedShare() * checkpointing().recomputedProducts(model, kept.recomputed());
    }

    /** Share of the operations of all layers' attention cores that are computed again, 0 to 1. */
    public double recomputedAttention() {
        return checkpointedShare() * checkpointing().recomputedAttention(kept.recomputed());
    }

    /** Ranks that hold the same part of the model: replicas of the model, each over those that hold one copy. */
    public int dataParallel() {
        return worldSize() / parallel.ranks();
    }

    /** Data-parallel ranks of one node that hold the same part of the model. */
    public int dataParallelPerNode() {
        return Math.max(1, gpusPerNode() / parallel.tensor());
    }

    /** Ranks of one pipeline stage. */
    public int stageRanks() {
        return worldSize() / parallel.stages();
    }

    /** Parameter tensors of a layer as one rank of a tensor-parallel group holds them. */
    public List<ParameterTensor> layerTensors(int layer) {
        return split(model.layerTensors(layer));
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
        if (parallel.tensor() == 1 && parallel.experts() == 1) {
            return tensors;
        }
        return tensors.stream()
                .map(tensor -> tensor.ofRank(parallel.tensor(), parallel.experts()))
                .toList();
    }

    /** Trained parameters of a layer on one rank. */
    public long layerParameters(int layer) {
        return trained(model.layerTensors(layer));
    }

    /** Trained parameters of the embedding on one rank. */
    public long embeddingParameters() {
        return trained(model.embeddingTensors());
    }

    /** Trained parameters of final norm and output on one rank. */
    public long outputParameters() {
        return trained(model.outputTensors());
    }

    /** Of a layer's trained parameters on one rank, those of experts that other ranks of an expert-parallel group have others of. */
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

    /** Bytes of a layer's frozen parameters on one rank. */
    public long layerFrozenBytes(int layer) {
        return frozenBytes(model.layerTensors(layer));
    }

    /** Bytes of the frozen parameters before and after the layers on one rank. */
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

    /** Tokens of a sample that one rank has. */
    public int rankSequence() {
        return batch.sequenceLength() / parallel.context();
    }

    /** Tokens of one rank in one forward-backward. */
    public long microBatchTokens() {
        return (long) batch.microBatch() * rankSequence();
    }

    /** Those of them whose logits are computed. */
    public long lossTokens() {
        return model.lossTokens(batch.microBatch(), rankSequence());
    }

    /** The same job with the samples of a rank divided otherwise. */
    public TrainingJob withMicroBatch(int newMicroBatch, int newAccumulationSteps) {
        return with(new Batch(batch.sequenceLength(), newMicroBatch, newAccumulationSteps), kept);
    }

    /** The same job with another number of layers checkpointed. */
    public TrainingJob withCheckpointedLayers(int layers) {
        return with(batch, kept.withCheckpoints(kept.checkpointing(), layers));
    }

    /** The same job, whose plans need not be written further than this much memory [bytes]. */
    public TrainingJob within(long limitBytes) {
        return with(new Ranks(ranks.worldSize(), ranks.perNode(), limitBytes), batch, kept);
    }

    private TrainingJob with(Batch otherBatch, ActivationPolicy otherKept) {
        return with(ranks, otherBatch, otherKept);
    }

    private TrainingJob with(Ranks otherRanks, Batch otherBatch, ActivationPolicy otherKept) {
        return new TrainingJob(model, otherRanks, otherBatch, execution, otherKept, gradientClipping, parallel);
    }

    /** Bytes that forward keeps for backward on one rank. */
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

package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.job.ModelParallel.Choice;
import io.shardsim.simulator.job.PipelinePartition;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.pipeline.PipelineSchedule.Pass;
import io.shardsim.simulator.pipeline.PipelineSchedules;
import io.shardsim.simulator.plan.CachingAllocator;
import io.shardsim.simulator.plan.CachingAllocator.Block;
import io.shardsim.simulator.plan.GpuMemory;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryLedger;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.strategy.writing.LayerBlocks.Kept;
import io.shardsim.simulator.workload.Checkpointing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks whether a pipeline stage's training step fits in the blocks of a {@link CachingAllocator}, tensor by tensor. A ledger counts bytes; blocks
 * of logits, layers and gradients are allocated and freed in different sizes, so an allocator reserves more than is in use, and may fail although the
 * bytes would fit.
 *
 * <p>Model states exist from the start, one block per owner, gradients as in the framework ({@link Gradients}). A forward allocates the saved tensors
 * of each operator. A backward goes through them in reverse: it allocates the gradient of each tensor, as large as the tensor, and then frees the
 * tensor and the previous gradient. A checkpointed layer keeps its input, and reallocates the rest for its backward. The head allocates logits and
 * the loss's tensors ({@link FrameworkProfile}).
 *
 * <p>Tensors and their order follow PyTorch's autograd (torch/csrc/autograd, derivatives.yaml, 2.0, 2023-03). Leaves out temporaries inside operators
 * other than attention, the update, transfers between stages, FP8, and offloaded activations.
 */
public final class AllocatorReplay {
    /** Share of the capacity below which blocks are not simulated: fragmentation is then smaller than the bytes in use. */
    private static final double FULL_FROM = 0.5;

    private static final Matrix HEAD = new Matrix(-1, 0, 0);
    private static final Matrix EMBEDDING = new Matrix(-1, 0, 1);
    private static final int SINGLE_BYTES = 4;
    /** Micro-batches of a single stage after which block reuse is the same as in all later ones. */
    private static final int MICRO_BATCHES = 4;

    private static final Set<MemoryOwner> STATES =
            Set.of(MemoryOwner.PARAMETERS, MemoryOwner.GRADIENTS, MemoryOwner.OPTIMIZER_STATES, MemoryOwner.BUCKETS);

    /** Storage of weight gradients. */
    public enum Gradients {
        /** In a buffer from the start, into which GEMMs accumulate directly. */
        FUSED,
        /** In a buffer from the start; a GEMM's result is a separate tensor, which is then added. */
        BUFFER,
        /** As separate tensors: the first backward's result is kept, and later ones are added; the update frees them. */
        OWN
    }

    private final TrainingJob job;
    private final FrameworkProfile profile;
    private final MicroBatchMemory memory;
    /** Tensors by kind of layer. */
    private final Map<Integer, List<Kept>> tensors = new HashMap<>();

    private final PipelinePartition partition;
    private final int stage;
    private final Gradients gradients;
    private final CachingAllocator allocator;
    /** Blocks of each micro-batch, by layer of the stage. */
    private final Map<Place, Block[]> layers = new HashMap<>();
    /** Result of each micro-batch, by model chunk. */
    private final Map<Place, Block> results = new HashMap<>();
    /** Blocks of the head, by micro-batch. */
    private final Map<Integer, List<Block>> heads = new HashMap<>();

    /** Logits that the framework holds until the next micro-batch's logits exist. */
    private final Deque<Block> earlierLogits = new ArrayDeque<>();

    /** Gradients of matrices that stay where backward first created them. */
    private final Map<Matrix, Block> ownGradients = new LinkedHashMap<>();

    private record Place(int microBatch, int layer) {}

    private record Matrix(int layer, int operator, int number) {}

    private AllocatorReplay(TrainingJob job, int stage, Gradients gradients, long capacityBytes) {
        this.job = job;
        this.stage = stage;
        this.gradients = gradients;
        profile = job.profile();
        memory = new MicroBatchMemory(job, profile);
        partition = PipelinePartition.of(job);
        allocator = new CachingAllocator(capacityBytes);
    }

    /**
     * Returns how a step fits whose bytes fit.
     *
     * @param fit fit from the ledger
     * @param plan plan of the ledger
     * @param gradients storage of weight gradients
     */
    public static MemoryFit refine(MemoryFit fit, TrainingJob job, StepPlan plan, GpuMemory gpu, Gradients gradients) {
        boolean unknown = job.kept().offload() || job.profile().eightBitProducts();
        if (unknown || !fit.fits() || fit.neededBytes() < FULL_FROM * fit.capacityBytes()) {
            return fit;
        }
        long missing = 0;
        for (int stage = 0; stage < job.parallel().stages(); stage++) {
            Map<MemoryOwner, Long> held = MemoryLedger.of(plan, stage).atPeak();
            long runtime = held.getOrDefault(MemoryOwner.RUNTIME, 0L);
            AllocatorReplay replay = new AllocatorReplay(job, stage, gradients, gpu.usableBytes() - runtime);
            missing = Math.max(missing, replay.missingBytes(held));
        }
        long needed = missing > 0 ? fit.capacityBytes() + missing : fit.neededBytes();
        return new MemoryFit(needed, Math.max(fit.reservedBytes(), needed), fit.capacityBytes());
    }

    private List<Kept> tensors(int layer) {
        return tensors.computeIfAbsent(job.model().kindOf(layer), kind -> LayerBlocks.of(job, memory, layer));
    }

    private long layerInputBytes() {
        return tensors(0).get(0).bytes();
    }

    private long missingBytes(Map<MemoryOwner, Long> held) {
        held.forEach((owner, bytes) -> {
            if (STATES.contains(owner)
                    && bytes > 0
                    && !(gradients == Gradients.OWN && owner == MemoryOwner.GRADIENTS)) {
                allocator.allocate(bytes);
            }
        });
        // In the second step, blocks reuse the space of the first one's gradients.
        for (int step = 0; step < (gradients == Gradients.OWN ? 2 : 1); step++) {
            for (Pass pass : passes()) {
                int piece = pass.chunk() * job.parallel().stages() + stage;
                if (pass.forward()) {
                    forward(piece, pass.microBatch());
                } else if (pass.kind() != Pass.Kind.INPUT_GRADIENTS) {
                    backward(piece, pass.microBatch());
                }
            }
            ownGradients.values().forEach(allocator::free);
            ownGradients.clear();
        }
        return allocator.missingBytes();
    }

    private List<Pass> passes() {
        int stages = job.parallel().stages();
        if (stages > 1) {
            return PipelineSchedules.all()
                    .named(job.parallel().pipeline().schedule())
                    .passes(
                            stage,
                            stages,
                            job.parallel().microBatchesToPeak(job.accumulationSteps()),
                            job.parallel().pipeline().chunks());
        }
        List<Pass> passes = new ArrayList<>();
        for (int i = 0; i < Math.min(MICRO_BATCHES, job.accumulationSteps()); i++) {
            passes.add(new Pass(true, i, 0));
            passes.add(new Pass(false, i, 0));
        }
        return passes;
    }

    private void forward(int piece, int microBatch) {
        Block input = allocator.allocate(layerInputBytes());
        for (int i = 0; i < partition.layers(piece); i++) {
            int at = partition.firstLayer(piece) + i;
            Block[] blocks = new Block[tensors(at).size() + 1];
            blocks[0] = input;
            input = forwardLayer(tensors(at), blocks);
            release(blocks, at);
            layers.put(new Place(microBatch, at), blocks);
        }
        results.put(new Place(microBatch, piece), input);
        if (partition.holdsHead(piece)) {
            forwardHead(microBatch);
        }
    }

    /** Allocates the missing saved tensors of a layer's operators, one after the other, and then the layer's result, which is returned. */
    private Block forwardLayer(List<Kept> layer, @Nullable Block[] blocks) {
        for (int i = 0; i < layer.size(); i++) {
            if (blocks[i] == null) {
                Block source = allocateIf(layer.get(i).forwardTemporaryBytes());
                blocks[i] = allocator.allocate(layer.get(i).bytes());
                freeIf(source);
            }
        }
        Block source = allocateIf(layer.get(0).forwardTemporaryBytes());
        Block result = allocator.allocate(layer.get(0).bytes());
        freeIf(source);
        return result;
    }

    /** Frees the tensors of a layer that will be recomputed. */
    private void release(@Nullable Block[] blocks, int at) {
        List<Kept> layer = tensors(at);
        Checkpointing checkpointing = job.checkpointing(at);
        long left = memory.keptBytes(at);
        for (int i = 0; i < layer.size(); i++) {
            if (layer.get(i).isRecomputed(checkpointing)) {
                freeIf(blocks[i]);
                blocks[i] = null;
            } else {
                left -= layer.get(i).bytes();
            }
        }
        // Saved tensors of operator-wise checkpointing other than the input, as one block.
        blocks[layer.size()] = checkpointing == Checkpointing.OPERATOR ? allocateIf(left) : null;
    }

    private void backward(int piece, int microBatch) {
        Block gradient = partition.holdsHead(piece) ? backwardHead(microBatch) : allocator.allocate(layerInputBytes());
        allocator.free(taken(results, new Place(microBatch, piece)));
        for (int i = partition.layers(piece) - 1; i >= 0; i--) {
            int at = partition.firstLayer(piece) + i;
            Block[] blocks = taken(layers, new Place(microBatch, at));
            if (job.checkpointing(at) != Checkpointing.NONE) {
                allocator.free(forwardLayer(tensors(at), blocks));
            }
            gradient = backwardLayer(at, blocks, gradient);
            freeIf(blocks[blocks.length - 1]);
        }
        if (partition.holdsEmbedding(piece)) {
            addUp(EMBEDDING, job.embeddingParameters() * profile.elementBytes());
        }
        allocator.free(gradient);
    }

    private Block backwardLayer(int at, @Nullable Block[] blocks, Block gradientOfResult) {
        List<Kept> layer = tensors(at);
        Block gradient = gradientOfResult;
        for (int i = layer.size() - 1; i >= 0; i--) {
            Block next = allocator.allocate(layer.get(i).bytes());
            freeIf(allocateIf(layer.get(i).backwardTemporaryBytes()));
            for (int j = 0; j < layer.get(i).matrixBytes().size(); j++) {
                addUp(new Matrix(at, i, j), layer.get(i).matrixBytes().get(j));
            }
            allocator.free(gradient);
            freeIf(blocks[i]);
            gradient = next;
        }
        return gradient;
    }

    /** Allocates the final norm, logits, and the loss's tensors. */
    private void forwardHead(int microBatch) {
        List<Block> kept = new ArrayList<>();
        kept.add(allocator.allocate(memory.hiddenBytes()));
        allocateLogits(kept);
        int lossBytes = profile.keptLogitBytes() - profile.elementBytes();
        if (lossBytes >= SINGLE_BYTES) {
            Block cast = allocator.allocate(memory.logitBytes(SINGLE_BYTES));
            kept.add(allocator.allocate(memory.logitBytes(lossBytes)));
            allocator.free(cast);
        } else if (lossBytes > 0) {
            kept.add(allocator.allocate(memory.logitBytes(lossBytes)));
        }
        heads.put(microBatch, kept);
    }

    private void allocateLogits(List<Block> kept) {
        Block logits = logits();
        if (profile.earlierLogitBytes() == 0) {
            kept.add(logits);
            return;
        }
        if (earlierLogits.size() == 2) {
            allocator.free(earlierLogits.remove());
        }
        earlierLogits.add(logits);
    }

    /** Allocates logits of this rank, or of all ranks that split the vocabulary: each gathers the others' shards and concatenates them. */
    private Block logits() {
        if (profile.lossInPieces()) {
            return allocator.allocate(memory.lossPieceBytes());
        }
        long whole = memory.logitBytes(profile.elementBytes());
        if (!job.parallel().is(Choice.GATHERS_LOGITS)) {
            return allocator.allocate(whole);
        }
        int ranks = job.parallel().tensor();
        List<Block> parts = Stream.generate(() -> allocator.allocate(whole / ranks))
                .limit(ranks)
                .toList();
        Block joined = allocator.allocate(whole);
        freeAll(parts);
        return joined;
    }

    /** Allocates the gradient of a matrix, and adds it to the accumulated one. */
    private void addUp(Matrix matrix, long bytes) {
        if (gradients == Gradients.FUSED || bytes == 0) {
            return;
        }
        Block made = allocator.allocate(bytes);
        if (gradients == Gradients.OWN && !ownGradients.containsKey(matrix)) {
            ownGradients.put(matrix, made);
        } else {
            allocator.free(made);
        }
    }

    /**
     * Allocates the gradients of the loss, of its saved tensors, and of the logits, each freed when the next exists. Returns the gradient of the last
     * layer's result.
     */
    private Block backwardHead(int microBatch) {
        List<Block> kept = taken(heads, microBatch);
        Block gradient = null;
        for (int left = profile.logitGradientBytes(); left > 0; left -= SINGLE_BYTES) {
            gradient = after(gradient, memory.logitBytes(Math.min(left, SINGLE_BYTES)));
        }
        if (profile.keptLogitBytes() > profile.elementBytes()) {
            // Saved tensors of the loss other than the logits come last.
            allocator.free(kept.remove(kept.size() - 1));
        }
        if (profile.logitGradientBytes() > profile.elementBytes()) {
            gradient = after(gradient, memory.logitBytes(profile.elementBytes()));
        }
        if (job.parallel().is(Choice.GATHERS_LOGITS)) {
            gradient = after(
                    gradient,
                    memory.logitBytes(profile.elementBytes()) / job.parallel().tensor());
        }
        addUp(HEAD, job.outputParameters() * profile.elementBytes());
        freeAll(kept);
        return after(gradient, layerInputBytes());
    }

    /** Allocates a block's replacement while the block still exists, then frees it. */
    private Block after(@Nullable Block before, long bytes) {
        Block block = allocator.allocate(bytes);
        freeIf(before);
        return block;
    }

    private static <K, V> V taken(Map<K, V> held, K key) {
        return Objects.requireNonNull(held.remove(key));
    }

    private @Nullable Block allocateIf(long bytes) {
        return bytes > 0 ? allocator.allocate(bytes) : null;
    }

    private void freeIf(@Nullable Block block) {
        if (block != null) {
            allocator.free(block);
        }
    }

    private void freeAll(List<Block> blocks) {
        blocks.forEach(allocator::free);
    }
}

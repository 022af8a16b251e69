package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.strategy.Sharding.Part;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.strategy.writing.StepWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Writer of one FSDP2 step on a pipeline stage. Units are gathered for the first forward of their model chunk, one after another, and stay until the last
 * backward: gathering them for each micro-batch would be expensive [1]. Gradients accumulate unsharded on every rank, and are reduced unit by unit
 * after the last backward of the stage, not overlapped [2]. Activations and gradients from other stages have one permanent buffer per micro-batch
 * [3].
 *
 * <p>[1] get_fsdp_reshard_after_forward_policy of torchtitan/distributed/fsdp.py, pytorch/torchtitan @b5bcd76c. [2] backward_maybe_with_nosync of
 * torch/distributed/pipelining/stage.py, PyTorch 2.6, run_post_backward. [3] args_recv_info and grad_recv_info there.
 */
final class FsdpStage extends ReplicatedStep {
    private final Sharding all;
    private final Sharding experts;
    private final int elementBytes;
    private final int reduceBytes;
    private final int stateBytes;
    /** FSDP units, in the order in which the forward first uses them. */
    private final List<Part> parts = new ArrayList<>();
    /** Parameters gathered, and parameters with gradients, by model chunk. */
    private final long[] gathered;

    private final long[] returned;

    FsdpStage(TrainingJob job, StepWriter writer, int stage, Sharding sharding, StrategyParameters settings) {
        super(job, writer, stage, false);
        all = sharding;
        experts = sharding.ofExperts(job, settings);
        elementBytes = job.precision().bytes();
        stateBytes = job.precision().stateBytes();
        reduceBytes = settings.flag("reduce_in_fp32") ? 4 : elementBytes;
        gathered = new long[writer.partition().pieces()];
        returned = new long[gathered.length];
    }

    @Override
    protected int gradientBytes() {
        return reduceBytes;
    }

    @Override
    protected void holdStates() {
        long shardElements = replicas().stream()
                .mapToLong(among -> part(among, parameters(among)).shardElements())
                .sum();
        writer.allocate(MemoryOwner.PARAMETERS, stateBytes * shardElements);
        writer.allocate(MemoryOwner.OPTIMIZER_STATES, job.momentBytes(shardElements));
        long buffers = pieces().mapToLong(at -> (at > 0 ? 1 : 0) + (at < gathered.length - 1 ? 1 : 0))
                .sum();
        writer.allocate(MemoryOwner.BUCKETS, buffers * job.accumulationSteps() * writer.boundaryBytes());
    }

    /** Holds the input once: the received buffer is the input itself. */
    @Override
    protected void keepsInput(boolean keeps) {
        if (piece > 0 && keeps) {
            writer.free(MemoryOwner.BUCKETS, writer.boundaryBytes());
        } else if (piece > 0) {
            writer.allocate(MemoryOwner.BUCKETS, writer.boundaryBytes());
        }
    }

    private Part part(RankGroups among, long elements) {
        return among.equals(world)
                ? Part.of(all, "layer", elements, 0, elementBytes)
                : Part.of(experts, "experts", elements, 0, elementBytes);
    }

    /** Gathers the units not gathered yet. Their gradients count from here on, although they first appear in backward. */
    @Override
    protected int beforeForward(RankGroups among, long elements) {
        if (elements == 0 || gathered[piece] == parameters(piece)) {
            return StepWriter.NONE;
        }
        gathered[piece] += elements;
        Part part = part(among, elements);
        parts.add(part);
        writer.allocate(MemoryOwner.GATHERED_UNITS, part.bytes());
        writer.allocate(MemoryOwner.GRADIENTS, reduceBytes * part.elements());
        int ready = job.precision().isMixed()
                ? writer.copy(Stream.GATHER, (stateBytes + elementBytes) * part.shardElements(), "cast shard")
                : StepWriter.NONE;
        int whole = part.over().gather(part.bytes(), "gather " + part.name(), ready);
        return writer.copy(Stream.COMPUTE, 2 * part.bytes(), "copy out parameters", whole);
    }

    @Override
    protected int afterBackward(long elements, int computed) {
        boolean first = returned[piece] < parameters(piece);
        returned[piece] += first ? elements : 0;
        if (first && reduceBytes == elementBytes) {
            return computed;
        }
        long moved = elementBytes + (first ? 1 : 2) * reduceBytes;
        writer.allocate(MemoryOwner.WORKING_SET, elementBytes * elements);
        int added = writer.copy(Stream.COMPUTE, moved * elements, "accumulate whole gradients", computed);
        writer.free(MemoryOwner.WORKING_SET, elementBytes * elements);
        return added;
    }

    @Override
    protected int prepareUpdate(int gradientsReady) {
        int reduced = gradientsReady;
        for (Part part : parts) {
            reduced = reduce(part, reduced);
        }
        if (job.gradientClipping() == 0) {
            return reduced;
        }
        int norm = all.sumNorm(writer.compute(Work.Kind.GRADIENT_NORM, shardElements(), "gradient norm", reduced));
        return job.parallel().experts() > 1 ? experts.sumNorm(norm) : norm;
    }

    private int reduce(Part part, int ready) {
        long bytes = reduceBytes * part.elements();
        writer.allocate(MemoryOwner.BUCKETS, bytes);
        int copied = writer.copy(Stream.COMPUTE, 2 * bytes, "copy in gradients", ready);
        writer.free(MemoryOwner.GRADIENTS, bytes);
        writer.free(MemoryOwner.GATHERED_UNITS, part.bytes());
        int reduced = part.over().reduce(bytes, "reduce-scatter " + part.name(), copied);
        writer.free(MemoryOwner.BUCKETS, bytes);
        writer.allocate(MemoryOwner.GRADIENTS, (long) stateBytes * part.shardElements());
        return reduceBytes == stateBytes
                ? reduced
                : writer.copy(Stream.REDUCE, (reduceBytes + stateBytes) * part.shardElements(), "cast shard", reduced);
    }

    private long shardElements() {
        return parts.stream().mapToLong(Part::shardElements).sum();
    }

    @Override
    protected void update(int prepared) {
        writer.updateShard(shardElements(), prepared);
        writer.free(MemoryOwner.GRADIENTS, stateBytes * shardElements());
    }
}

package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.topology.units.Picoseconds;
import java.util.EnumSet;
import java.util.Set;

/**
 * DeepSpeed's CPU offload: its host memory and its cost [1, 2].
 *
 * <ul>
 *   <li>With offloaded optimizer states, 16-bit gradient shards are in host memory: each reduced bucket's shard is loaded to the GPU, accumulated,
 *       and stored again; in the last micro-batch it is also stored in FP32. The CPUs of a node then update the shards of all its GPUs and copy the
 *       new parameters back.
 *   <li>With offloaded parameters as well, a rank loads its own shard of a tensor before it is gathered.
 * </ul>
 *
 * <p>Bytes over PCIe of a rank that holds Psi / N parameters, in 16 bits: 2 Psi / N in each direction every micro-batch; 4 Psi / N to the host and 2
 * Psi / N back once per step.
 *
 * <p>Bytes per parameter in host memory: 16 with offloaded optimizer states (weight, two moments, gradient in FP32), 2 more with offloaded parameters
 * [3].
 *
 * <p>Leaves out NVMe, the delayed update of [2], and pinned buffers, which may add half as much [3].
 *
 * <p>[1] deepspeed/runtime/zero/stage3.py and stage_1_and_2.py, v0.7.2. [2] Ren et al., ZeRO-Offload, arXiv:2101.06840. [3] deepspeed.readthedocs.io,
 * Memory Requirements: estimate_zero3_model_states_mem_needs, whose additional_buffer_factor is 1.5.
 *
 * @param onHost owners in host memory: optimizer states, gradients with them, and parameters
 * @param updatePs time for a node to update one parameter [ps]
 */
public record HostOffload(Set<MemoryOwner> onHost, long updatePs) {

    /** Returns the offload of the settings; none for a strategy without offload. */
    public static HostOffload of(StrategyParameters settings) {
        Set<MemoryOwner> onHost = EnumSet.noneOf(MemoryOwner.class);
        if (settings.flagOr("offload_optimizer", false)) {
            onHost.add(MemoryOwner.OPTIMIZER_STATES);
        }
        if (settings.flagOr("offload_parameters", false)) {
            onHost.add(MemoryOwner.PARAMETERS);
        }
        return new HostOffload(
                onHost, settings.names().contains("host_update_time") ? settings.whole("host_update_time") : 0);
    }

    public boolean optimizer() {
        return onHost.contains(MemoryOwner.OPTIMIZER_STATES);
    }

    public boolean parameters() {
        return onHost.contains(MemoryOwner.PARAMETERS);
    }

    /** Returns the host memory that some GPUs of a node use [bytes]. */
    public long bytes(TrainingJob job, int gpus) {
        long ofParameter = (optimizer() ? 4L * job.precision().stateBytes() : 0)
                + (parameters() ? job.precision().bytes() : 0);
        return Math.multiplyExact(job.model().parameters(), ofParameter) / job.worldSize() * gpus;
    }

    /** Adds a reduced shard to the gradients in host memory; returns the last operation. */
    public int accumulate(StepWriter writer, TrainingJob job, long elements, boolean last, int reduced) {
        long bytes = elements * job.precision().bytes();
        int loaded = writer.hostCopy(Stream.REDUCE, Work.Kind.HOST_LOAD, bytes, "load gradients", reduced);
        int added = writer.copy(Stream.REDUCE, 3 * bytes, "accumulate gradients", loaded);
        int stored = writer.hostCopy(Stream.REDUCE, Work.Kind.HOST_STORE, bytes, "store gradients", added);
        return last ? storeForUpdate(writer, elements, stored) : stored;
    }

    /** Stores a shard of gradients in FP32. */
    public int storeForUpdate(StepWriter writer, long elements, int ready) {
        return writer.hostCopy(Stream.REDUCE, Work.Kind.HOST_STORE, 4 * elements, "store gradients in 32 bits", ready);
    }

    /** Updates the shards of all GPUs of a node on the host. */
    public int update(StepWriter writer, TrainingJob job, long elements, int ready) {
        long ofNode = Math.multiplyExact(elements, (long) Math.min(job.gpusPerNode(), job.worldSize()));
        if (updatePs > Picoseconds.LONGEST / Math.max(1, ofNode)) {
            throw new TooLargeException(
                    "host_update_time " + updatePs + " ps x " + ofNode
                            + " parameters of a node takes more than 13 days; write a shorter one",
                    "strategy.host_update_time");
        }
        int updated = writer.host(ofNode * updatePs, "optimizer step on the host", ready);
        // An empty operation on the compute stream, so that later work is not charged for this wait.
        return writer.copy(Stream.COMPUTE, 0, "wait for the host's update", updated);
    }
}

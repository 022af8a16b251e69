package io.shardsim.reports.writing.html;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the words of a report mean; every term in the page leads here. */
public final class Glossary {
    /**
     * @param id anchor of the entry
     */
    public record Term(String id, String name, String meaning) {}

    private static final List<Term> TERMS = List.of(
            new Term(
                    "accumulation",
                    "accumulation steps",
                    "Micro-batches that one GPU runs, one after another, per training step."),
            new Term("algbw", "algorithm bandwidth", "The whole buffer of a collective over the time that it takes."),
            new Term(
                    "busbw",
                    "bus bandwidth",
                    "Algorithm bandwidth times what the busiest link must carry: (n-1)/n for all-gather, reduce-scatter and all-to-all,"
                            + " 2(n-1)/n for all-reduce. Figures of different rank counts compare."),
            new Term("chunk", "chunk", "The piece of a tensor that one step of a collective moves over one channel."),
            new Term(
                    "digest",
                    "digest",
                    "A hash over the totals and times of every rank, stream and link. Equal digests mean equal runs."),
            new Term(
                    "event",
                    "event",
                    "One thing that happens to one device at one instant. Executed events were run one by one; simulated events include the"
                            + " repetitions that they represent."),
            new Term(
                    "exposed",
                    "exposed time",
                    "Time that the compute stream stands still, waiting for another stream. Communication that overlaps with compute is hidden."),
            new Term(
                    "gather",
                    "gather",
                    "An all-gather that brings the sharded parameters of some layers together before they are used."),
            new Term("gib", "GiB and GB", "GiB is 2^30 bytes, GB is 10^9 bytes. Memory is in GiB, networks in GB."),
            new Term("global-batch", "global batch", "Samples per training step, over all GPUs."),
            new Term(
                    "hfu",
                    "HFU",
                    "Hardware flops utilization: operations that the GPUs carry out, recomputation counted, over their peak. With full"
                            + " activation checkpointing 8 x parameters per token plus 4/3 of attention, less where only part is computed again."),
            new Term(
                    "mfu",
                    "MFU",
                    "Model flops utilization: operations that the model needs, over the peak of the GPUs. The model needs 6 x parameters per token plus"
                            + " attention. The peak is that of the format that GEMMs take, FP8 with precision fp8. Recomputation is not counted."),
            new Term("micro-batch", "micro-batch", "Samples that one GPU takes through one forward and backward."),
            new Term("nic", "NIC", "Network interface of a node. Its links lead to the leaf switch and back."),
            new Term(
                    "owner",
                    "memory owner",
                    "What holds GPU memory: parameters, gradients, optimizer states, gathered units, activations and so on."),
            new Term("port", "port", "Where a device puts chunks on a link; a port sends one after another."),
            new Term(
                    "queueing",
                    "queueing",
                    "Time that chunks wait for a transmitter that is busy with others, summed over chunks."),
            new Term("rank", "rank", "One GPU of the job, counted from 0 node by node."),
            new Term(
                    "recompute",
                    "recompute",
                    "Forward work done again in backward, because activation checkpointing did not keep its results."),
            new Term(
                    "scaling",
                    "scaling efficiency",
                    "Throughput per GPU against that of the same series on the base. That is the smallest cluster on which all series fit with room."
                            + " With a fixed global batch this is strong scaling, with one that grows with the cluster weak scaling."),
            new Term("shard-group", "shard group", "Ranks that together hold one copy of the sharded states."),
            new Term(
                    "slow-down",
                    "slow-down",
                    "What compute loses because collectives, casts and copies run on the same GPU at the same time."),
            new Term(
                    "stream",
                    "stream",
                    "A lane of a GPU. Operations of one stream run one after another, those of different streams overlap."),
            new Term(
                    "tflops",
                    "TFLOPS per GPU",
                    "Operations of the model per second, in units of 10^12: MFU times the peak. 6 x parameters per token and attention count, recomputation does"
                            + " not. AWS's sharded-data-parallel benchmark counts otherwise (tflops_per_gpu in results.json): 8 x parameters per token with"
                            + " full activation checkpointing, and no attention."),
            new Term("training-step", "training step", "One optimizer update."),
            new Term(
                    "utilization",
                    "utilization",
                    "Share of the run's time in which a link's transmitter is held, as the mean over its ports."),
            new Term(
                    "virtual-time",
                    "virtual time",
                    "Time in the simulated cluster. Wall time is time on the machine that simulates."));

    /** Heads of tables that say a term in other words. */
    private static final Map<String, String> HEADS = Map.ofEntries(
            Map.entry("accumulation", "accumulation"),
            Map.entry("busiest port", "port"),
            Map.entry("chunks", "chunk"),
            Map.entry("efficiency", "scaling"),
            Map.entry("events executed", "event"),
            Map.entry("events simulated", "event"),
            Map.entry("exposed", "exposed"),
            Map.entry("NIC bytes sent", "nic"),
            Map.entry("peak", "owner"),
            Map.entry("ports", "port"),
            Map.entry("step", "training-step"),
            Map.entry("wall time", "virtual-time"));

    private Glossary() {}

    /** The entry with this id. */
    public static Term term(String id) {
        for (Term term : TERMS) {
            if (term.id().equals(id)) {
                return term;
            }
        }
        throw new IllegalArgumentException("the glossary has no " + id);
    }

    /** What the head of a column means, its unit in brackets aside; null where it is no term. */
    public static @Nullable Term behind(String head) {
        String words = head.replaceAll(" \\[.*", "");
        String id = HEADS.get(words);
        for (Term term : TERMS) {
            if (id == null ? term.name().equals(words) : term.id().equals(id)) {
                return term;
            }
        }
        return null;
    }

    public static List<Term> terms() {
        return TERMS;
    }
}

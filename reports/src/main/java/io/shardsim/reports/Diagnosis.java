package io.shardsim.reports;

import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.topology.LinkClass;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A run in words: why it takes as long as it does and which setting to turn next. The next step is a direction read off the largest loss, not a
 * promise; a further run tells.
 *
 * @param why one sentence
 * @param next one sentence
 */
public record Diagnosis(String why, String next) {
    /** Below this share of the step a loss is not worth a reader's first look. */
    private static final double NOTICEABLE = 0.03;

    private static final String FEWER_OPERATIONS =
            "Fewer and larger operations: larger sharded units or buckets, fused or compiled kernels, a larger micro-batch.";

    public static Diagnosis of(RunResult run) {
        if (run.status() == RunResult.Status.OUT_OF_MEMORY) {
            return outOfMemory(run);
        }
        if (run.collective() != null) {
            return ofCollective(run, run.collective());
        }
        return ofTraining(run, run.step());
    }

    /** What else there is to say of a run, each sentence with its subject before a colon: what goes on around the step, advice, accuracy. */
    public static List<String> further(RunResult run) {
        AroundTheStep around = AroundTheStep.of(run);
        List<String> sentences = new ArrayList<>(around == null ? List.of() : around.sentences());
        run.facts().advice().forEach(sentence -> sentences.add("Advice: " + sentence));
        ErrorInterval accuracy = run.facts().accuracy();
        if (accuracy != null) {
            sentences.add("Accuracy: " + accuracy.sentence() + ".");
        }
        return sentences;
    }

    private static Diagnosis outOfMemory(RunResult run) {
        RunFacts.Memory memory = run.facts().ledger();
        MemoryFit fit = memory.fit();
        return new Diagnosis(
                sentence(MemoryWords.needs(fit) + ": " + Quantities.gib(fit.missingBytes())
                        + " too much; most is held by " + largestOwner(memory)),
                run.remedy() == null ? "" : sentence(run.remedy()));
    }

    private static String sentence(String words) {
        String trimmed = words.trim();
        if (trimmed.isEmpty()) {
            return "";
        }
        return Character.toUpperCase(trimmed.charAt(0)) + trimmed.substring(1) + (trimmed.endsWith(".") ? "" : ".");
    }

    private static String largestOwner(RunFacts.Memory memory) {
        return memory.bytesByOwner().entrySet().stream()
                .filter(entry -> entry.getKey() != MemoryOwner.FRAGMENTATION)
                .max(Map.Entry.comparingByValue())
                .map(entry -> Names.of(entry.getKey()) + " (" + Quantities.gib(entry.getValue()) + ")")
                .orElse("nobody");
    }

    private static Diagnosis ofCollective(RunResult run, BusBandwidth speed) {
        LinkUse busiest = null;
        for (LinkUse use : run.links()) {
            if (busiest == null || use.busiestUtilization() > busiest.busiestUtilization()) {
                busiest = use;
            }
        }
        String where = busiest == null
                ? ""
                : " The busiest link is " + busiest.busiestPort() + " (" + Names.of(busiest.linkClass()) + "), busy "
                        + Quantities.percent(busiest.busiestUtilization()) + " of the time.";
        String next;
        if (busiest != null && busiest.busiestUtilization() <= 0.8) {
            next =
                    "No link is the limit, but the steps between ranks and what thread blocks move in them: a larger size or"
                            + " fewer ranks may raise the bandwidth.";
        } else if (busiest != null && shareOfBytes(run, busiest, speed.seconds()) < 0.5) {
            next = "The number of messages is the limit: most of that time goes to what each message takes beside its"
                    + " bytes; a larger size or fewer ranks raises the bandwidth.";
        } else {
            next = "The wire is the limit: a larger size will not raise the bandwidth much.";
        }
        return new Diagnosis(
                "Runs at " + Quantities.bytesPerSecond(speed.busBytesPerSecond()) + " of bus bandwidth." + where, next);
    }

    /** Of the time in which NICs are held, the share that their bytes take at the rate that they sustain; 1 for other links. */
    private static double shareOfBytes(RunResult run, LinkUse use, double seconds) {
        if (use.linkClass() != LinkClass.NIC) {
            return 1;
        }
        double rate = run.facts().cluster().instance().nic().effectiveRate().bytesPerSecond();
        return use.bytes() / rate / (use.utilization() * use.ports() * seconds);
    }

    private static Diagnosis ofTraining(RunResult run, RunResult.Training training) {
        StepBreakdown b = training.breakdown();
        double step = b.stepSeconds();
        Stream worst = worstStream(b);
        double loss = b.exposedSeconds(worst);
        if (loss < NOTICEABLE * step && b.slowdownSeconds() < NOTICEABLE * step) {
            return computeBound(run, training);
        }
        if (b.slowdownSeconds() > loss) {
            return new Diagnosis(
                    "Compute loses " + share(b.slowdownSeconds(), step)
                            + " to collectives, casts and copies that run beside it on the same GPUs.",
                    nextForSlowdown(run));
        }
        return new Diagnosis(
                "Compute stands still for " + share(loss, step) + ", " + Names.waitingFor(worst)
                        + culprit(training, worst) + ".",
                nextFor(run, worst));
    }

    private static Diagnosis computeBound(RunResult run, RunResult.Training training) {
        StepBreakdown b = training.breakdown();
        double recompute = b.workSeconds(Work.Kind.LAYER_RECOMPUTE);
        String next = recompute > NOTICEABLE * b.stepSeconds()
                ? "Recomputation takes " + share(recompute, b.stepSeconds()) + headroom(run)
                        + ": selective activation checkpointing would give most of it back if it fits."
                : "Faster kernels (flash attention, fused or compiled) are what is left.";
        return new Diagnosis(
                "The GPUs compute " + Quantities.percent(b.totalWorkSeconds() / b.stepSeconds())
                        + " of the step; communication is hidden behind it.",
                next);
    }

    private static Stream worstStream(StepBreakdown breakdown) {
        Stream worst = Stream.GATHER;
        for (Stream stream : Stream.values()) {
            if (stream != Stream.COMPUTE && breakdown.exposedSeconds(stream) > breakdown.exposedSeconds(worst)) {
                worst = stream;
            }
        }
        return worst;
    }

    private static String culprit(RunResult.Training training, Stream stream) {
        return training.exposed().culprits().stream()
                .filter(c -> c.stream().reportedAs() == stream)
                .findFirst()
                .map(c -> ", on rank 0 mostly for \u201c" + c.what() + "\u201d")
                .orElse("");
    }

    private static String nextFor(RunResult run, Stream stream) {
        RunFacts.Strategy strategy = run.facts().sharding();
        RunFacts.Training model = run.facts().model();
        int gpusPerNode = run.facts().cluster().gpusPerNode();
        boolean wideGroup = strategy.shardGroup() > gpusPerNode;
        switch (stream) {
            case GATHER:
                if (wideGroup) {
                    return "Gather among fewer ranks: a shard group below " + strategy.shardGroup() + whoHasGroups(run)
                            + headroom(run)
                            + (model.accumulationSteps() > 1 ? ", or " + largerMicroBatch(model) + "." : ".");
                }
                return model.accumulationSteps() > 1
                        ? "Gather less often: " + largerMicroBatch(model) + "."
                        : "Gather earlier: a deeper prefetch, or larger sharded units.";
            case REDUCE:
                return wideGroup
                        ? "Combine gradients in two hops: inside a smaller shard group every micro-batch, across groups once per training step"
                                + whoHasGroups(run) + "."
                        : "Combine gradients less often: a larger global batch, in more accumulation steps.";
            case HOST:
                if (waitsForHosts(run, "optimizer")) {
                    return "Keep optimizer states on the GPU (more nodes, or a stage that splits more), or update less often: a larger global batch.";
                }
                return waitsForHosts(run, "activations")
                        ? "Keep activations on the GPU (no offload), with a smaller micro-batch where they do not fit."
                        : FEWER_OPERATIONS;
            case COPY:
                return "Keep activations on the GPU (no offload), or load them back earlier" + headroom(run) + ".";
            case TENSOR:
                return "Split layers among fewer ranks: a smaller tensor_parallel" + headroom(run)
                        + (strategy.split().sequence()
                                ? "."
                                : ", or sequence_parallel, which splits what is left whole.");
            case CONTEXT:
                return "Split samples among fewer ranks: a smaller context_parallel" + headroom(run)
                        + ", or among ranks of one node.";
            case PIPELINE_FORWARD:
            case PIPELINE_BACKWARD:
                return "Keep stages busier: fewer pipeline stages" + headroom(run)
                        + ", more micro-batches per training step, or "
                        + (strategy.split().interleaved() ? "more model_chunks." : "an interleaved schedule.");
            default:
                return FEWER_OPERATIONS;
        }
    }

    private static boolean waitsForHosts(RunResult run, String work) {
        return run.step().exposed().culprits().stream()
                .anyMatch(culprit ->
                        culprit.stream() == Stream.HOST && culprit.what().contains(work));
    }

    private static String nextForSlowdown(RunResult run) {
        boolean wide =
                run.facts().sharding().shardGroup() > run.facts().cluster().gpusPerNode();
        RunFacts.Training model = run.facts().model();
        boolean accumulates = model.accumulationSteps() > 1;
        if (!wide && !accumulates) {
            return "Collectives with fewer streaming multiprocessors, such as SMDDP's, leave more of the GPU to compute.";
        }
        return "Move fewer bytes: " + (wide ? "a smaller shard group" + whoHasGroups(run) + headroom(run) : "")
                + (wide && accumulates ? ", or " : "")
                + (accumulates ? largerMicroBatch(model) : "") + ".";
    }

    private static String largerMicroBatch(RunFacts.Training model) {
        return model.largestMicroBatch()
                ? "room for a larger micro-batch, which offloaded activations make (under ZeRO, compute waits for them)"
                : "a larger micro-batch with fewer accumulation steps";
    }

    /** Where all ranks share one copy, the strategy may be one that cannot do otherwise. */
    private static String whoHasGroups(RunResult run) {
        RunFacts.Strategy strategy = run.facts().sharding();
        return strategy.shardGroup() < run.gpus() / strategy.split().ranks()
                ? ""
                : ", as mics, fsdp2 and fsdp-hybrid have";
    }

    private static String headroom(RunResult run) {
        RunFacts.Memory memory = run.facts().ledger();
        long freeBytes = memory.capacityBytes() - memory.peakBytes();
        return freeBytes > 0
                ? " (" + Quantities.gib(freeBytes) + " of memory are free)"
                : ", which memory has no room for";
    }

    private static String share(double seconds, double step) {
        return Quantities.seconds(seconds) + " of " + Quantities.seconds(step) + " ("
                + Quantities.percent(seconds / step) + ")";
    }
}

package io.shardsim.simulator.job;

import io.shardsim.simulator.NearestNumbers;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.pipeline.PipelineSchedule;
import io.shardsim.simulator.pipeline.PipelineSchedules;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Model and context parallelism of a job. Tensor parallelism splits every layer among neighbouring ranks [1], context parallelism the tokens of every
 * sample [3], pipeline parallelism gives whole layers to stages [2]; the rest is data parallel: world size = tensor x context x data x pipeline.
 * Ranks are numbered in that order, tensor first, as Megatron-LM numbers them (megatron/core/parallel_state.py). Ranks that share a sample hold the
 * same parameters, so that gradients are reduced, and states sharded, over context x data ranks.
 *
 * <p>[1] Shoeybi et al., Megatron-LM, arXiv:1909.08053. [2] Narayanan et al., arXiv:2104.04473, section 2.2. [3] Liu et al., Ring Attention,
 * arXiv:2310.01889. [4] Parallel folding, NVIDIA/Megatron-LM @d98e8a64, megatron/core/transformer/moe/README.md.
 *
 * @param tensor ranks that split each layer, t
 * @param context ranks that split the tokens of each sample, c
 * @param experts ranks that together hold the experts of each layer once: neighbours within a stage, independent of the other splits [4]
 * @param expertTensor neighbours among these that split the width of each expert; the others hold other experts
 * @param dispatcher how tokens reach their experts
 * @param choices options of the split and its communication
 */
public record ModelParallel(
        int tensor,
        int context,
        int experts,
        int expertTensor,
        Pipeline pipeline,
        Dispatcher dispatcher,
        Set<Choice> choices) {
    private static final String EXPERT_PARALLEL = "expert_parallel";
    private static final String EXPERT_TENSOR = "expert_tensor_parallel";
    private static final Set<String> EXPERT_DEGREES = Set.of(EXPERT_PARALLEL, EXPERT_TENSOR);
    private static final String BALANCED = "balanced";
    private static final List<String> PARTITIONS = List.of(BALANCED, "uniform");

    /** Communication of a token with the ranks of its experts. */
    public enum Dispatcher {
        /** One copy for each of its experts. */
        ALLTOALL,
        /** All tokens to all ranks. */
        ALLGATHER,
        /** One copy to each node with some of its experts, and from there to each such rank (DeepEP, HybridEP). */
        DEEPEP;

        /** Returns the name in scenario files. */
        public String id() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Option of a split or its communication, set by the flag of the same meaning. */
    public enum Choice {
        /** Splits norms and dropouts along the sequence among tensor-parallel ranks. */
        SEQUENCE("sequence_parallel", false),
        /** Makes the sequence the outermost dimension of activations, so that its shards are contiguous. */
        SEQUENCE_FIRST("sequence_first", true),
        /** Gathers all logits on every tensor-parallel rank, which computes the whole loss instead of its shard's. */
        GATHERS_LOGITS("gather_logits", false),
        /** Communicates the input and its gradient for each projection of a block, instead of once per block. */
        EXCHANGES_BY_PROJECTION("exchange_by_projection", false),
        /** Overlaps GEMMs with communication along the sequence, piece by piece. */
        OVERLAPS_EXCHANGES("overlap_tensor_exchange", false),
        /** Overlaps the exchange of tokens with experts with compute of another micro-batch. */
        OVERLAPS_EXPERTS("overlap_expert_exchange", false),
        /** Overlaps the all-reduce of a block's input gradient with the wgrad GEMM of its first weights. */
        ASYNC_ALL_REDUCE("async_tensor_all_reduce", false),
        /** All-gathers keys and values in a context-parallel group. */
        GATHERS_KEYS_VALUES("gather_keys_values", false),
        /** Communicates keys and values repeated for all heads, and sums results and gradients with element-wise FP32 kernels, as PyTorch does. */
        SUMS_IN_FP32("context_sums_in_fp32", false),
        /** Sends each tensor-parallel rank's shard of the activations to the next stage, instead of all of them. */
        SCATTER_GATHER("scatter_gather", true);

        private final String key;
        private final boolean undeclared;

        Choice(String key, boolean undeclared) {
            this.key = key;
            this.undeclared = undeclared;
        }

        /** Returns the flag's name in a strategy. */
        public String key() {
            return key;
        }

        /** Returns the default for a strategy without the flag. */
        public boolean undeclared() {
            return undeclared;
        }
    }

    /**
     * Assignment of layers to stages.
     *
     * @param stages p
     * @param schedule name of the schedule
     * @param chunks model chunks that each stage holds, v; more than one only for interleaved schedules
     * @param partition {@code balanced}: layers by cost; {@code uniform}: by number; or those of each model chunk: {@code 3 + 22 x 4 + 3}
     */
    public record Pipeline(int stages, String schedule, int chunks, String partition) {
        /** No pipeline parallelism: all layers on every rank. */
        public static final Pipeline NONE = new Pipeline(1, "1f1b", 1, BALANCED);

        private static final Pattern TERM = Pattern.compile("(?:([1-9]\\d{0,3}) *x *)?([1-9]\\d{0,3})");
        private static final Pattern LISTED = Pattern.compile(TERM + "(?: *\\+ *" + TERM + ")*");

        /** Returns the layers of each model chunk as listed; empty if the partition is a rule. */
        List<Integer> listed() {
            List<Integer> counts = new ArrayList<>();
            Matcher terms = TERM.matcher(LISTED.matcher(partition).matches() ? partition : "");
            while (terms.find()) {
                int times = terms.group(1) == null ? 1 : Integer.parseInt(terms.group(1));
                counts.addAll(Collections.nCopies(times, Integer.parseInt(terms.group(2))));
            }
            return counts;
        }

        private boolean isKnown() {
            return PARTITIONS.contains(partition) || !listed().isEmpty();
        }
    }

    /** Data parallelism only. */
    public static final ModelParallel NONE = new ModelParallel(
            1, 1, 1, 1, Pipeline.NONE, Dispatcher.ALLTOALL, EnumSet.of(Choice.SEQUENCE_FIRST, Choice.SCATTER_GATHER));

    public ModelParallel {
        choices = Set.copyOf(choices);
    }

    public boolean is(Choice choice) {
        return choices.contains(choice);
    }

    /** Returns whether forwards and backwards alternate within layers, so that each computes while the other exchanges tokens with experts. */
    public boolean overlapsExperts() {
        return is(Choice.OVERLAPS_EXPERTS) && experts > 1;
    }

    public boolean sequence() {
        return is(Choice.SEQUENCE);
    }

    public int stages() {
        return pipeline.stages();
    }

    boolean balanced() {
        return pipeline.partition().equals(BALANCED);
    }

    /** Returns the ranks that hold different experts, e. */
    public int expertParallel() {
        return experts / expertTensor;
    }

    /** Returns the ranks per model replica, t x p. */
    public int ranks() {
        return Math.multiplyExact(tensor, stages());
    }

    /** Returns the ranks per sample, t x c x p. */
    public int ranksOfSample() {
        return Math.multiplyExact(ranks(), context);
    }

    /** Returns the number of model chunks, p x v. */
    public int virtualStages() {
        return Math.multiplyExact(stages(), pipeline.chunks());
    }

    /** Returns the number of micro-batches after which a stage's memory has peaked. */
    public int microBatchesToPeak(int microBatches) {
        if (stages() == 1) {
            return Math.min(2, microBatches);
        }
        return PipelineSchedules.all().named(pipeline.schedule()).microBatchesToPeak(stages(), microBatches);
    }

    /** Returns whether the schedule computes gradients of inputs and of weights in separate passes. */
    public boolean splitsBackward() {
        return stages() > 1
                && PipelineSchedules.all().names().contains(pipeline.schedule())
                && PipelineSchedules.all().named(pipeline.schedule()).splitsBackward();
    }

    /** Returns why a world cannot be split this way: relation, values, remedy; empty if it can. */
    public List<Refusal> problems(int worldSize) {
        long ranksOfSample = (long) tensor * context * stages();
        if (worldSize % ranksOfSample == 0) {
            int stageRanks = worldSize / stages();
            return stageRanks % experts == 0
                    ? List.of()
                    : List.of(new Refusal(
                            product(expertFactors(), experts) + " does not divide the " + stageRanks
                                    + " ranks of a pipeline stage; " + NearestNumbers.divisors(stageRanks, experts),
                            List.copyOf(expertFactors().keySet())));
        }
        Map<String, Integer> factors = degrees();
        factors.keySet().removeAll(EXPERT_DEGREES);
        return List.of(new Refusal(
                product(factors, ranksOfSample) + " does not divide world size " + worldSize + "; "
                        + NearestNumbers.divisors(worldSize, ranksOfSample),
                List.copyOf(factors.keySet())));
    }

    private Map<String, Integer> expertFactors() {
        Map<String, Integer> factors = degrees();
        factors.keySet().retainAll(EXPERT_DEGREES);
        return factors;
    }

    private static String product(Map<String, Integer> factors, long product) {
        List<String> words = new ArrayList<>();
        factors.forEach((key, degree) -> words.add(key + " " + degree));
        return String.join(" x ", words) + (words.size() > 1 ? " = " + product : "");
    }

    /** Returns why a model cannot be split this way. */
    public List<Refusal> problems(TrainingJob job) {
        List<Refusal> problems = new ArrayList<>(problems(job.worldSize()));
        problems.addAll(
                problems(job.model(), job.sequenceLength(), job.execution().attention()));
        addScheduleProblems(problems, job);
        if (is(Choice.OVERLAPS_EXPERTS)) {
            addOverlapProblems(problems, job);
        }
        int ofNode = job.gpusPerNode();
        if (dispatcher == Dispatcher.DEEPEP && ofNode % experts != 0 && experts % ofNode != 0) {
            problems.add(Refusal.of(
                    "expert_dispatcher deepep needs " + product(expertFactors(), experts) + " to divide the " + ofNode
                            + " GPUs of a node, or to be a multiple; "
                            + (experts < ofNode
                                    ? NearestNumbers.divisors(ofNode, experts)
                                    : NearestNumbers.multiples(ofNode, experts)),
                    "expert_dispatcher",
                    EXPERT_PARALLEL));
        }
        return problems;
    }

    /** Checks what Megatron-Core requires (megatron/core/transformer/transformer_config.py, commit d98e8a64). */
    private void addOverlapProblems(List<Refusal> problems, TrainingJob job) {
        String key = Choice.OVERLAPS_EXPERTS.key();
        if (dispatcher == Dispatcher.ALLGATHER) {
            problems.add(Refusal.needs(key, "true", "expert_dispatcher", "alltoall or deepep", dispatcher.id()));
        }
        if (job.checkpointing() == Checkpointing.FULL) {
            problems.add(Refusal.needs(key, "true", "activation_checkpointing", "none or selective", "full"));
        }
        if (job.kept().offload()) {
            problems.add(Refusal.needs(key, "true", "activation_offload", "false", "true"));
        }
        if (stages() > 1 && pipeline.chunks() == 1) {
            String needed = "interleaved with pipeline_parallel " + stages();
            problems.add(Refusal.needs(key, "true", "pipeline_schedule", needed, pipeline.schedule()));
        }
    }

    /** Returns why a model cannot be split this way, whatever the world and its samples. */
    public List<Refusal> problems(ModelShape model, int sequenceLength, AttentionKind attention) {
        List<Refusal> problems = new ArrayList<>();
        if (model.image().isConvolved()) {
            addConvolutionProblems(problems);
            return problems;
        }
        boolean splitsHeads = model.heads() % tensor == 0;
        addDivisorProblem(
                problems,
                "tensor_parallel",
                tensor,
                splitsHeads ? "kv_heads" : "heads",
                splitsHeads ? model.kvHeads() : model.heads());
        addExpertProblems(problems, model);
        addDecoderProblems(problems, model, attention);
        addSequenceProblems(problems, sequenceLength, attention);
        addPipelineProblems(problems, model.layers());
        return problems;
    }

    private void addConvolutionProblems(List<Refusal> problems) {
        degrees()
                .forEach((key, degree) -> problems.add(
                        Refusal.of(key + " " + degree + " of a convolutional network is not modelled; write 1", key)));
    }

    /** Returns the degrees above 1. */
    private Map<String, Integer> degrees() {
        Map<String, Integer> degrees = new LinkedHashMap<>();
        degrees.put("tensor_parallel", tensor);
        degrees.put("context_parallel", context);
        degrees.put(EXPERT_PARALLEL, expertParallel());
        degrees.put(EXPERT_TENSOR, expertTensor);
        degrees.put("pipeline_parallel", stages());
        degrees.values().removeIf(degree -> degree == 1);
        return degrees;
    }

    private void addDecoderProblems(List<Refusal> problems, ModelShape model, AttentionKind attention) {
        if (!model.decoder().isPresent()) {
            return;
        }
        if (stages() > 1) {
            problems.add(Refusal.of(
                    "pipeline_parallel " + stages() + " across an encoder and a decoder is not modelled; write 1",
                    "pipeline_parallel"));
        }
        if (context > 1) {
            problems.add(Refusal.of(
                    "context_parallel " + context + " of a model with cross attention is not modelled; write 1",
                    "context_parallel"));
        }
        if (attention == AttentionKind.FLASH && model.decoder().hasPositionBias()) {
            problems.add(Refusal.of(
                    "attention flash does not support this model's position bias; write attention: standard"));
        }
    }

    private void addExpertProblems(List<Refusal> problems, ModelShape model) {
        if (experts == 1) {
            return;
        }
        if (!model.mixture().isPresent()) {
            expertFactors()
                    .forEach((key, degree) -> problems.add(
                            Refusal.of(key + " " + degree + " needs a model with experts; remove it", key)));
            return;
        }
        addDivisorProblem(
                problems,
                EXPERT_PARALLEL,
                expertParallel(),
                "experts",
                model.mixture().experts().number());
        addDivisorProblem(
                problems,
                EXPERT_TENSOR,
                expertTensor,
                "expert_ffn",
                model.mixture().ffn());
    }

    private static void addDivisorProblem(List<Refusal> problems, String key, int degree, String of, int number) {
        if (number % degree != 0) {
            problems.add(Refusal.of(
                    key + " " + degree + " does not divide " + of + " " + number + "; "
                            + NearestNumbers.divisors(number, degree),
                    key));
        }
    }

    private void addSequenceProblems(List<Refusal> problems, int sequenceLength, AttentionKind attention) {
        int rankSequence = sequenceLength / context;
        if (sequence() && tensor == 1) {
            problems.add(Refusal.of(
                    "sequence_parallel true has no effect with tensor_parallel 1; set tensor_parallel to 2 or "
                            + "more, or remove sequence_parallel",
                    "sequence_parallel",
                    "tensor_parallel"));
        }
        if (context > 1 && sequenceLength % (2L * context) != 0) {
            // The mask lets late tokens see more than early ones, so each rank gets an early and a late chunk.
            problems.add(Refusal.of(
                    "context_parallel " + context + " needs sequence_length " + sequenceLength
                            + " to be a multiple of " + 2L * context + ", twice context_parallel; "
                            + NearestNumbers.multiples(2L * context, sequenceLength),
                    "context_parallel",
                    "sequence_length"));
        } else if (sequence() && rankSequence % tensor != 0) {
            problems.add(Refusal.of(
                    "sequence_parallel true needs "
                            + (context > 1
                                    ? "sequence_length " + sequenceLength + " / context_parallel " + context + " = "
                                            + rankSequence
                                    : "sequence_length " + sequenceLength)
                            + " to be a multiple of tensor_parallel " + tensor + "; "
                            + NearestNumbers.divisors(rankSequence, tensor),
                    "sequence_parallel",
                    "sequence_length",
                    "tensor_parallel"));
        }
        if (context > 1 && attention != AttentionKind.FLASH) {
            String actual = attention.name().toLowerCase(Locale.ROOT);
            problems.add(Refusal.needs("context_parallel", String.valueOf(context), "attention", "flash", actual));
        }
        if (is(Choice.OVERLAPS_EXCHANGES) && !sequence()) {
            problems.add(Refusal.needs(Choice.OVERLAPS_EXCHANGES.key(), "true", "sequence_parallel", "true", "false"));
        }
    }

    /** Returns the settings without effect on the job, each with the reason. */
    public Map<String, String> idle(TrainingJob job) {
        Map<String, String> idle = new LinkedHashMap<>();
        if (!sequence()) {
            idle.put("sequence_first", "without sequence_parallel");
        } else if (job.microBatch() == 1) {
            idle.put("sequence_first", "with micro_batch 1");
        }
        if (tensor == 1) {
            idle.put("gather_logits", "without tensor_parallel");
            idle.put("exchange_by_projection", "without tensor_parallel");
        }
        if (experts == 1) {
            idle.put("expert_dispatcher", "without expert_parallel");
            idle.put(Choice.OVERLAPS_EXPERTS.key(), "without expert_parallel");
        } else if (job.accumulationSteps() == 1) {
            idle.put(Choice.OVERLAPS_EXPERTS.key(), "with one micro-batch per step");
        }
        if (context == 1) {
            idle.put("gather_keys_values", "without context_parallel");
            idle.put("context_sums_in_fp32", "without context_parallel");
        }
        return idle;
    }

    /** Checks what the schedule requires of the stages: equally many layers each, and the number of micro-batches. */
    private void addScheduleProblems(List<Refusal> problems, TrainingJob job) {
        PipelineSchedules schedules = PipelineSchedules.all();
        if (stages() > 1 && schedules.names().contains(pipeline.schedule()) && pipeline.isKnown()) {
            int layers = job.model().layers() - job.model().form().mtpLayers();
            List<Integer> listed = pipeline.listed();
            if (!listed.isEmpty()) {
                addListProblems(problems, listed, layers);
            } else if (!balanced() && virtualStages() <= layers && layers % virtualStages() != 0) {
                problems.add(Refusal.of(
                        "partition uniform needs layers " + layers + " to be a multiple of " + virtualStages()
                                + " stages; "
                                + NearestNumbers.divisors(layers, virtualStages())
                                + ", or write partition: balanced",
                        "partition"));
            }
            PipelineSchedule schedule = schedules.named(pipeline.schedule());
            if (schedule.problem(stages(), stages(), pipeline.chunks()).isEmpty()) {
                schedule.problem(stages(), job.accumulationSteps(), pipeline.chunks())
                        .ifPresent(problems::add);
            }
        }
    }

    private void addListProblems(List<Refusal> problems, List<Integer> listed, int layers) {
        int sum = listed.stream().mapToInt(Integer::intValue).sum();
        if (listed.size() != virtualStages() || sum != layers) {
            problems.add(Refusal.of(
                    "partition " + pipeline.partition() + " gives " + sum + " layers to " + listed.size()
                            + " model chunks; give " + layers + " to pipeline_parallel " + stages()
                            + " x model_chunks " + pipeline.chunks() + " = " + virtualStages(),
                    "partition"));
        }
    }

    private void addPipelineProblems(List<Refusal> problems, int layers) {
        int chunks = pipeline.chunks();
        String schedule = pipeline.schedule();
        String partition = pipeline.partition();
        PipelineSchedules schedules = PipelineSchedules.all();
        if (!schedules.names().contains(schedule)) {
            problems.add(Refusal.of(
                    "pipeline_schedule " + schedule + " is not known; there are "
                            + String.join(", ", schedules.names()),
                    "pipeline_schedule"));
            return;
        }
        if (!pipeline.isKnown()) {
            problems.add(Refusal.of(
                    "partition " + partition + " is not known; there are " + String.join(", ", PARTITIONS)
                            + ", and the layers of each model chunk, such as 3 + 6 x 4 + 3",
                    "partition"));
            return;
        }
        if (stages() == 1) {
            if (chunks > 1) {
                problems.add(Refusal.of(
                        "model_chunks " + chunks + " has no effect with pipeline_parallel 1; remove it",
                        "model_chunks"));
            }
            return;
        }
        if ((long) stages() * chunks > layers) {
            problems.add(Refusal.of(
                    "pipeline_parallel " + stages() + (chunks > 1 ? " x model_chunks " + chunks : "") + " > "
                            + layers + " layers of the model; write "
                            + (layers / chunks > 1 ? layers / chunks : "model_chunks " + Math.max(1, layers / stages()))
                            + " or less",
                    "pipeline_parallel",
                    "model_chunks"));
        }
        // As many micro-batches as stages suit every schedule.
        schedules.named(schedule).problem(stages(), stages(), chunks).ifPresent(problems::add);
    }
}

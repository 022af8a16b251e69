package io.shardsim.scenarios.importing;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Arguments of Megatron-LM's training scripts, of its DeepSpeed fork, and of the launcher before them. */
final class MegatronArguments implements Importer {
    private static final long MOST = Integer.MAX_VALUE;
    private static final double DEFAULT_SGD_MOMENTUM = 0.9;
    private static final String FORKS_GATE = "glu-activation";
    /** DeepSpeed strategies by ZeRO stage. */
    static final List<String> STAGES = List.of("ddp", "zero1", "zero2", "zero3-0.11");

    /** Required keys of a model. */
    private static final List<String> SHAPE = List.of("num-layers", "hidden-size", "num-attention-heads");

    private static final String FP8_RECIPE = "training.fp8_recipe";

    /** FP8 recipes by their name in {@code --fp8-recipe}. */
    private static final Map<String, String> RECIPES =
            Map.of("delayed", "delayed", "tensorwise", "current", "blockwise", "blockwise", "mxfp8", "mxfp8");

    private static final List<String> RECIPE_WORDS =
            RECIPES.keySet().stream().sorted().toList();

    private static final String GRADIENTS = "strategy.gradients_in_fp32";

    @Override
    public String table() {
        return "megatron";
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        contributeCluster(file, draft, '-');
        refuseOthers(file);
        List<String> shape = SHAPE.stream().filter(file::has).toList();
        if (draft.has("model") && !shape.isEmpty() && shape.size() < SHAPE.size()) {
            shape.forEach(key -> file.judge(
                    key,
                    Verdict.DECIDES_THE_ANSWER,
                    "changes part of the --model; describe the model in the scenario"));
        } else if (!shape.isEmpty()) {
            contributeModel(file, draft);
        } else {
            draft.giveText(file, "model-name", Draft.HUB_NAME);
        }
        contributeTraining(file, draft);
        contributeStrategy(file, draft);
        contributeCheckpointing(file, draft);
    }

    /** Rejects models whose layers are not simulated. */
    private static void refuseOthers(ForeignFile file) {
        ForeignKey runs = file.key("script");
        String script = runs == null ? "" : runs.text();
        if (script.matches("(?i).*(biencoder|t5|vit|vision|retro|ict|mamba|hybrid|vlm|mimo|multimodal)[^/]*")) {
            file.refuse(
                    "script",
                    "script " + script
                            + " trains a model that is not modelled; only GPT and BERT are, as in "
                            + "pretrain_gpt.py and pretrain_bert.py");
        }
        String named = file.text("model-name");
        if (named != null && !named.matches("(?i)gpt|llama[23]?|codellama|mistral")) {
            file.refuse(
                    "model-name",
                    "model-name " + named + " is not modelled; modelled: gpt, llama, llama2, codellama, mistral");
        }
        if (file.flag("multi-latent-attention", false)) {
            file.refuse(
                    "multi-latent-attention",
                    "multi-latent-attention is not modelled; leave it out to use grouped-query attention");
        }
    }

    /** Reads the launcher's arguments, with dashes or underscores. */
    static void contributeCluster(ForeignFile file, Draft draft, char between) {
        for (String key : List.of("nnodes", "num-nodes", "num-machines", "replicas")) {
            String name = key.replace('-', between);
            draft.give(Draft.NODES, launcher(file, name, 65_536), file.key(name));
        }
        for (String key : List.of("nproc-per-node", "num-gpus", "gpus-per-node", "nvidia.com/gpu")) {
            String name = key.replace('-', between);
            draft.give(Draft.GPUS_PER_NODE, launcher(file, name, 64), file.key(name));
        }
        String processes = "num-processes".replace('-', between);
        draft.give(Draft.WORLD, launcher(file, processes, 1 << 22), file.key(processes));
    }

    /** A launcher argument; null, and irrelevant, if it comes from an environment variable, whose value is unknown. */
    static @Nullable Long launcher(ForeignFile file, String key, long max) {
        ForeignKey found = file.key(key);
        if (found == null) {
            return null;
        }
        if (!found.text().matches("\\d+")) {
            found.judge(Verdict.IRRELEVANT, "set by the environment; pass --nodes and --instance");
            return null;
        }
        return file.whole(key, 1, max);
    }

    private static void contributeModel(ForeignFile file, Draft draft) {
        Long hidden = required(file, draft, "hidden-size", "model.hidden");
        required(file, draft, "num-layers", "model.layers");
        Long heads = required(file, draft, "num-attention-heads", "model.heads");
        boolean fork = file.choice(FORKS_GATE, List.of("swiglu", "geglu", "reglu", "liglu")) != null;
        String gate = fork ? FORKS_GATE : file.flag("quick-geglu", false) ? "quick-geglu" : "swiglu";
        boolean gated = fork || file.flag(gate, false);
        draft.give("model.gated_ffn", gated ? Boolean.TRUE : null, file.key(gate));
        draft.byDefault("model.gated_ffn", false, without(file, "swiglu"));
        contributeEncoder(file, draft);
        Long ffn = draft.giveWhole(file, "ffn-hidden-size", "model.ffn", 1, MOST);
        if (hidden != null && gated && !fork) {
            draft.byDefault(
                    "model.ffn",
                    Math.max(1, (long) (4 * hidden * 2 / 3) / 64 * 64),
                    "2/3 of 4 x hidden with a gated FFN");
        } else if (hidden != null) {
            draft.byDefault("model.ffn", 4 * hidden, "4 x hidden");
        }
        contributeGroups(file, draft);
        contributeVocabulary(file, draft);
        draft.byDefault("model.tied_embeddings", true, without(file, "untie-embeddings-and-output-weights"));
        contributePositions(file, draft);
        contributeNorm(file, gated);
        if (file.flag("qk-layernorm", false)) {
            draft.give("model.qk_norm", gated ? Boolean.TRUE : null, file.key("qk-layernorm"));
            if (!gated) {
                file.judge("qk-layernorm", Verdict.APPROXIMATED, "the simulated GPT-2 layer has no QK-norm");
            }
        }
        Long width = file.whole("kv-channels", 1, MOST);
        if (width != null && hidden != null && heads != null && width * heads != hidden) {
            draft.give("model.head_dim", width, file.key("kv-channels"));
        }
        Long experts = file.whole("num-experts", 1, MOST);
        draft.give("model.experts", experts == null || experts == 1 ? null : experts, file.key("num-experts"));
    }

    private static @Nullable Long required(ForeignFile file, Draft draft, String key, String name) {
        Long value = file.whole(key, 1, MOST);
        if (!file.has(key)) {
            file.refuse(key, "has " + without(file, key) + "; the model shape needs it, so add it");
        }
        draft.give(name, value, file.key(key));
        return value;
    }

    private static void contributeEncoder(ForeignFile file, Draft draft) {
        ForeignKey script = file.key("script");
        if (script == null || !script.text().matches(".*pretrain_bert[^/]*")) {
            return;
        }
        draft.giveDecimal(file, "mask-prob", "model.masked_lm", 0, 1);
        draft.byDefault("model.masked_lm", 0.15, without(file, "mask-prob"));
        draft.byDefault("model.post_norm", false, "a layer of Megatron-LM");
        draft.give("model.pooler", !file.flag("bert-no-binary-head", false), file.key("bert-no-binary-head"));
        draft.byDefault("model.pooler", true, without(file, "bert-no-binary-head"));
    }

    private static void contributeGroups(ForeignFile file, Draft draft) {
        Long groups = file.whole("num-query-groups", 1, MOST);
        if (file.flag("group-query-attention", false)) {
            draft.give("model.kv_heads", groups == null ? Long.valueOf(1) : groups, file.key("group-query-attention"));
        } else if (!file.has("num-key-value-heads")) {
            file.judge("num-query-groups", Verdict.IRRELEVANT, "read with group-query-attention only");
        }
    }

    private static void contributeVocabulary(ForeignFile file, Draft draft) {
        String size = firstOf(file, "padded-vocab-size", "pad-vocab-size-to", "vocab-size");
        draft.giveWhole(file, size, "model.vocab", 1, MOST);
        String tokenizer = file.text("tokenizer-type");
        String model = file.text("model-name");
        Long known = Known.vocabulary(model == null ? tokenizer : model);
        ForeignKey words = file.key(firstOf(file, "vocab-file", "tokenizer-model"));
        if (known != null && words != null && model == null && Known.isOtherVocabulary(tokenizer, words.text())) {
            draft.assume(
                    "model.vocab",
                    known,
                    without(file, "vocab-size") + "; that of " + tokenizer + ", and " + words.path()
                            + " may hold another");
        } else if (known != null) {
            draft.byDefault("model.vocab", known, "the vocabulary of " + (model == null ? tokenizer : model));
        } else if (!draft.has("model.vocab")) {
            draft.assume("model.vocab", 50_257L, without(file, "vocab-size") + ", and the tokenizer does not give it");
            file.judge("tokenizer-type", Verdict.APPROXIMATED, "unknown vocabulary size; set model.vocab");
        }
        for (String key : List.of("make-vocab-size-divisible-by", "no-pad-vocab-size", "disable-pad-vocab-size")) {
            file.judge(key, Verdict.APPROXIMATED, "the vocabulary is padded to a multiple of 128 x tensor_parallel");
        }
    }

    private static void contributePositions(ForeignFile file, Draft draft) {
        String type = file.choice(
                "position-embedding-type",
                List.of("learned_absolute", "rope", "rotary", "mrope", "yarn", "alibi", "relative", "none"));
        boolean learned = (type == null || type.equals("learned_absolute"))
                && !file.flag("use-rotary-position-embeddings", false)
                && !file.flag("no-position-embedding", false);
        Long rows = file.whole("max-position-embeddings", 1, MOST);
        if (learned) {
            draft.give("model.max_positions", rows, file.key("max-position-embeddings"));
        } else {
            draft.byDefault("model.max_positions", 0L, "no learned positions");
            file.judge("max-position-embeddings", Verdict.IRRELEVANT, "only a limit; no positions are learned");
        }
        if ("alibi".equals(type)) {
            file.judge(
                    "position-embedding-type", Verdict.APPROXIMATED, "no learned positions; the ALiBi bias is ignored");
        } else if ("relative".equals(type)) {
            file.judge(
                    "position-embedding-type", Verdict.NOT_MODELLED, "relative position biases add work in attention");
        }
    }

    /** Only the layers of GPT-2 and Llama are simulated. */
    private static void contributeNorm(ForeignFile file, boolean gated) {
        if (file.flag("use-rms-norm", gated) != gated) {
            file.judge("use-rms-norm", Verdict.APPROXIMATED, "layer norms, as in GPT-2's layer");
        }
        String norm = file.text("normalization");
        if (norm != null && norm.equalsIgnoreCase("rmsnorm") != gated) {
            file.judge(
                    "normalization",
                    Verdict.APPROXIMATED,
                    gated ? "RMS norms, as in Llama's layer" : "layer norms, as in GPT-2's layer");
        }
        if (file.flag("disable-bias-linear", false) && !gated) {
            file.judge("disable-bias-linear", Verdict.APPROXIMATED, "the simulated layer has its biases");
        }
    }

    private static void contributeTraining(ForeignFile file, Draft draft) {
        draft.byDefault(Draft.PRECISION, "fp32", without(file, "bf16") + " and " + without(file, "fp16"));
        Double hidden = file.decimal("hidden-dropout", 0, 1);
        Double attention = file.decimal("attention-dropout", 0, 1);
        ForeignKey key = file.key(hidden != null ? "hidden-dropout" : "attention-dropout");
        boolean on = hidden == null || attention == null || hidden > 0 || attention > 0;
        draft.give("training.dropout", on, key);
        Double momentum = file.decimal("sgd-momentum", 0, 1);
        OptimizerName.contribute(file, draft, "optimizer", momentum == null ? DEFAULT_SGD_MOMENTUM : momentum);
        List<String> moments = List.of("exp-avg-dtype", "exp-avg-sq-dtype");
        if (moments.stream().allMatch(dtype -> "bf16".equals(file.text(dtype)) || "fp16".equals(file.text(dtype)))) {
            draft.give(OptimizerName.SETTING, "adamw-bf16-moments", file.key(moments.get(0)));
            moments.forEach(dtype -> file.judge(dtype, Verdict.MODELLED, OptimizerName.SETTING));
        }
    }

    private static void contributeCheckpointing(ForeignFile file, Draft draft) {
        String how = file.has("recompute-granularity") ? "recompute-granularity" : "activations-checkpoint-granularity";
        String granularity = file.choice(how, List.of("full", "selective"));
        draft.give(Draft.CHECKPOINTING, granularity, file.key(how));
        String method = "activations-checkpoint-method";
        if (granularity == null && file.has(method)) {
            draft.give(Draft.CHECKPOINTING, "full", file.key(method));
        } else if (granularity == null) {
            file.judge("recompute-method", Verdict.IRRELEVANT, without(file, "recompute-granularity") + " full");
        }
        draft.byDefault(Draft.CHECKPOINTING, "none", without(file, "recompute-granularity"));
        contributeRecomputedLayers(file, draft, granularity);
    }

    /** The block method recomputes that many layers in each model chunk of a stage; the uniform method recomputes all layers, that many at a time. */
    private static void contributeRecomputedLayers(ForeignFile file, Draft draft, @Nullable String granularity) {
        String key =
                firstOf(file, "recompute-num-layers", "activations-checkpoint-num-layers", "checkpoint-num-layers");
        String methodKey = file.has("recompute-method") ? "recompute-method" : "activations-checkpoint-method";
        String method = file.choice(methodKey, List.of("uniform", "block"));
        Long layers = file.whole(key, 1, MOST);
        if (layers == null || "selective".equals(granularity)) {
            file.judge(key, Verdict.IRRELEVANT, "selective recomputation does not read it");
        } else if ("block".equals(method)) {
            long pieces = orOne(file.whole("pipeline-model-parallel-size", 1, 4096))
                    * draft.whole("strategy.model_chunks", 1);
            Long all = file.whole("num-layers", 1, MOST);
            draft.give(
                    "training.checkpointed_layers",
                    all == null ? layers * pieces : Math.min(all, layers * pieces),
                    file.key(key));
        } else if (layers > 1) {
            file.judge(
                    key, Verdict.APPROXIMATED, "each layer keeps its input; " + layers + " at a time would keep fewer");
        }
    }

    /** Says that a key is missing, by its name in this kind of file. */
    private static String without(ForeignFile file, String word) {
        return "no " + file.table().called(word);
    }

    private static String firstOf(ForeignFile file, String... keys) {
        for (String key : keys) {
            if (file.has(key)) {
                return key;
            }
        }
        return keys[0];
    }

    private static long orOne(@Nullable Long value) {
        return value == null ? 1 : value;
    }

    private static void contributeStrategy(ForeignFile file, Draft draft) {
        boolean deepSpeed = file.flag("deepspeed", false) || file.has("deepspeed-config") || file.has("zero-stage");
        if (deepSpeed) {
            contributeDeepSpeed(file, draft);
        } else {
            String key = "use-distributed-optimizer";
            boolean core = Stream.of(
                            "context-parallel-size", "expert-model-parallel-size", "expert-tensor-parallel-size")
                    .anyMatch(split -> orOne(file.whole(split, 1, 65_536)) > 1);
            boolean sharded = file.flag(key, false);
            draft.giveOr(Draft.KIND, sharded || core ? "megatron-core" : "megatron", file.key(key), without(file, key));
            if (core && !sharded) {
                file.judge(key, Verdict.APPROXIMATED, "megatron-core, which shards the optimizer's states");
            }
            boolean halved = file.flag("grad-reduce-in-bf16", false);
            String gradients = halved ? "grad-reduce-in-bf16" : "accumulate-allreduce-grads-in-fp32";
            draft.giveIf(file, gradients, GRADIENTS, !halved);
            draft.byDefault(GRADIENTS, file.flag("bf16", false), "Megatron-LM's default");
        }
        contributeSplits(file, draft);
        String recipe = file.choice("fp8-recipe", RECIPE_WORDS);
        for (String key : List.of("fp8-format", "fp8-hybrid", "fp8-e4m3")) {
            ForeignKey format = file.key(key);
            boolean on = format != null && !format.text().equalsIgnoreCase("false");
            draft.give(Draft.PROFILE, on ? "transformer-engine-fp8" : null, format);
            draft.give(FP8_RECIPE, on && recipe != null ? RECIPES.get(recipe) : null, file.key("fp8-recipe"));
        }
        String four = file.choice("fp4-format", List.of("e2m1"));
        draft.give(Draft.PROFILE, four == null ? null : "transformer-engine-fp8", file.key("fp4-format"));
        draft.give(FP8_RECIPE, four == null ? null : "nvfp4", file.key("fp4-format"));
    }

    /** Reads DeepSpeed-MoE, which pads the inputs of experts: to a capacity, by default that of an even share, or to the fullest expert. */
    private static void contributePadding(ForeignFile file, Draft draft) {
        String capacity = "moe-train-capacity-factor";
        String drops = "disable-moe-token-dropping";
        if (Stream.of("moe-expert-parallel-size", capacity, drops).noneMatch(file::has)) {
            return;
        }
        String why = "Megatron-DeepSpeed's default";
        if (file.flag(drops, false)) {
            draft.give("training.capacity_policy", "fullest", file.key(drops));
            file.judge(capacity, Verdict.IRRELEVANT, "no token is dropped");
        } else {
            draft.byDefault("training.capacity_policy", "pad", why);
            draft.giveDecimal(file, capacity, "training.expert_capacity", 0.01, 1000);
            draft.byDefault("training.expert_capacity", 1.0, why);
        }
        draft.byDefault("model.experts_per_token", 1, why);
        draft.byDefault("model.expert_layer_period", 2, why);
    }

    private static void contributeDeepSpeed(ForeignFile file, Draft draft) {
        contributePadding(file, draft);
        Long stage = file.whole("zero-stage", 0, 3);
        draft.byDefault(Draft.PROFILE, "deepspeed", "kernels of Megatron-DeepSpeed");
        if (stage != null) {
            boolean shards = stage == 0 && file.flag("bf16", false);
            draft.give(Draft.KIND, shards ? "zero1" : STAGES.get(stage.intValue()), file.key("zero-stage"));
            if (shards) {
                file.judge(
                        "zero-stage", Verdict.APPROXIMATED, "zero1: DeepSpeed's BF16 optimizer shards its FP32 states");
            }
            file.judge(
                    "deepspeed-config",
                    Verdict.APPROXIMATED,
                    "strategy.kind follows --zero-stage; pass the DeepSpeed configuration for its buckets");
        } else {
            AccelerateConfig.needs(file, draft, file.has("deepspeed-config") ? "deepspeed-config" : "deepspeed");
        }
    }

    private static void contributeSplits(ForeignFile file, Draft draft) {
        String tensor = file.has("tensor-model-parallel-size") ? "tensor-model-parallel-size" : "model-parallel-size";
        draft.giveWhole(file, tensor, "strategy.tensor_parallel", 1, 65_536);
        Long stages = draft.giveWhole(file, "pipeline-model-parallel-size", "strategy.pipeline_parallel", 1, 4096);
        Long ranks = file.whole(tensor, 1, 65_536);
        Long experts = draft.giveWhole(file, "expert-model-parallel-size", "strategy.expert_parallel", 1, 65_536);
        String slices = "expert-tensor-parallel-size";
        String slicesKey = "strategy.expert_tensor_parallel";
        draft.giveDegree(file, slices, slicesKey, 1);
        boolean spreads = experts != null && experts > 1;
        if (spreads && ranks != null && ranks > 1 && !file.has(slices)) {
            draft.byDefault(
                    slicesKey, ranks, "without --" + slices + ", Megatron-LM splits experts by tensor parallelism");
        }
        if (spreads || draft.has(slicesKey)) {
            contributeDispatcher(file, draft);
        }
        if (ranks != null && ranks > 1) {
            draft.giveFlag(file, "sequence-parallel", "strategy.sequence_parallel");
        } else {
            file.judge("sequence-parallel", Verdict.IRRELEVANT, "off without tensor parallelism");
        }
        String perChunk = "num-layers-per-virtual-pipeline-stage";
        Long layers = file.whole("num-layers", 1, MOST);
        Long chunk = file.whole(perChunk, 1, MOST);
        if (file.has("pp-partition-method") || layers != null && stages != null && layers % stages != 0) {
            draft.byDefault("strategy.partition", "balanced", "stages with different numbers of layers");
        }
        if (chunk != null && layers != null && stages != null) {
            long chunks = layers / stages / chunk;
            interleave(file, draft, perChunk, Math.max(1, chunks));
        }
        Long chunks = file.whole("num-virtual-stages-per-pipeline-rank", 1, 4096);
        if (chunks != null) {
            interleave(file, draft, "num-virtual-stages-per-pipeline-rank", chunks);
        }
    }

    private static void contributeDispatcher(ForeignFile file, Draft draft) {
        String key = "moe-token-dispatcher-type";
        String named = file.text(key);
        if (named == null) {
            draft.byDefault("strategy.expert_dispatcher", "allgather", "the default of Megatron-LM");
        } else if (!named.startsWith("alltoall")) {
            draft.give("strategy.expert_dispatcher", named.equals("flex") ? "deepep" : named, file.key(key));
        }
    }

    private static void interleave(ForeignFile file, Draft draft, String key, long chunks) {
        if (chunks > 1) {
            draft.give("strategy.pipeline_schedule", "interleaved", file.key(key));
            draft.give("strategy.model_chunks", chunks, file.key(key));
        } else {
            file.judge(key, Verdict.IRRELEVANT, "one chunk per stage means no interleaving");
        }
    }
}

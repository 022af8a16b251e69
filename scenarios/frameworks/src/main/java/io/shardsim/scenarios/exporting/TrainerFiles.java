package io.shardsim.scenarios.exporting;

import java.util.Map;

/**
 * Files for frameworks around the Hugging Face Trainer: {@code config.json} for the model, and {@code args.json} with the arguments of run_clm.py of
 * huggingface/transformers [1], which trains a model from its config.
 *
 * <p>[1] huggingface/transformers 4.57.6, examples/pytorch/language-modeling/run_clm.py.
 */
final class TrainerFiles {
    static final String ARGUMENTS = "args.json";
    static final String MODEL = "config.json";
    /** The learning rate, which must be the same in the Trainer's arguments and a DeepSpeed file. */
    static final double LEARNING_RATE = 1e-4;

    static final String DATA =
            "args.json needs your dataset_name and tokenizer_name; run_clm.py is in examples/pytorch/language-modeling of huggingface/transformers.";

    private static final double DROPOUT = 0.1;

    /**
     * A Hugging Face model type.
     *
     * @param layer class name of a layer
     */
    private record Kind(String type, String architecture, String layer) {}

    private static final Kind GPT2 = new Kind("gpt2", "GPT2LMHeadModel", "GPT2Block");
    private static final Kind STARCODER2 = new Kind("starcoder2", "Starcoder2ForCausalLM", "Starcoder2DecoderLayer");
    private static final Kind LLAMA = new Kind("llama", "LlamaForCausalLM", "LlamaDecoderLayer");
    private static final Kind QWEN3 = new Kind("qwen3", "Qwen3ForCausalLM", "Qwen3DecoderLayer");

    private static final Kind QWEN3_MOE = new Kind("qwen3_moe", "Qwen3MoeForCausalLM", "Qwen3MoeDecoderLayer");
    private static final Kind QWEN2_MOE = new Kind("qwen2_moe", "Qwen2MoeForCausalLM", "Qwen2MoeDecoderLayer");
    private static final Kind MIXTRAL = new Kind("mixtral", "MixtralForCausalLM", "MixtralDecoderLayer");

    /** Optimizers by their name in the Trainer's argument {@code optim} [1]. */
    private static final Map<String, String> OPTIMIZERS = Map.of(
            "adamw-8bit", "adamw_bnb_8bit",
            "adafactor", "adafactor",
            "sgd", "sgd",
            "lion", "lion_32bit",
            "lion-8bit", "lion_8bit");

    private TrainerFiles() {}

    /** Whether {@code args.json} names the optimizer. */
    static boolean namesOptimizer(Settings settings) {
        return OPTIMIZERS.containsKey(String.valueOf(settings.text(Settings.OPTIMIZER)));
    }

    private static Kind kind(Settings settings) {
        if (settings.whole("model.experts") > 1) {
            return settings.is("model.qk_norm")
                    ? QWEN3_MOE
                    : settings.whole("model.shared_expert_ffn") > 0 ? QWEN2_MOE : MIXTRAL;
        }
        if (settings.is("model.gated_ffn")) {
            return settings.is("model.qk_norm") ? QWEN3 : LLAMA;
        }
        return settings.whole("model.max_positions") > 0 ? GPT2 : STARCODER2;
    }

    /** Class name of a layer, which FSDP wraps. */
    static String layerClass(Settings settings) {
        return kind(settings).layer();
    }

    /** {@code config.json}. */
    static WrittenFile model(Settings settings) {
        Kind kind = kind(settings);
        ForeignBlock file = new ForeignBlock("huggingface", settings)
                .put("architectures", java.util.List.of(kind.architecture()))
                .put("model_type", kind.type());
        double dropout = settings.is(Settings.DROPOUT) ? DROPOUT : 0;
        if (kind.equals(GPT2)) {
            file.carry("n_embd", "n_layer", "n_head", "n_inner", "n_positions")
                    .put("activation_function", "gelu_new")
                    .put("resid_pdrop", dropout)
                    .put("embd_pdrop", dropout)
                    .put("attn_pdrop", dropout);
        } else {
            file.carry("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads")
                    .carry("intermediate_size")
                    .put("max_position_embeddings", settings.whole(Settings.SEQUENCE))
                    .put("attention_dropout", dropout);
        }
        if (kind.equals(STARCODER2)) {
            file.put("hidden_act", "gelu_pytorch_tanh")
                    .put("residual_dropout", dropout)
                    .put("embedding_dropout", dropout);
        } else if (!kind.equals(GPT2)) {
            file.put("hidden_act", "silu");
        }
        if (kind.equals(QWEN3) || settings.ownHeadWidth()) {
            file.carry("head_dim");
        }
        experts(file, settings, kind);
        file.carry("vocab_size", "tie_word_embeddings")
                .put("attn_implementation", settings.is(Settings.ATTENTION, "flash") ? "flash_attention_2" : "eager");
        return new WrittenFile(MODEL, Texts.json(file.tree()));
    }

    private static void experts(ForeignBlock file, Settings settings, Kind kind) {
        if (kind.equals(MIXTRAL)) {
            file.carry("num_local_experts", "num_experts_per_tok")
                    .put("intermediate_size", settings.whole("model.expert_ffn"));
        } else if (settings.whole("model.experts") > 1) {
            file.carry("num_experts", "num_experts_per_tok", "moe_intermediate_size", "decoder_sparse_step");
            if (kind.equals(QWEN2_MOE)) {
                file.carry("shared_expert_intermediate_size");
            }
        }
    }

    /**
     * {@code args.json}.
     *
     * @param checkpoints whether the Trainer, not the framework, checkpoints activations
     * @param more further arguments
     */
    static WrittenFile arguments(Settings settings, boolean checkpoints, Map<String, Object> more) {
        ForeignBlock file = new ForeignBlock("trainer", settings)
                .put("config_name", MODEL)
                .put("output_dir", "out")
                .put("do_train", true)
                .carry("block_size", "per_device_train_batch_size")
                .put("gradient_accumulation_steps", settings.job().accumulationSteps())
                .put("learning_rate", LEARNING_RATE)
                .carry("max_grad_norm");
        if (!settings.is(Settings.PRECISION, "fp32")) {
            file.put(settings.is(Settings.PRECISION, "fp16") ? "fp16" : "bf16", true);
        }
        file.put("gradient_checkpointing", checkpoints);
        if (settings.is(Settings.KERNELS, "compiled")) {
            file.put("torch_compile", true);
        } else if (settings.is(Settings.KERNELS, "liger")) {
            file.put("use_liger_kernel", true);
        }
        if (namesOptimizer(settings)) {
            file.put("optim", OPTIMIZERS.get(settings.text(Settings.OPTIMIZER)));
        }
        more.forEach(file::put);
        return new WrittenFile(ARGUMENTS, Texts.json(file.tree()));
    }

    /** The command that starts a script on every GPU of a node. */
    static String torchrun(Settings settings) {
        return torchrun(settings, "run_clm.py " + ARGUMENTS);
    }

    /** The same for another program with its arguments. */
    static String torchrun(Settings settings, String program) {
        return "torchrun --nnodes " + settings.text(Settings.NODES) + " --nproc-per-node "
                + settings.text(Settings.GPUS_PER_NODE)
                + (settings.whole(Settings.NODES) == 1
                        ? ""
                        : " --node-rank $NODE_RANK --master-addr $MASTER_ADDR --master-port 29500")
                + " " + program;
    }
}

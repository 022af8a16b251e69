package io.shardsim.scenarios.importing;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A recipe of torchtune; those for several GPUs run FSDP2. */
final class TorchtuneRecipe implements Importer {
    private static final String COMPONENT = "model._component_";

    /** The last part of a builder's name, such as qlora_llama3_1_8b. */
    private static final Pattern BUILDER = Pattern.compile(".*?\\.(?:(q?lora)_)?([a-z]+?)_?(\\d*)(?:_(\\d+))?_(\\d+b)");

    @Override
    public String table() {
        return "torchtune";
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        contributeModel(file, draft);
        draft.giveWhole(file, "batch_size", Draft.MICRO_BATCH, 1, 65_536);
        draft.giveWhole(file, "gradient_accumulation_steps", Draft.ACCUMULATION, 1, 1_000_000_000);
        draft.byDefault(Draft.ACCUMULATION, 1L, "torchtune's default");
        draft.giveWhole(file, "tokenizer.max_seq_len", Draft.SEQUENCE, 1, 16_777_216);
        String type = file.choice("dtype", List.of("bf16", "fp32"));
        draft.give(Draft.PRECISION, "bf16".equals(type) ? "bf16_pure" : type, file.key("dtype"));
        draft.byDefault(Draft.PRECISION, "bf16_pure", "torchtune's recipes");
        draft.giveIf(file, "enable_activation_checkpointing", Draft.CHECKPOINTING, "full");
        draft.byDefault(Draft.CHECKPOINTING, "none", "torchtune without enable_activation_checkpointing");
        draft.giveFlag(file, "enable_activation_offloading", "training.activation_offload");
        draft.giveDecimal(file, "clip_grad_norm", Draft.CLIPPING, 0, 1e9);
        draft.byDefault(Draft.CLIPPING, 0.0, "torchtune clips only when told to");
        draft.giveIf(file, "compile", Draft.KERNELS, "compiled");
        draft.byDefault(Draft.ATTENTION, "flash", "PyTorch's scaled_dot_product_attention");
        OptimizerName.contribute(file, draft, "optimizer._component_", file.decimal("optimizer.momentum", 0, 1));
        draft.byDefault(Draft.KIND, "fsdp2", "torchtune's distributed recipes");
        draft.giveFlag(file, "fsdp_reshard_after_forward", "strategy.reshard_after_forward");
        draft.giveDegree(file, "tensor_parallel_dim", "strategy.tensor_parallel", 1);
        draft.giveDegree(file, "context_parallel_dim", "strategy.context_parallel", 1);
        draft.giveExchange(file, "context_parallel_rotate_method");
    }

    private static void contributeModel(ForeignFile file, Draft draft) {
        String builder = file.text(COMPONENT);
        ForeignKey key = file.key(COMPONENT);
        if (builder == null || key == null) {
            return;
        }
        Matcher named = BUILDER.matcher(builder);
        if (!named.matches()) {
            draft.give(Draft.HUB_NAME, builder, key);
            return;
        }
        String release = named.group(3) + (named.group(4) == null ? "" : "." + named.group(4));
        draft.give(
                Draft.HUB_NAME,
                String.join("-", named.group(2), release, named.group(5)).replace("--", "-"),
                key);
        if (named.group(1) == null) {
            file.ignore("model.lora_", "all weights are trained");
            return;
        }
        draft.giveWhole(file, "model.lora_rank", "lora.r", 1, 65_536);
        List<String> modules = new ArrayList<>(file.words("model.lora_attn_modules").stream()
                .map(module -> module.equals("output_proj") ? "o_proj" : module)
                .toList());
        if (file.flag("model.apply_lora_to_mlp", false)) {
            modules.addAll(List.of("gate_proj", "up_proj", "down_proj"));
        }
        draft.give(
                "lora.target_modules",
                modules.isEmpty() ? null : List.copyOf(modules),
                file.key("model.lora_attn_modules"));
        draft.give("lora.frozen_bits", named.group(1).equals("qlora") ? 4L : null, key);
    }
}

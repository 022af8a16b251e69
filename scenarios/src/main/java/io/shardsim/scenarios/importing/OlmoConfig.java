package io.shardsim.scenarios.importing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A file of OLMo, whose shape is in the words of Megatron-LM, and which trains with FSDP, with DDP or on one GPU. */
final class OlmoConfig extends RenamedConfig {
    private static final String WRAPPING = "fsdp.wrapping_strategy";
    private static final String STRATEGY = "distributed_strategy";
    private static final String CHECKPOINTING = "activation_checkpointing";
    private static final List<String> NUMBERS =
            List.of("zero", "one", "two", "three", "four", "five", "six", "seven", "eight");

    OlmoConfig() {
        super("olmo", new MegatronArguments());
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        contributeWidth(file, draft);
        contributeStrategy(file, draft);
        contributeCheckpointing(file, draft);
        if (!file.has("optimizer.name")) {
            draft.byDefault(OptimizerName.SETTING, "lion", "OLMo's default");
        }
        super.contribute(file, draft);
    }

    /** Gate and other half stand together in the width of a gated block. */
    private static void contributeWidth(ForeignFile file, Draft draft) {
        Long hidden = file.whole("hidden-size", 1, Integer.MAX_VALUE);
        Long said = file.whole("model.mlp_hidden_size", 1, Integer.MAX_VALUE);
        Long ratio = file.whole("model.mlp_ratio", 1, 65_536);
        boolean gated = file.flag("swiglu", true);
        if (hidden != null) {
            long width = said == null ? (ratio == null ? 4 : ratio) * hidden : said;
            ForeignKey key = file.key(said != null ? "model.mlp_hidden_size" : "model.mlp_ratio");
            draft.giveOr("model.ffn", gated ? width / 2 : width, key, "OLMo's mlp_ratio 4");
        }
    }

    private static void contributeStrategy(ForeignFile file, Draft draft) {
        String strategy = file.choice(STRATEGY, List.of("fsdp", "ddp", "single"));
        if (strategy != null && !strategy.equals("fsdp")) {
            draft.give(Draft.KIND, "ddp", file.key(STRATEGY));
            draft.give(Draft.GPUS_PER_NODE, strategy.equals("single") ? 1L : null, file.key(STRATEGY));
            file.ignore("fsdp.", STRATEGY + " is " + strategy);
            if ("micro_batch".equals(file.text("ddp.grad_sync_mode"))) {
                file.judge(
                        "ddp.grad_sync_mode",
                        Verdict.NOT_MODELLED,
                        "gradients would be reduced with each micro-batch; they are reduced with the last");
            }
            return;
        }
        FsdpSettings.in("fsdp.", file, draft).contribute(null, null);
        draft.giveWhole(file, "fsdp.hybrid_sharding_num_model_replicas", Draft.REPLICAS, 1, 65_536);
        draft.byDefault("strategy.reduce_in_fp32", false, "OLMo's fsdp.precision: pure");
        contributeUnits(file);
    }

    /** Without a word, the whole model is one unit. */
    private static void contributeUnits(ForeignFile file) {
        String units = file.text(WRAPPING);
        ForeignKey key = file.raw(WRAPPING);
        if (units != null && !units.matches("by_block(_and_size)?")) {
            file.judge(WRAPPING, Verdict.APPROXIMATED, "units of several layers; each layer is a unit here");
        } else if (units == null && key != null) {
            key.judge(
                    Verdict.DECIDES_THE_ANSWER,
                    "one unit for the whole model: all of it is gathered at once, with nothing to overlap; write by_block");
        } else if (units == null) {
            file.refuse(
                    "",
                    "has no " + WRAPPING + ", so the whole model is one unit, which is not simulated; add by_block");
        }
    }

    private static void contributeCheckpointing(ForeignFile file, Draft draft) {
        String word = file.text(CHECKPOINTING);
        ForeignKey key = file.key(CHECKPOINTING);
        if (word == null || key == null || word.equals("false")) {
            return;
        }
        if (word.equals("fine_grained")) {
            draft.give(Draft.CHECKPOINTING, "selective", key);
            key.judge(
                    Verdict.APPROXIMATED,
                    "the attention core is computed again; norms and activations, which OLMo drops too, are kept");
            return;
        }
        draft.give(Draft.CHECKPOINTING, "full", key);
        Long layers = file.whole("num-layers", 1, 1_000_000);
        if (!word.equals("whole_layer") && !word.equals("true") && layers != null) {
            draft.give("training.checkpointed_layers", share(word, layers, key), key);
        }
    }

    /** So many of so many layers, such as one_in_two: the first of each two, or two_in_three: all but the first of each three. */
    private static @Nullable Long share(String word, long layers, ForeignKey key) {
        String[] parts = word.split("_in_", 2);
        int some = NUMBERS.indexOf(parts[0]);
        int of = parts.length < 2 ? -1 : NUMBERS.indexOf(parts[1]);
        if (of < 2 || some != 1 && some != of - 1) {
            key.refuse(
                    CHECKPOINTING + " " + word
                            + " is none of whole_layer, fine_grained, one_in_two, two_in_three and their like; write one of them");
            return null;
        }
        long first = (layers + of - 1) / of;
        return some == 1 ? first : layers - first;
    }
}

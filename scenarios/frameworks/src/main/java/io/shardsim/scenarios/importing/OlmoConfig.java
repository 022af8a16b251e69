package io.shardsim.scenarios.importing;

/** An OLMo config; its shape is translated to Megatron-LM's keys. */
final class OlmoConfig extends RenamedConfig {
    private static final String WRAPPING = "fsdp.wrapping_strategy";

    OlmoConfig() {
        super("olmo", new MegatronArguments());
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        contributeWidth(file, draft);
        if (!draft.has(Draft.KIND)) {
            FsdpSettings.in("fsdp.", file, draft).contribute(null, null);
            draft.giveWhole(file, "fsdp.hybrid_sharding_num_model_replicas", Draft.REPLICAS, 1, 65_536);
            judgeUnits(file);
        }
        if (!file.has("optimizer.name")) {
            draft.byDefault(OptimizerName.SETTING, "lion", "OLMo's default");
        }
        contributeShare(file, draft);
        super.contribute(file, draft);
    }

    /** OLMo's width of a gated block is that of gate and up projection together. */
    private static void contributeWidth(ForeignFile file, Draft draft) {
        Long hidden = file.whole("hidden-size", 1, Integer.MAX_VALUE);
        Long said = file.whole("model.mlp_hidden_size", 1, Integer.MAX_VALUE);
        Long ratio = file.whole("model.mlp_ratio", 1, 65_536);
        if (hidden != null) {
            long width = said == null ? (ratio == null ? 4 : ratio) * hidden : said;
            ForeignKey key = file.key(said != null ? "model.mlp_hidden_size" : "model.mlp_ratio");
            draft.giveOr("model.ffn", file.flag("swiglu", true) ? width / 2 : width, key, "OLMo's mlp_ratio 4");
        }
    }

    /** Without wrapping, OLMo makes the whole model one FSDP unit. */
    private static void judgeUnits(ForeignFile file) {
        String why = "one unit for the whole model: it is gathered at once, with nothing to overlap; write by_block";
        String units = file.text(WRAPPING);
        ForeignKey key = file.raw(WRAPPING);
        if (key == null) {
            file.refuse("", "has no " + WRAPPING + ", so " + why);
        } else if (units == null) {
            key.judge(Verdict.DECIDES_THE_ANSWER, why);
        } else if (!units.startsWith("by_block")) {
            key.judge(Verdict.APPROXIMATED, "units of several layers; each layer is a unit here");
        }
    }

    /** A share of the layers, 1/N or (N-1)/N: the first of every N layers, or all but the first. */
    private static void contributeShare(ForeignFile file, Draft draft) {
        String share = file.text("share");
        Long layers = file.whole("num-layers", 1, 1_000_000);
        if (share != null && layers != null) {
            long of = Long.parseLong(share.substring(2));
            long first = (layers + of - 1) / of;
            draft.give(
                    "training.checkpointed_layers", share.startsWith("1/") ? first : layers - first, file.key("share"));
        }
    }
}

package io.shardsim.scenarios.importing;

/** A GPT-NeoX config: Megatron-DeepSpeed with a different width of gated feed-forward blocks. */
final class NeoxConfig extends RenamedConfig {
    private static final String WIDTH = "intermediate_size";

    NeoxConfig() {
        super("neox", new MegatronArguments());
    }

    /**
     * In a gated block, gate and up projection each get a third of intermediate_size, rounded up to a multiple. A width below 6 x hidden is that of
     * one of them, as in older versions.
     */
    @Override
    public void contribute(ForeignFile file, Draft draft) {
        Long said = file.whole(WIDTH, 1, Integer.MAX_VALUE);
        Long multiple = file.whole("mlp_multiple_of", 1, Integer.MAX_VALUE);
        Long hidden = file.whole("hidden-size", 1, Integer.MAX_VALUE);
        boolean gated = file.flag("swiglu", false);
        boolean old = "llama".equals(file.text("mlp_type"));
        if (hidden != null && (gated || said != null)) {
            long width = said == null ? 8 * hidden : said;
            long step = !gated ? 1 : multiple != null ? multiple : old && said == null ? 256 : 1;
            long half = gated && width >= 6 * hidden ? width / 3 : width;
            draft.give("model.ffn", (half + step - 1) / step * step, file.key(said == null ? "swiglu" : WIDTH));
        }
        super.contribute(file, draft);
    }
}

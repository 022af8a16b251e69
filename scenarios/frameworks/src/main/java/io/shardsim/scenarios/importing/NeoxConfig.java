package io.shardsim.scenarios.importing;

/** A file of GPT-NeoX, which is Megatron-DeepSpeed with a rule of its own for the width of a gated feed-forward block. */
final class NeoxConfig extends RenamedConfig {
    private static final String WIDTH = "intermediate_size";

    NeoxConfig() {
        super("neox", new MegatronArguments());
    }

    /** Gate and other half take two thirds of the width together, each filled up to a multiple; a width that leaves them too few is that of one of them, as older versions have it. */
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

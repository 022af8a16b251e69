package io.shardsim.scenarios.importing;

/** A file of GPT-NeoX, which is Megatron-DeepSpeed with a rule of its own for the width of a gated feed-forward block. */
final class NeoxConfig extends RenamedConfig {
    private static final String WIDTH = "intermediate_size";

    NeoxConfig() {
        super("neox", new MegatronArguments());
    }

    /** Gate and other half take two thirds of the width together, each filled up to a multiple. */
    @Override
    public void contribute(ForeignFile file, Draft draft) {
        Long width = file.whole(WIDTH, 1, Integer.MAX_VALUE);
        Long multiple = file.whole("mlp_multiple_of", 1, Integer.MAX_VALUE);
        boolean gated = file.flag("swiglu", false);
        if (width != null) {
            long step = multiple == null || !gated ? 1 : multiple;
            draft.give("model.ffn", ((gated ? width / 3 : width) + step - 1) / step * step, file.key(WIDTH));
        }
        super.contribute(file, draft);
    }
}

package io.shardsim.simulator.workload;

/**
 * Mixture of experts.
 *
 * @param experts experts of a layer
 * @param ffn width between the two linear maps of an expert
 * @param sharedFfn the same of the shared expert, which all tokens use; 0 for none
 * @param denseLayers number of initial layers without experts
 * @param period every n-th layer after these has experts
 * @param biased whether experts have biases and clamp what they activate, as in gpt-oss
 * @param load load of the experts
 */
public record MixtureOfExperts(
        Experts experts, int ffn, int sharedFfn, int denseLayers, int period, boolean biased, ExpertLoad load) {
    /** No experts in any layer. */
    public static final MixtureOfExperts NONE = new MixtureOfExperts(Experts.NONE, 0, 0, 0, 1);

    /** Creates a mixture with an even load and without biases. */
    public MixtureOfExperts(Experts experts, int ffn, int sharedFfn, int denseLayers, int period) {
        this(experts, ffn, sharedFfn, denseLayers, period, false, ExpertLoad.EVEN);
    }

    MixtureOfExperts with(ExpertLoad other) {
        return new MixtureOfExperts(experts, ffn, sharedFfn, denseLayers, period, biased, other);
    }

    /** Returns whether a layer, counted from 0, has experts. */
    boolean isAt(int layer) {
        return isPresent() && layer >= denseLayers && (layer + 1) % period == 0;
    }

    /** Returns whether there is a shared expert. */
    public boolean isShared() {
        return sharedFfn > 0;
    }

    /** Returns whether any layer has experts. */
    public boolean isPresent() {
        return experts.number() > 1;
    }
}

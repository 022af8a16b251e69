package io.shardsim.simulator.workload;

/**
 * A mixture of experts.
 *
 * @param experts of a layer, and how many of them a token goes through
 * @param ffn width between the two linear maps of an expert
 * @param sharedFfn the same of the expert that all tokens go through; 0 for none
 * @param denseLayers layers without experts before all others
 * @param period of so many layers after these the last one has experts
 * @param load how tokens are spread over experts
 */
public record MixtureOfExperts(Experts experts, int ffn, int sharedFfn, int denseLayers, int period, ExpertLoad load) {
    /** No layer has experts. */
    public static final MixtureOfExperts NONE = new MixtureOfExperts(Experts.NONE, 0, 0, 0, 1);

    /** With as many tokens for each expert. */
    public MixtureOfExperts(Experts experts, int ffn, int sharedFfn, int denseLayers, int period) {
        this(experts, ffn, sharedFfn, denseLayers, period, ExpertLoad.EVEN);
    }

    MixtureOfExperts with(ExpertLoad other) {
        return new MixtureOfExperts(experts, ffn, sharedFfn, denseLayers, period, other);
    }

    /** Whether a layer, from 0, has experts. */
    boolean isAt(int layer) {
        return isPresent() && layer >= denseLayers && (layer + 1) % period == 0;
    }

    /** Whether there is one that all tokens go through. */
    public boolean isShared() {
        return sharedFfn > 0;
    }

    /** Whether there are any. */
    public boolean isPresent() {
        return experts.number() > 1;
    }
}

package io.shardsim.simulator.workload;

/**
 * Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1): queries, and keys with values, come of narrow states; a part of each key is the same for all heads.
 *
 * @param queryRank width of the state that queries come of; 0 if they come of the hidden state
 * @param keyValueRank width of the state that keys and values come of; 0 for none
 * @param rotary part of a query and of a key that positions turn
 */
public record Latent(int queryRank, int keyValueRank, int rotary, int valueWidth) {
    /** Queries, keys and values come of the hidden state. */
    public static final Latent NONE = new Latent(0, 0, 0, 0);

    public boolean isPresent() {
        return keyValueRank > 0;
    }
}

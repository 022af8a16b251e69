package io.shardsim.simulator.workload;

/**
 * Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, section 2.1): queries, and keys with values, are projected from low-rank states; a part
 * of each key is shared by all heads.
 *
 * @param queryRank width of the queries' latent state; 0 if they come from the hidden state
 * @param keyValueRank width of the latent state of keys and values; 0 for none
 * @param rotary rotated width of a query and of a key
 */
public record Latent(int queryRank, int keyValueRank, int rotary, int valueWidth) {
    /** No latent states: queries, keys and values come from the hidden state. */
    public static final Latent NONE = new Latent(0, 0, 0, 0);

    public boolean isPresent() {
        return keyValueRank > 0;
    }
}

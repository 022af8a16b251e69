package io.shardsim.simulator.workload;

/**
 * Keys that a query sees at most, its own last (sliding window attention, Beltagy et al., arXiv:2004.05150).
 *
 * @param tokens those; 0 for all before it
 * @param fullPeriod one layer in so many has no window, the last of them; 0 for none
 */
public record Window(int tokens, int fullPeriod) {
    public static final Window NONE = new Window(0, 0);

    public boolean isPresent() {
        return tokens > 0;
    }

    /** Window of a layer; 0 for none. */
    int at(int layer) {
        return fullPeriod > 0 && (layer + 1) % fullPeriod == 0 ? 0 : tokens;
    }
}

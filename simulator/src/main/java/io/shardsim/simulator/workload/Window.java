package io.shardsim.simulator.workload;

/**
 * Maximum keys that a query attends to, its own last (sliding window attention, Beltagy et al., arXiv:2004.05150).
 *
 * @param tokens number of keys; 0 for all before it
 * @param fullPeriod every n-th layer has no window; 0 for none
 */
public record Window(int tokens, int fullPeriod) {
    public static final Window NONE = new Window(0, 0);

    public boolean isPresent() {
        return tokens > 0;
    }

    /** Returns the window of a layer; 0 for none. */
    int at(int layer) {
        return fullPeriod > 0 && (layer + 1) % fullPeriod == 0 ? 0 : tokens;
    }
}

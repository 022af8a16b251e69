package io.shardsim.simulator.workload;

/**
 * Image samples, cut into patches that a linear map embeds as tokens, after a class token (ViT, arXiv:2010.11929).
 *
 * @param size pixels of a side
 * @param patch pixels of a patch's side; 0 for token samples
 */
public record Image(int size, int patch) {
    public static final Image NONE = new Image(0, 0);

    private static final int CHANNELS = 3;

    public boolean isPresent() {
        return patch > 0;
    }

    /** Returns the tokens per sample. */
    public int tokens() {
        int ofSide = size / patch;
        return ofSide * ofSide + 1;
    }

    /** Returns the values per patch. */
    int inputs() {
        return CHANNELS * patch * patch;
    }
}

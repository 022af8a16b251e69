package io.shardsim.simulator.workload;

/**
 * Samples that are images, cut into patches that a linear map makes tokens of; a class token stands before them (ViT, arXiv:2010.11929).
 *
 * @param size pixels of a side
 * @param patch pixels of a patch's side; 0 for samples that are tokens
 */
public record Image(int size, int patch) {
    public static final Image NONE = new Image(0, 0);

    private static final int CHANNELS = 3;

    public boolean isPresent() {
        return patch > 0;
    }

    /** Tokens of a sample. */
    public int tokens() {
        int ofSide = size / patch;
        return ofSide * ofSide + 1;
    }

    /** Numbers of a patch. */
    int inputs() {
        return CHANNELS * patch * patch;
    }
}

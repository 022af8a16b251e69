package io.shardsim.simulator.workload;

import java.util.List;

/**
 * Image samples: cut into patches that a linear map embeds as tokens, after a class token (ViT, arXiv:2010.11929), or one token each that goes
 * through stages of bottleneck blocks (ResNet, arXiv:1512.03385).
 *
 * @param size pixels of a side
 * @param patch pixels of a patch's side; 0 for none
 * @param stages bottleneck blocks of each stage; empty for none
 */
public record Image(int size, int patch, List<Integer> stages) {
    public static final Image NONE = new Image(0, 0);

    static final int CHANNELS = 3;

    public Image {
        stages = List.copyOf(stages);
    }

    /** Creates images that are cut into patches. */
    public Image(int size, int patch) {
        this(size, patch, List.of());
    }

    public boolean isPresent() {
        return size > 0;
    }

    public boolean isConvolved() {
        return !stages.isEmpty();
    }

    /** Returns the layers of a convolutional network: the stem and the blocks. */
    public int layers() {
        return 1 + stages.stream().mapToInt(Integer::intValue).sum();
    }

    /** Returns what a scenario says of it. */
    String key() {
        return isConvolved() ? "stages " + stages : "patch_size " + patch;
    }

    /** Returns the tokens per sample. */
    public int tokens() {
        if (isConvolved()) {
            return 1;
        }
        int ofSide = size / patch;
        return ofSide * ofSide + 1;
    }

    /** Returns the values per patch. */
    int inputs() {
        return CHANNELS * patch * patch;
    }
}

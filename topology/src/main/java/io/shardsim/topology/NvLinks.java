package io.shardsim.topology;

import java.util.Locale;
import java.util.stream.IntStream;

/**
 * NVLink topology of a node: how many of a GPU's links lead to some of the other GPUs.
 *
 * <p>Leaves out routes through a third GPU.
 */
public enum NvLinks {
    /** All NVLinks end at switches: any two GPUs have the full rate between them (DGX-2, HGX with eight A100 or H100). */
    SWITCH {
        @Override
        double share(int[] localRanks, int gpusPerNode) {
            return 1;
        }
    },
    /** Full mesh with equally many links per pair (four V100, HGX with four A100 or H100: two, four and six links per pair). */
    MESH {
        @Override
        double share(int[] localRanks, int gpusPerNode) {
            return (localRanks.length - 1.0) / (gpusPerNode - 1);
        }
    },
    /** DGX-1, p3.16xlarge and p3dn.24xlarge, eight V100 with six links each (nvidia-smi topo -m). */
    CUBE_MESH {
        @Override
        double share(int[] localRanks, int gpusPerNode) {
            int fewest = IntStream.of(localRanks)
                    .map(gpu -> IntStream.of(localRanks)
                            .map(peer -> CUBE_MESH_LINKS[gpu][peer])
                            .sum())
                    .min()
                    .orElse(0);
            return fewest / (double) CUBE_MESH_LINKS_OF_GPU;
        }
    };

    /** Number of GPUs of a hybrid cube mesh. */
    public static final int CUBE_MESH_GPUS = 8;

    private static final int CUBE_MESH_LINKS_OF_GPU = 6;
    /** Number of links between two GPUs of a hybrid cube mesh. */
    private static final int[][] CUBE_MESH_LINKS = {
        {0, 1, 1, 2, 2, 0, 0, 0},
        {1, 0, 2, 1, 0, 2, 0, 0},
        {1, 2, 0, 2, 0, 0, 1, 0},
        {2, 1, 2, 0, 0, 0, 0, 1},
        {2, 0, 0, 0, 0, 1, 1, 2},
        {0, 2, 0, 0, 1, 0, 2, 1},
        {0, 0, 1, 0, 1, 2, 0, 2},
        {0, 0, 0, 1, 2, 1, 2, 0}
    };

    /** Returns the name in scenario files, for example {@code cube_mesh}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the share of a GPU's links that lead to some other GPUs of its node, for the GPU with the fewest; rings among these GPUs cannot use
     * more.
     *
     * @param localRanks the GPUs, two or more
     */
    abstract double share(int[] localRanks, int gpusPerNode);
}

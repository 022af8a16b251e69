package io.shardsim.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class NvLinksTest {
    /** Links counted in nvidia-smi topo -m: HGX with four H100 has NV6 in every pair, DGX-1 NV1, NV2 or none. */
    @ParameterizedTest
    @CsvSource({
        "SWITCH, 8, 0 5, 18, 18",
        "MESH, 4, 0 1, 18, 6",
        "MESH, 4, 1 2 3, 18, 12",
        "MESH, 4, 0 1 2 3, 18, 18",
        "CUBE_MESH, 8, 0 1, 6, 1",
        "CUBE_MESH, 8, 2 3, 6, 2",
        "CUBE_MESH, 8, 0 5, 6, 0",
        "CUBE_MESH, 8, 0 1 2 3, 6, 4",
        "CUBE_MESH, 8, 0 2 4 6, 6, 2",
        "CUBE_MESH, 8, 0 1 2 3 4 5 6 7, 6, 6"
    })
    void groupOfGpusHasTheLinksThatLeadToItsOwnMembers(
            NvLinks links, int gpusPerNode, String localRanks, int all, int between) {
        assertThat(links.share(ranks(localRanks), gpusPerNode)).isCloseTo((double) between / all, within(1e-12));
    }

    @ParameterizedTest
    @EnumSource
    void linksLeadBothWays(NvLinks links) {
        for (int a = 0; a < NvLinks.CUBE_MESH_GPUS; a++) {
            for (int b = 0; b < a; b++) {
                assertThat(links.share(new int[] {a, b}, NvLinks.CUBE_MESH_GPUS))
                        .isEqualTo(links.share(new int[] {b, a}, NvLinks.CUBE_MESH_GPUS));
            }
        }
    }

    @Test
    void everyGpuOfACubeMeshUsesAllItsLinks() {
        for (int gpu = 0; gpu < NvLinks.CUBE_MESH_GPUS; gpu++) {
            int here = gpu;
            double shares = IntStream.range(0, NvLinks.CUBE_MESH_GPUS)
                    .mapToDouble(peer -> peer == here ? 0 : NvLinks.CUBE_MESH.share(new int[] {here, peer}, 8))
                    .sum();
            assertThat(shares).isCloseTo(1, within(1e-12));
        }
    }

    private static int[] ranks(String text) {
        return Arrays.stream(text.split(" ")).mapToInt(Integer::parseInt).toArray();
    }
}

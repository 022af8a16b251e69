package io.shardsim.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClusterTest {
    private final Cluster cluster = TestClusters.of(new FabricSpec(2, 1, TestClusters.HOP_PS), 3);

    @Test
    void ranksAreDealtNodeByNode() {
        assertThat(cluster.worldSize()).isEqualTo(12);
        for (int rank = 0; rank < cluster.worldSize(); rank++) {
            assertThat(cluster.rank(cluster.nodeRank(rank), cluster.localRank(rank)))
                    .isEqualTo(rank);
        }
        assertThat(cluster.nodeRank(7)).isEqualTo(1);
        assertThat(cluster.localRank(7)).isEqualTo(3);
    }

    @Test
    void everyDeviceHasANameOfItsOwn() {
        int devices = cluster.nodes() * cluster.devicesPerNode();
        assertThat(IntStream.range(0, devices).mapToObj(cluster::devicePath)).doesNotHaveDuplicates();
        assertThat(cluster.devicePath(cluster.deviceId(2, cluster.gpuSlot(3)))).isEqualTo("Node[2].Gpu[3]");
        assertThat(cluster.devicePath(cluster.deviceId(1, cluster.nvSwitchSlot())))
                .isEqualTo("Node[1].NvSwitch");
        assertThat(cluster.devicePath(cluster.deviceId(0, cluster.pcieSwitchSlot(1))))
                .isEqualTo("Node[0].PcieSwitch[1]");
        assertThat(cluster.devicePath(cluster.deviceId(0, cluster.nicSlot(1)))).isEqualTo("Node[0].Nic[1]");
    }

    @Test
    void gpusAndNicsAreDealtToPcieSwitchesInOrder() {
        assertThat(IntStream.range(0, TestClusters.GPUS).map(cluster::pcieSwitchOfGpu))
                .containsExactly(0, 0, 1, 1);
        assertThat(IntStream.range(0, TestClusters.NICS).map(cluster::pcieSwitchOfNic))
                .containsExactly(0, 1);
    }

    @Test
    void aClusterHasANode() {
        InstanceSpec instance = cluster.instance();
        assertThatThrownBy(() -> new Cluster(instance, 0)).hasMessage("cluster.nodes 0 < 1");
    }
}

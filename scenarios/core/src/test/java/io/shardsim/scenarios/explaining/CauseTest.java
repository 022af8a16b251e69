package io.shardsim.scenarios.explaining;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.KnownSetting;
import org.junit.jupiter.api.Test;

class CauseTest {
    @Test
    void everyRowOfTheTableNamesACause() {
        assertThat(KnownSetting.all())
                .isNotEmpty()
                .allSatisfy(known -> assertThat(Cause.of(known.path())).isNotNull());
    }

    @Test
    void aSettingIsAboutWhatTheTableSaysElseAboutWhatItsBlockIs() {
        assertThat(Cause.of("training.attention")).isEqualTo(Cause.KERNELS);
        assertThat(Cause.of("strategy.framework_profile")).isEqualTo(Cause.KERNELS);
        assertThat(Cause.of("strategy.shard_group")).isEqualTo(Cause.SHARDING);
        assertThat(Cause.of("cluster.nodes")).isEqualTo(Cause.CLUSTER);
        assertThat(Cause.of("cluster.nic_latency")).isEqualTo(Cause.NETWORK);
        assertThat(Cause.of("cluster.routing")).isEqualTo(Cause.NETWORK);
    }
}

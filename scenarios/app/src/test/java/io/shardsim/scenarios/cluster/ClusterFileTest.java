package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterFileTest {
    @TempDir
    Path folder;

    @Test
    void isOnLoopbackUnlessToldOtherwise() {
        ClusterSettings settings = ClusterFile.settings(nothing(), Map.of());

        assertThat(settings.host()).isEqualTo("127.0.0.1");
        assertThat(settings.bind()).isEqualTo("127.0.0.1");
        assertThat(settings.port()).isEqualTo(17355);
        assertThat(settings.seeds()).isEmpty();
        assertThat(settings.tls()).isNull();
        assertThat(settings.metrics()).isNull();
    }

    @Test
    void flagsGoBeforeTheEnvironmentAndThatBeforeTheFile() throws Exception {
        Path file = file("""
                host: from-file
                bind: 0.0.0.0
                port: 1
                seeds: ["file:1"]
                metrics.port: 9
                patience.silence: 4s
                """);
        Map<String, String> environment = Map.of(
                "SHARDSIM_CLUSTER_FILE", file.toString(), "SHARDSIM_HOST", "from-env", "SHARDSIM_SEEDS", "env:1");
        ClusterSettings settings = ClusterFile.settings(
                new ClusterFile.Flags(null, null, null, 2, List.of("flag:1", "flag:2"), null), environment);

        assertThat(settings.host()).isEqualTo("from-env");
        assertThat(settings.bind()).isEqualTo("0.0.0.0");
        assertThat(settings.port()).isEqualTo(2);
        assertThat(settings.seeds()).containsExactly(new HostPort("flag", 1), new HostPort("flag", 2));
        assertThat(settings.metrics()).isEqualTo(new HostPort("127.0.0.1", 9));
        assertThat(settings.patience().silence()).isEqualTo(Duration.ofSeconds(4));
        assertThat(ClusterFile.settings(nothing(), environment).seeds()).containsExactly(new HostPort("env", 1));
    }

    @Test
    void podsOfAStatefulSetCanBeCounted() {
        assertThat(HostPort.parseAll("shardsim-{0..2}.shardsim:17355, other:1"))
                .extracting(HostPort::toString)
                .containsExactly(
                        "shardsim-0.shardsim:17355",
                        "shardsim-1.shardsim:17355",
                        "shardsim-2.shardsim:17355",
                        "other:1");
        assertThatThrownBy(() -> HostPort.parseAll("pod-{2..0}:1")).hasMessageContaining("counts from 2 to 0");
        assertThatThrownBy(() -> HostPort.parseAll("here")).hasMessageContaining("\"here\" is not HOST:PORT");
        assertThatThrownBy(() -> HostPort.parseAll("here:70000")).hasMessageContaining("65535");
    }

    @Test
    @Tag("slow")
    void passwordsComeFromTheEnvironmentAndAreNotPrinted() throws Exception {
        Keytool.keys(folder, "keys.p12", "-validity", "365");
        Path file = file("""
                tls {
                  key-store: keys.p12
                  key-store-password: ${KEYS}
                  trust-store: keys.p12
                  trust-store-password: ${KEYS}
                }
                """);
        ClusterSettings settings = ClusterFile.settings(
                new ClusterFile.Flags(file.toString(), null, null, null, List.of(), null), Map.of("KEYS", "change-it"));

        assertThat(settings.tls().keyStorePassword()).isEqualTo("change-it");
        assertThat(settings.tls().keyStore()).isEqualTo(folder.resolve("keys.p12"));
        assertThat(settings.toString()).doesNotContain("change-it");
    }

    @Test
    void unknownKeyIsToldWithTheNearestKnownOne() throws Exception {
        Path file = file("seedz: [\"a:1\"]");

        assertThatThrownBy(() -> ClusterFile.settings(
                        new ClusterFile.Flags(file.toString(), null, null, null, List.of(), null), Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown key seedz")
                .hasMessageContaining("seeds");
    }

    private Path file(String text) throws Exception {
        return Files.writeString(folder.resolve("cluster.conf"), text);
    }

    private static ClusterFile.Flags nothing() {
        return new ClusterFile.Flags(null, null, null, null, List.of(), null);
    }
}

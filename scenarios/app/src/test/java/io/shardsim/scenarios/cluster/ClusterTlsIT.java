package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster whose members present certificates to each other, as set up in docs/cluster.md. */
@Tag("slow")
class ClusterTlsIT {
    private static final Map<String, String> PASSWORD = Map.of("SHARDSIM_KEYS", "change-it");

    @TempDir
    Path folder;

    @AfterEach
    void endAll() throws Exception {
        Jvm.closeAll();
    }

    @Test
    void membersMustShowACertificate() throws Exception {
        Keytool.keys(folder, "keys.p12", "-validity", "365");
        Keytool.keys(folder, "strangers.p12", "-validity", "365");
        Keytool.keys(folder, "old.p12", "-startdate", "-3y", "-validity", "30");
        settings("tls.conf", "keys.p12", "keys.p12");
        // It trusts the members, but they do not trust it.
        settings("stranger.conf", "strangers.p12", "keys.p12");
        settings("old.conf", "old.p12", "keys.p12");
        Files.writeString(folder.resolve("point.yaml"), """
                scenario: point
                cluster: {instance: p4d.24xlarge, nodes: 2}
                workload: {collective: all_reduce, size: 1 MiB}
                """);

        Jvm first = start("worker", "--seed", "--port", "0", "--cluster-file", "tls.conf");
        String seed = first.listening();
        Jvm second = start("worker", "--join", seed, "--port", "0", "--cluster-file", "tls.conf");
        second.listening();
        Jvm plain = start("worker", "--join", seed, "--port", "0");
        Jvm stranger = start("worker", "--join", seed, "--port", "0", "--cluster-file", "stranger.conf");
        Jvm old = start("worker", "--join", seed, "--port", "0", "--cluster-file", "old.conf");
        Jvm run = start("run", "point.yaml", "--json", "--cluster", seed, "--cluster-file", "tls.conf");

        Jvm plainRun = start("run", "point.yaml", "--json", "--cluster", seed);
        Jvm strangeRun = start("run", "point.yaml", "--json", "--cluster", seed, "--cluster-file", "stranger.conf");

        assertThat(run.awaitEnd()).as(run.err()).isZero();
        assertThat(run.out()).contains("\"collective_seconds\"");
        for (Jvm refused : List.of(plain, stranger)) {
            assertThat(refused.awaitEnd()).isEqualTo(1);
            assertThat(refused.out()).isEmpty();
            assertThat(refused.err())
                    .contains("something is listening at " + seed + ", but no member of a cluster", "compare tls");
        }
        for (Jvm refused : List.of(plainRun, strangeRun)) {
            assertThat(refused.awaitEnd()).isEqualTo(1);
            assertThat(refused.out()).isEmpty();
            assertThat(refused.err()).contains("no worker has been heard for 20 s at " + seed, "compare tls");
        }
        assertThat(old.awaitEnd()).isEqualTo(2);
        assertThat(old.err())
                .contains("old.conf: tls.key-store", "expired at 20")
                .doesNotContain("\tat ");
        assertThat(first.isAlive() && second.isAlive()).isTrue();
    }

    private Jvm start(String... arguments) throws IOException {
        return Jvm.start(folder, Jvm.JAR, PASSWORD, arguments);
    }

    private void settings(String file, String keys, String trust) throws IOException {
        Files.writeString(folder.resolve(file), """
                tls {
                  key-store: %s
                  key-store-password: ${SHARDSIM_KEYS}
                  trust-store: %s
                  trust-store-password: ${SHARDSIM_KEYS}
                }
                """.formatted(keys, trust));
    }
}

package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.cluster.Keytool;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where {@code studio} serves its page, and with which certificate. */
class StudioCommandTest {
    @TempDir
    Path folder;

    private final Shell shell = new Shell(Main.services());

    private String settings(String store, String password) throws Exception {
        return Files.writeString(folder.resolve("tls.conf"), """
                        tls {
                          key-store: %1$s
                          key-store-password: %2$s
                          trust-store: %1$s
                          trust-store-password: change-it
                        }
                        """.formatted(store, password))
                .toString();
    }

    private static String machine() throws UnknownHostException {
        return InetAddress.getLocalHost().getHostName();
    }

    @Test
    void beyondLoopbackItServesHttpsWithTheStoreOfWorkers() throws Exception {
        Keytool.keys(folder, "keys.p12", "-validity", "365");
        String out = printed("--bind", "0.0.0.0", "--cluster-file", settings("keys.p12", "change-it"));
        assertThat(out).startsWith("https://" + machine() + ":").contains("/?token=");
        assertThat(shell.err()).doesNotContain("TLS");
    }

    @Test
    void onLoopbackItServesHttpWhateverTheClusterFileSays() throws Exception {
        Keytool.keys(folder, "keys.p12", "-validity", "365");
        assertThat(printed("--cluster-file", settings("keys.p12", "change-it")))
                .startsWith("http://127.0.0.1:")
                .doesNotContain("token");
    }

    @Test
    void withoutTlsItSaysWhoReadsTheToken() throws Exception {
        assertThat(printed("--bind", "0.0.0.0")).startsWith("http://" + machine() + ":");
        assertThat(shell.err()).contains("without TLS, anyone on the network can read the token", "--cluster-file");
    }

    @Test
    void aCertificateThatIsOfNoUseEndsIt() throws Exception {
        Keytool.keys(folder, "old.p12", "-startdate", "-3y", "-validity", "30");
        assertThat(shell.shardsim("studio", "--bind", "0.0.0.0", "--cluster-file", settings("old.p12", "change-it")))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("old.p12: the certificate \"shardsim\" expired at 20", "make a new one");
        assertThat(shell.shardsim("studio", "--bind", "0.0.0.0", "--cluster-file", settings("old.p12", "guessed")))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("tls.key-store-password does not open it");
        assertThat(shell.shardsim("studio", "--bind", "0.0.0.0", "--cluster-file", settings("none.p12", "change-it")))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("none.p12 cannot be read");
    }

    /** What it prints until it is interrupted. */
    private String printed(String... options) throws Exception {
        String[] words = new String[options.length + 1];
        words[0] = "studio";
        System.arraycopy(options, 0, words, 1, options.length);
        Thread command = new Thread(() -> shell.shardsim(words));
        command.start();
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> shell.out().contains("Ctrl-C"));
        command.interrupt();
        command.join();
        return shell.out();
    }
}

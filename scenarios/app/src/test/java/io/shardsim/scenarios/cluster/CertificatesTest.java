package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class CertificatesTest {
    @TempDir
    Path folder;

    private ClusterSettings settings(String key, String password) throws Exception {
        Path file = Files.writeString(folder.resolve("tls.conf"), """
                tls {
                  key-store: %s
                  key-store-password: %s
                  trust-store: keys.p12
                  trust-store-password: change-it
                }
                """.formatted(key, password));
        return ClusterFile.settings(
                new ClusterFile.Flags(file.toString(), null, null, null, java.util.List.of(), null), Map.of());
    }

    @Test
    void storesOfTheDocsAreTaken() throws Exception {
        Keytool.keys(folder, "keys.p12", "-validity", "365");

        ClusterSettings settings = settings("keys.p12", "change-it");

        assertThat(settings.tls().keyStore()).isEqualTo(folder.resolve("keys.p12"));
    }

    @Test
    void wrongPasswordIsAnErrorOfTheFile() throws Exception {
        Keytool.keys(folder, "keys.p12", "-validity", "365");

        assertThatThrownBy(() -> settings("keys.p12", "guessed"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(folder.resolve("tls.conf") + ": tls.key-store " + folder.resolve("keys.p12")
                        + ": tls.key-store-password does not open it");
    }

    @Test
    void expiredCertificateIsRefused() throws Exception {
        Keytool.keys(folder, "keys.p12", "-validity", "365");
        Keytool.keys(folder, "old.p12", "-startdate", "-3y", "-validity", "30");

        assertThatThrownBy(() -> settings("old.p12", "change-it"))
                .hasMessageContaining("old.p12: the certificate \"shardsim\" expired at 20")
                .hasMessageContaining("make a new one");
    }

    @Test
    void storeWithoutAKeyIsRefused() throws Exception {
        Keytool.keys(folder, "keys.p12", "-validity", "365");
        KeyStore empty = KeyStore.getInstance("PKCS12");
        empty.load(null, null);
        try (var out = Files.newOutputStream(folder.resolve("none.p12"))) {
            empty.store(out, "change-it".toCharArray());
        }
        Files.writeString(folder.resolve("text.p12"), "no store at all");

        assertThatThrownBy(() -> settings("none.p12", "change-it")).hasMessageContaining("none.p12 has no private key");
        assertThatThrownBy(() -> settings("text.p12", "change-it")).hasMessageContaining("text.p12 is not PKCS #12");
    }

    /** A member reports an expired or not yet valid certificate of another. */
    @Test
    void datesOfAnothersCertificateAreLookedAt() throws Exception {
        Keytool.keys(folder, "keys.p12", "-validity", "365");
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(folder.resolve("keys.p12"))) {
            keys.load(file, "change-it".toCharArray());
        }
        var chain = keys.getCertificateChain("shardsim");
        Instant now = Instant.now();

        assertThat(Certificates.outOfDate(chain, now)).isNull();
        assertThat(Certificates.outOfDate(chain, now.plus(Duration.ofDays(366))))
                .startsWith("expired at ");
        assertThat(Certificates.outOfDate(chain, now.minus(Duration.ofDays(1)))).startsWith("is not valid before ");
    }
}

package io.shardsim.scenarios.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Checks a member's key store and trust store before the member listens. Java does not check the dates of a certificate in the trust store, such as a
 * self-signed one; Pekko opens the stores on the first connection, when nobody reads errors any more.
 */
final class Certificates {
    private Certificates() {}

    /** @throws IllegalArgumentException when a store cannot be opened, has no key, or its certificate has expired or is not yet valid */
    static void check(ClusterSettings.Tls tls, Instant now) {
        KeyStore keys = open("key-store", tls.keyStore(), tls.keyStorePassword());
        KeyStore trusted = open("trust-store", tls.trustStore(), tls.trustStorePassword());
        try {
            boolean hasKey = false;
            for (String alias : Collections.list(keys.aliases())) {
                if (keys.isKeyEntry(alias)) {
                    hasKey = true;
                    requireKey(keys, alias, tls);
                    String wrong = outOfDate(keys.getCertificateChain(alias), now);
                    if (wrong != null) {
                        throw new IllegalArgumentException("tls.key-store " + tls.keyStore() + ": the certificate \""
                                + alias + "\" " + wrong + "; make a new one (docs/cluster.md, Who may join)");
                    }
                }
            }
            if (!hasKey) {
                throw new IllegalArgumentException("tls.key-store " + tls.keyStore()
                        + " has no private key; make one with keytool -genkeypair (docs/cluster.md, Who may join)");
            }
            if (trusted.size() == 0) {
                throw new IllegalArgumentException("tls.trust-store " + tls.trustStore()
                        + " is empty; add the certificate that signs the members' with keytool -importcert");
            }
        } catch (GeneralSecurityException unreadable) {
            throw new IllegalArgumentException(
                    "tls.key-store " + tls.keyStore() + ": " + unreadable.getMessage(), unreadable);
        }
    }

    /** Returns the TLS context of connections; requires stores that passed {@link #check}. */
    static SSLContext context(ClusterSettings.Tls tls) {
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(
                    open("key-store", tls.keyStore(), tls.keyStorePassword()),
                    tls.keyStorePassword().toCharArray());
            TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trusted.init(open("trust-store", tls.trustStore(), tls.trustStorePassword()));
            TrustManager[] dated = Stream.of(trusted.getTrustManagers())
                    .map(trust -> new ClusterTls.DatedTrust((X509ExtendedTrustManager) trust))
                    .toArray(TrustManager[]::new);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), dated, null);
            return context;
        } catch (GeneralSecurityException unusable) {
            throw new IllegalArgumentException(
                    "tls.key-store " + tls.keyStore() + ": " + unusable.getMessage(), unusable);
        }
    }

    private static KeyStore open(String key, Path store, String password) {
        try (InputStream file = Files.newInputStream(store)) {
            KeyStore opened = KeyStore.getInstance("PKCS12");
            opened.load(file, password.toCharArray());
            return opened;
        } catch (IOException | GeneralSecurityException unreadable) {
            boolean locked = unreadable.getCause() instanceof java.security.UnrecoverableKeyException;
            throw new IllegalArgumentException(
                    "tls." + key + " " + store
                            + (locked
                                    ? ": tls." + key + "-password does not open it"
                                    : " is not PKCS #12: " + unreadable.getMessage()),
                    unreadable);
        }
    }

    private static void requireKey(KeyStore keys, String alias, ClusterSettings.Tls tls)
            throws GeneralSecurityException {
        try {
            Key key = keys.getKey(alias, tls.keyStorePassword().toCharArray());
            if (key != null) {
                return;
            }
        } catch (java.security.UnrecoverableKeyException locked) {
            // The key has a password of its own.
        }
        throw new IllegalArgumentException("tls.key-store " + tls.keyStore() + ": the key \"" + alias
                + "\" has another password than the store; give both tls.key-store-password");
    }

    /** Returns what is wrong with the dates of the first invalid certificate; null if all are valid. */
    static @Nullable String outOfDate(Certificate[] chain, Instant now) {
        List<String> wrong = new ArrayList<>();
        for (Certificate each : chain) {
            if (each instanceof X509Certificate certificate) {
                try {
                    certificate.checkValidity(Date.from(now));
                } catch (CertificateExpiredException late) {
                    wrong.add("expired at " + instant(certificate.getNotAfter()));
                } catch (CertificateNotYetValidException early) {
                    wrong.add("is not valid before " + instant(certificate.getNotBefore()));
                }
            }
        }
        return wrong.isEmpty() ? null : wrong.get(0);
    }

    private static Instant instant(Date date) {
        return date.toInstant();
    }
}

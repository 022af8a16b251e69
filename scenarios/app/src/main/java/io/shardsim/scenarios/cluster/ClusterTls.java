package io.shardsim.scenarios.cluster;

import com.typesafe.config.Config;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.remote.artery.tcp.SSLEngineProvider;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;

/**
 * Mutual TLS between members and for commands; Artery's is configured in {@code cluster.conf}. A member that connects to another names its protocol
 * in the first record (ALPN, RFC 7301), so that one port serves both.
 */
public final class ClusterTls implements SSLEngineProvider {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterTls.class);
    private static final String MEMBER = "shardsim-member";
    private static final String[] VERSIONS = {"TLSv1.3"};
    private static final String STORES = "pekko.remote.artery.ssl.config-ssl-engine.";

    private final SSLContext context;

    /** Called by Pekko. */
    public ClusterTls(ActorSystem system) {
        Config config = system.settings().config();
        context = Certificates.context(new ClusterSettings.Tls(
                Path.of(config.getString(STORES + "key-store")),
                config.getString(STORES + "key-store-password"),
                Path.of(config.getString(STORES + "trust-store")),
                config.getString(STORES + "trust-store-password")));
    }

    @Override
    public SSLEngine createServerSSLEngine(String host, int port) {
        return server(context);
    }

    @Override
    public SSLEngine createClientSSLEngine(String host, int port) {
        SSLEngine engine = context.createSSLEngine(host, port);
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setProtocols(VERSIONS);
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        parameters.setApplicationProtocols(new String[] {MEMBER});
        engine.setSSLParameters(parameters);
        return engine;
    }

    static SSLEngine server(SSLContext context) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        engine.setNeedClientAuth(true);
        engine.setEnabledProtocols(VERSIONS);
        // A server without ALPN ignores the protocols it is offered.
        return engine;
    }

    /** Accepts the session, which the trust manager has checked. */
    @Override
    public Option<Throwable> verifyClientSession(String host, SSLSession session) {
        return Option.empty();
    }

    @Override
    public Option<Throwable> verifyServerSession(String host, SSLSession session) {
        return Option.empty();
    }

    /** Returns which port a connection belongs to, from its first records. */
    static Framing kind(byte[] bytes, int filled) {
        return new String(bytes, 0, filled, StandardCharsets.ISO_8859_1).contains(MEMBER)
                ? Framing.ARTERY
                : Framing.HTTP;
    }

    /** Also rejects a certificate that is out of date though its authority is trusted, which Java does not check. */
    static final class DatedTrust extends X509ExtendedTrustManager {
        private final X509ExtendedTrustManager trust;

        DatedTrust(X509ExtendedTrustManager trust) {
            this.trust = trust;
        }

        private static void requireDates(X509Certificate[] chain) throws CertificateException {
            String wrong = Certificates.outOfDate(chain, Instant.now());
            if (wrong != null) {
                LOG.warn("refused the certificate of {}: it {}", chain[0].getSubjectX500Principal(), wrong);
                throw new CertificateException("the certificate " + wrong);
            }
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            trust.checkClientTrusted(chain, type, engine);
            requireDates(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            trust.checkServerTrusted(chain, type, engine);
            requireDates(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            trust.checkClientTrusted(chain, type, socket);
            requireDates(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            trust.checkServerTrusted(chain, type, socket);
            requireDates(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            trust.checkClientTrusted(chain, type);
            requireDates(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            trust.checkServerTrusted(chain, type);
            requireDates(chain);
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return trust.getAcceptedIssuers();
        }
    }
}

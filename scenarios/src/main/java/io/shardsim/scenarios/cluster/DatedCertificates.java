package io.shardsim.scenarios.cluster;

import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.time.Instant;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.remote.artery.tcp.ConfigSSLEngineProvider;
import org.slf4j.LoggerFactory;
import scala.Option;

/** Pekko's TLS, which also refuses a certificate that is out of date though its authority is trusted; named in {@code cluster.conf}. */
public final class DatedCertificates extends ConfigSSLEngineProvider {
    private static final SparseLog WARNINGS = new SparseLog(LoggerFactory.getLogger(DatedCertificates.class));

    /** Called by Pekko. */
    public DatedCertificates(ActorSystem system) {
        super(system);
    }

    @Override
    public Option<Throwable> verifyClientSession(String host, SSLSession session) {
        return verify(host, session);
    }

    @Override
    public Option<Throwable> verifyServerSession(String host, SSLSession session) {
        return verify("a member that wants to join", session);
    }

    private static Option<Throwable> verify(String who, SSLSession session) {
        try {
            Certificate[] chain = session.getPeerCertificates();
            String wrong = Certificates.outOfDate(chain, Instant.now());
            if (wrong == null) {
                return Option.empty();
            }
            WARNINGS.warn("refused the certificate of {}: it {}", who, wrong);
            return Option.apply(new CertificateException("the certificate " + wrong));
        } catch (SSLPeerUnverifiedException none) {
            return Option.apply(none);
        }
    }
}

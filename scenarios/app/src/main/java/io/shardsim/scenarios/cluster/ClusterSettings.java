package io.shardsim.scenarios.cluster;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a JVM's membership in a cluster.
 *
 * @param name name of the cluster; members with another name do not see each other
 * @param host name or address by which others reach this member
 * @param bind address to listen on; usually {@code host}
 * @param port port for both; 0 picks a free one
 * @param seeds members to join through, in the same order everywhere
 * @param tls null for plain connections
 * @param metrics address of the metrics endpoint, or null for none
 * @param patience timeouts
 */
public record ClusterSettings(
        String name,
        String host,
        String bind,
        int port,
        List<HostPort> seeds,
        @Nullable Tls tls,
        @Nullable HostPort metrics,
        Patience patience) {
    static final String LOOPBACK = "127.0.0.1";

    public ClusterSettings {
        seeds = List.copyOf(seeds);
        if (!name.matches("[A-Za-z0-9][A-Za-z0-9_-]{0,62}")) {
            throw new IllegalArgumentException(
                    "cluster name \"" + name + "\" may have only letters, digits, - and _; write for example shardsim");
        }
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port " + port + " is not between 0 and 65535");
        }
    }

    ClusterSettings withPort(int port) {
        return new ClusterSettings(name, host, bind, port, seeds, tls, metrics, patience);
    }

    /** Returns whether a name or address means this machine to any reader. */
    static boolean isLoopback(String place) {
        try {
            return InetAddress.getByName(place).isLoopbackAddress();
        } catch (UnknownHostException elsewhere) {
            return false;
        }
    }

    /** Returns whether this JVM is reachable only from its own machine. */
    public boolean listensOnLoopback() {
        return isLoopback(bind);
    }

    /**
     * Keys for mutual TLS: each side presents its certificate, which an authority in the trust store must have signed and which must name the host
     * that the other side connected to.
     *
     * @param keyStore own key and certificate, PKCS #12
     * @param trustStore certificates of the authorities, PKCS #12
     */
    public record Tls(Path keyStore, String keyStorePassword, Path trustStore, String trustStorePassword) {
        /** Returns the TLS context of connections. */
        public SSLContext context() {
            return Certificates.context(this);
        }

        @Override
        public String toString() {
            return "Tls[" + keyStore + ", " + trustStore + "]";
        }
    }

    /**
     * Timeouts for silence.
     *
     * @param silence time until the points of a silent member are reassigned, and until Pekko considers it unreachable
     * @param removal time from then until it is removed from the cluster for good
     * @param contact time until a command that no member answers gives up
     * @param join time until joining is given up
     * @param takeover time until a command gives up a cluster without a coordinator
     */
    public record Patience(Duration silence, Duration removal, Duration contact, Duration join, Duration takeover) {}
}

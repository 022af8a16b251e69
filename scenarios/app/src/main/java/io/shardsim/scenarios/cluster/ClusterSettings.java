package io.shardsim.scenarios.cluster;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * How a JVM takes part in a cluster.
 *
 * @param name name of the cluster; members of another name do not hear each other
 * @param host name or address by which the others reach this member
 * @param bind address that it listens on; usually {@code host}
 * @param port port for both; 0 for any that is free
 * @param seeds members to join by, in the same order everywhere
 * @param tls null for plain connections
 * @param metrics where meters are served, or null for nowhere
 * @param patience how long silence is borne
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

    /** Whether a name or address is this machine to whoever reads it. */
    static boolean isLoopback(String place) {
        try {
            return InetAddress.getByName(place).isLoopbackAddress();
        } catch (UnknownHostException elsewhere) {
            return false;
        }
    }

    /** Whether nobody reaches this JVM but from its own machine. */
    public boolean listensOnLoopback() {
        return isLoopback(bind);
    }

    /**
     * Keys for TLS with mutual authentication: each side shows its certificate, which an authority in the trust store must have signed and which
     * must name the host that the other connected to.
     *
     * @param keyStore own key and certificate, PKCS #12
     * @param trustStore certificates of the authorities, PKCS #12
     */
    public record Tls(Path keyStore, String keyStorePassword, Path trustStore, String trustStorePassword) {
        /** What connections are made with. */
        public SSLContext context() {
            return Certificates.context(this);
        }

        @Override
        public String toString() {
            return "Tls[" + keyStore + ", " + trustStore + "]";
        }
    }

    /**
     * How long silence is borne.
     *
     * @param silence until the points of a member that says nothing are handed out again, and until Pekko calls it unreachable
     * @param removal from then until it is removed from the cluster for good
     * @param contact until a command that no member answers gives up
     * @param join until joining is given up
     * @param takeover until a command gives up a cluster without a coordinator
     */
    public record Patience(Duration silence, Duration removal, Duration contact, Duration join, Duration takeover) {}
}

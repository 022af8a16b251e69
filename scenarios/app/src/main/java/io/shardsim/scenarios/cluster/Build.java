package io.shardsim.scenarios.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * The program's build. All members of a cluster must have the same build, down to the constants in data files, or a result would depend on where its
 * point ran.
 *
 * @param version version as printed by {@code --version}
 * @param code hash over all sources, data and library versions, independent of the JDK that compiled them; {@code development} if the build has not
 *     written it
 * @param protocol protocol between members: a number that is raised when a message changes meaning, and a hash of all message types
 */
public record Build(String version, String code, String protocol) {
    /** Raised when old and new members would misunderstand each other although the message types are equal. */
    private static final int PROTOCOL = 1;

    private static final String DEVELOPMENT = "development";

    public static Build current() {
        return Current.BUILD;
    }

    private static final class Current {
        static final Build BUILD = find();

        private static Build find() {
            String version = Build.class.getPackage().getImplementationVersion();
            return new Build(
                    version == null ? DEVELOPMENT : version, sources(), PROTOCOL + "-" + ClusterProtocol.fingerprint());
        }
    }

    /** Returns the hash written by the build, {@code scenarios/app/src/sources-id}. */
    private static String sources() {
        try (InputStream file = Build.class.getResourceAsStream("/META-INF/shardsim/sources.properties")) {
            Properties written = new Properties();
            if (file != null) {
                written.load(file);
            }
            return written.getProperty("sources", DEVELOPMENT);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Returns version and build without the protocol. */
    public String brief() {
        return "shardsim " + version + " (build " + code + ")";
    }

    @Override
    public String toString() {
        return "shardsim " + version + " (build " + code + ", protocol " + protocol + ")";
    }
}

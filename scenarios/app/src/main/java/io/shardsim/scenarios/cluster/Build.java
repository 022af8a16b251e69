package io.shardsim.scenarios.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * Which program this is. Members of one cluster must be of the same build, down to the constants in its data files, or a result would depend on
 * where its point ran.
 *
 * @param version as {@code --version} prints it
 * @param code a hash over all sources, data and versions of libraries, the same whichever JDK compiled them; {@code development} where the build has
 *     not written it
 * @param protocol what members say to each other: a number that is raised when the meaning of a message changes, and a hash of all messages
 */
public record Build(String version, String code, String protocol) {
    /** Raised when members of before and after would misunderstand each other although their messages look the same. */
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

    /** Written by the build, {@code scenarios/app/src/sources-id}. */
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

    /** Version and build without the protocol. */
    public String brief() {
        return "shardsim " + version + " (build " + code + ")";
    }

    @Override
    public String toString() {
        return "shardsim " + version + " (build " + code + ", protocol " + protocol + ")";
    }
}

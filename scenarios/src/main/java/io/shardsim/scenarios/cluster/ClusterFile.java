package io.shardsim.scenarios.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import io.shardsim.simulator.Nearest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A cluster file: settings in HOCON, in which {@code ${?NAME}} stands for an environment variable. What an environment variable or a flag says
 * goes before the file.
 */
public final class ClusterFile {
    private static final List<String> KEYS = List.of(
            "name",
            "host",
            "bind",
            "port",
            "seeds",
            "tls.key-store",
            "tls.key-store-password",
            "tls.trust-store",
            "tls.trust-store-password",
            "metrics.bind",
            "metrics.port",
            "patience.silence",
            "patience.removal",
            "patience.contact",
            "patience.join",
            "patience.takeover");

    private final Config config;

    private ClusterFile(Config config) {
        this.config = config;
    }

    /** What the command line says; null where it says nothing. */
    public record Flags(
            @Nullable String file,
            @Nullable String host,
            @Nullable String bind,
            @Nullable Integer port,
            List<String> seeds,
            @Nullable Integer metricsPort) {}

    /**
     * Settings from flags, environment and file, in this order.
     *
     * @param port where neither says one
     * @throws IllegalArgumentException with what is wrong and where it was said
     */
    public static ClusterSettings settings(Flags flags, Map<String, String> environment, int port) {
        String file = first(flags.file(), environment.get("SHARDSIM_CLUSTER_FILE"));
        ClusterFile read = new ClusterFile(file == null ? ConfigFactory.empty() : read(Path.of(file), environment));
        try {
            return read.settings(flags, environment, port, file);
        } catch (ConfigException wrong) {
            throw new IllegalArgumentException(wrong.getMessage(), wrong);
        }
    }

    private static Config read(Path file, Map<String, String> environment) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException("cluster file " + file + " cannot be read");
        }
        try {
            Config config = ConfigFactory.parseFile(file.toFile())
                    .resolveWith(ConfigFactory.parseMap(environment, "environment"));
            TreeSet<String> keys = new TreeSet<>();
            config.entrySet().forEach(entry -> keys.add(entry.getKey()));
            for (String key : keys) {
                if (!KEYS.contains(key)) {
                    throw new IllegalArgumentException(
                            file + ": unknown key " + key + "; " + Nearest.remedy(key, KEYS));
                }
            }
            return config;
        } catch (ConfigException wrong) {
            throw new IllegalArgumentException(wrong.getMessage(), wrong);
        }
    }

    private ClusterSettings settings(Flags flags, Map<String, String> environment, int port, @Nullable String file) {
        String host = first(flags.host(), environment.get("SHARDSIM_HOST"), text("host"), ClusterSettings.LOOPBACK);
        Integer metricsPort = flags.metricsPort() != null ? flags.metricsPort() : whole("metrics.port");
        return new ClusterSettings(
                first(text("name"), null, null, ClusterSettings.DEFAULT_NAME),
                host,
                first(flags.bind(), environment.get("SHARDSIM_BIND"), text("bind"), host),
                flags.port() != null ? flags.port() : config.hasPath("port") ? config.getInt("port") : port,
                seeds(flags, environment),
                tls(file),
                metricsPort == null
                        ? null
                        : new HostPort(
                                first(
                                        environment.get("SHARDSIM_METRICS_BIND"),
                                        text("metrics.bind"),
                                        null,
                                        ClusterSettings.LOOPBACK),
                                metricsPort),
                patience());
    }

    private List<HostPort> seeds(Flags flags, Map<String, String> environment) {
        String asked = environment.get("SHARDSIM_SEEDS");
        if (!flags.seeds().isEmpty()) {
            return HostPort.parseAll(String.join(",", flags.seeds()));
        }
        if (asked != null) {
            return HostPort.parseAll(asked);
        }
        return config.hasPath("seeds") ? HostPort.parseAll(String.join(",", config.getStringList("seeds"))) : List.of();
    }

    private ClusterSettings.@Nullable Tls tls(@Nullable String file) {
        if (!config.hasPath("tls") || file == null) {
            return null;
        }
        Path place = Path.of(file).toAbsolutePath();
        ClusterSettings.Tls tls = new ClusterSettings.Tls(
                readable(place.resolveSibling(config.getString("tls.key-store"))),
                config.getString("tls.key-store-password"),
                readable(place.resolveSibling(config.getString("tls.trust-store"))),
                config.getString("tls.trust-store-password"));
        try {
            Certificates.check(tls, Instant.now());
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(file + ": " + wrong.getMessage(), wrong);
        }
        return tls;
    }

    private static Path readable(Path store) {
        if (!Files.isReadable(store)) {
            throw new IllegalArgumentException("key store " + store + " cannot be read");
        }
        return store;
    }

    private ClusterSettings.Patience patience() {
        ClusterSettings.Patience usual = ClusterSettings.Patience.USUAL;
        return new ClusterSettings.Patience(
                time("patience.silence", usual.silence()),
                time("patience.removal", usual.removal()),
                time("patience.contact", usual.contact()),
                time("patience.join", usual.join()),
                time("patience.takeover", usual.takeover()));
    }

    private Duration time(String key, Duration usual) {
        return config.hasPath(key) ? config.getDuration(key) : usual;
    }

    private @Nullable String text(String key) {
        return config.hasPath(key) ? config.getString(key) : null;
    }

    private @Nullable Integer whole(String key) {
        return config.hasPath(key) ? (Integer) config.getInt(key) : null;
    }

    private static @Nullable String first(@Nullable String one, @Nullable String other) {
        return one != null && !one.isBlank() ? one : other != null && !other.isBlank() ? other : null;
    }

    private static String first(@Nullable String a, @Nullable String b, @Nullable String c, String last) {
        String said = first(first(a, b), c);
        return said == null ? last : said;
    }
}

package io.shardsim.scenarios.cluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import com.typesafe.config.ConfigValueType;
import io.shardsim.simulator.Nearest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A cluster file: settings in HOCON, in which {@code ${?NAME}} refers to an environment variable. A flag overrides the environment, which overrides
 * the file; the keys and their defaults are in {@code cluster-settings.conf}.
 */
public final class ClusterFile {
    private ClusterFile() {}

    /** Command-line flags; null if not given. */
    public record Flags(
            @Nullable String file,
            @Nullable String host,
            @Nullable String bind,
            @Nullable Integer port,
            List<String> seeds,
            @Nullable Integer metricsPort) {
        private Config config() {
            Map<String, Object> said = new HashMap<>();
            add(said, "host", host);
            add(said, "bind", bind);
            add(said, "port", port);
            add(said, "seeds", seeds.isEmpty() ? null : seeds);
            add(said, "metrics.port", metricsPort);
            return ConfigFactory.parseMap(said, "command line");
        }

        private static void add(Map<String, Object> said, String key, @Nullable Object value) {
            if (value != null) {
                said.put(key, value);
            }
        }
    }

    /**
     * Merges settings from flags, environment and file, in this order.
     *
     * @throws IllegalArgumentException with what is wrong and where it was set
     */
    public static ClusterSettings settings(Flags flags, Map<String, String> environment) {
        try {
            return read(flags, environment);
        } catch (ConfigException wrong) {
            throw new IllegalArgumentException(wrong.getMessage(), wrong);
        }
    }

    private static ClusterSettings read(Flags flags, Map<String, String> environment) {
        Map<String, String> said = new HashMap<>(environment);
        said.values().removeIf(String::isBlank);
        Config variables = ConfigValueFactory.fromMap(said, "environment").toConfig();
        Config usual = resource("cluster-settings.conf");
        String file = flags.file() != null ? flags.file() : said.get("SHARDSIM_CLUSTER_FILE");
        Config own = file == null ? ConfigFactory.empty() : file(Path.of(file), variables, usual.resolve());
        Config all = flags.config()
                .withFallback(resource("cluster-environment.conf").resolveWith(variables))
                .withFallback(own)
                .withFallback(usual)
                .resolve();
        return new ClusterSettings(
                all.getString("name"),
                all.getString("host"),
                all.getString("bind"),
                all.getInt("port"),
                HostPort.parseAll(
                        all.getValue("seeds").valueType() == ConfigValueType.LIST
                                ? String.join(",", all.getStringList("seeds"))
                                : all.getString("seeds")),
                file == null || !own.hasPath("tls") ? null : tls(file, own),
                all.getString("metrics.port").isEmpty()
                        ? null
                        : new HostPort(all.getString("metrics.bind"), all.getInt("metrics.port")),
                new ClusterSettings.Patience(
                        all.getDuration("patience.silence"),
                        all.getDuration("patience.removal"),
                        all.getDuration("patience.contact"),
                        all.getDuration("patience.join"),
                        all.getDuration("patience.takeover")));
    }

    private static Config resource(String name) {
        return ConfigFactory.parseResources(ClusterFile.class, "/" + name);
    }

    private static Config file(Path file, Config variables, Config usual) {
        if (!Files.isReadable(file)) {
            throw new IllegalArgumentException("cluster file " + file + " cannot be read");
        }
        Config config = ConfigFactory.parseFile(file.toFile()).resolveWith(variables);
        TreeSet<String> known = new TreeSet<>();
        usual.entrySet().forEach(entry -> known.add(entry.getKey()));
        TreeSet<String> unknown = new TreeSet<>();
        config.entrySet().forEach(entry -> unknown.add(entry.getKey()));
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(file + ": unknown key " + unknown.first() + "; "
                    + Nearest.remedy(unknown.first(), List.copyOf(known)));
        }
        return config;
    }

    private static ClusterSettings.Tls tls(String file, Config own) {
        Path place = Path.of(file).toAbsolutePath();
        ClusterSettings.Tls tls = new ClusterSettings.Tls(
                readable(place.resolveSibling(own.getString("tls.key-store"))),
                own.getString("tls.key-store-password"),
                readable(place.resolveSibling(own.getString("tls.trust-store"))),
                own.getString("tls.trust-store-password"));
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
}

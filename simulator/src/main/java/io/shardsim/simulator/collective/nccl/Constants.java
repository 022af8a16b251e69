package io.shardsim.simulator.collective.nccl;

import io.shardsim.topology.units.Bandwidth;
import io.shardsim.topology.units.DataSize;
import io.shardsim.topology.units.Picoseconds;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A file of constants beside this class; its key {@code extends} names another one whose values it overrides. */
final class Constants {
    private final String file;
    private final Properties values;

    private Constants(String file, Properties values) {
        this.file = file;
        this.values = values;
    }

    /** The constants in {@code <name>.properties}, null when there is no such file. */
    static @Nullable Constants find(String name) {
        String file = name + ".properties";
        Properties own = new Properties();
        try (InputStream in = Constants.class.getResourceAsStream(file)) {
            if (in == null) {
                return null;
            }
            own.load(new InputStreamReader(in, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(file, e);
        }
        String base = own.getProperty("extends");
        Properties merged = new Properties();
        if (base != null) {
            merged.putAll(named(base).values);
        }
        merged.putAll(own);
        return new Constants(file, merged);
    }

    /** The constants in a file that must exist. */
    static Constants named(String name) {
        Constants found = find(name);
        if (found == null) {
            throw new IllegalArgumentException("NCCL constants: no file " + name
                    + ".properties; add one like ampere.properties, or name the architecture ampere, hopper or volta");
        }
        return found;
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    String text(String key) {
        String value = values.getProperty(key);
        if (value == null) {
            throw new IllegalArgumentException(file + ": " + key + " is missing");
        }
        return value.strip();
    }

    List<String> list(String key) {
        return Stream.of(text(key).split(",")).map(String::strip).toList();
    }

    long timePs(String key) {
        return Picoseconds.parse(text(key));
    }

    long bytes(String key) {
        return DataSize.parse(text(key)).bytes();
    }

    Bandwidth rate(String key) {
        return Bandwidth.parse(text(key));
    }

    int count(String key) {
        return Integer.parseInt(text(key));
    }

    double ratio(String key) {
        return Double.parseDouble(text(key));
    }

    /** One time per protocol, in the order of {@link Protocol}. */
    long[] timesPs(String prefix) {
        return Stream.of(Protocol.values())
                .mapToLong(protocol -> timePs(prefix + "." + protocol.key()))
                .toArray();
    }

    /** Rates in bytes per microsecond, the unit of NCCL's tuner. */
    double[] perMicrosecond(String key) {
        return list(key).stream()
                .mapToDouble(text -> Bandwidth.parse(text).bytesPerSecond() / 1e6)
                .toArray();
    }
}

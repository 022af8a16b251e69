package io.shardsim.simulator;

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
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file of constants, {@code <name>.properties}, every value with its source in a comment. Its key {@code extends} names a file of the same
 * directory whose values it overrides.
 */
public final class Constants {
    private final String file;
    private final Properties values;

    /**
     * Constants that somebody else read, a reader's own file for instance.
     *
     * @param name of the file, as messages name it
     */
    public Constants(String name, Properties values) {
        this.file = name + ".properties";
        this.values = values;
    }

    /** The files of constants beside a class, or in a folder beside it. */
    public static ResourceDirectory directory(Class<?> reader, String... folder) {
        String beside = reader.getPackageName().replace('.', '/');
        return new ResourceDirectory(
                String.join(
                        "/", Stream.concat(Stream.of(beside), Stream.of(folder)).toList()),
                ".properties");
    }

    /** The constants of a name, those of the file that it extends included; null when there is no such file. */
    public static @Nullable Constants find(ResourceDirectory directory, String name) {
        Properties own = new Properties();
        try (InputStream in = directory.open(name)) {
            if (in == null) {
                return null;
            }
            own.load(new InputStreamReader(in, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(directory.path(name), e);
        }
        Properties values = new Properties();
        String base = own.getProperty("extends");
        if (base != null) {
            Constants extended = find(directory, base);
            if (extended == null) {
                throw new IllegalArgumentException(
                        directory.path(name) + " extends " + base + ", which does not exist");
            }
            values.putAll(extended.values);
        }
        values.putAll(own);
        return new Constants(name, values);
    }

    /** A copy of all keys and values. */
    public Properties toProperties() {
        Properties copy = new Properties();
        copy.putAll(values);
        return copy;
    }

    public Set<String> keys() {
        return values.stringPropertyNames();
    }

    public boolean has(String key) {
        return values.containsKey(key);
    }

    public String text(String key) {
        String value = values.getProperty(key);
        if (value == null) {
            throw new IllegalArgumentException(file + ": " + key + " is missing");
        }
        return value.strip();
    }

    /** Words between commas. */
    public List<String> list(String key) {
        return Stream.of(text(key).split(",")).map(String::strip).toList();
    }

    public boolean flag(String key) {
        return Boolean.parseBoolean(text(key));
    }

    public int count(String key) {
        return Integer.parseInt(text(key));
    }

    public double ratio(String key) {
        return Double.parseDouble(text(key));
    }

    /** A number above 0. */
    public double positive(String key) {
        double value = ratio(key);
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(file + ": " + key + " " + value + " must be above 0");
        }
        return value;
    }

    /** A time with its unit [ps]. */
    public long timePs(String key) {
        return Picoseconds.parse(text(key));
    }

    /** A size with its unit [bytes]. */
    public long bytes(String key) {
        return DataSize.parse(text(key)).bytes();
    }

    public Bandwidth rate(String key) {
        return Bandwidth.parse(text(key));
    }
}

package io.shardsim.simulator.schema;

import io.shardsim.simulator.ClassPathException;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** Tables shipped as YAML with the program or with a jar on its class path; a test reads each of the program's. */
public final class ShippedFile {
    private ShippedFile() {}

    /**
     * Reads a resource as the Java class of its type.
     *
     * @param path path relative to the class's package, or absolute with a leading slash
     */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public static <T> T read(Class<?> from, String path, ValueType type) {
        Problems problems = new Problems(path);
        try (InputStream in = Objects.requireNonNull(from.getResourceAsStream(path), path)) {
            Object value = type.read(Objects.requireNonNull(YamlReader.read(in, problems), path), "table", problems);
            problems.throwIfAny();
            return (T) Objects.requireNonNull(value, path);
        } catch (IOException failure) {
            throw new UncheckedIOException(path, failure);
        } catch (InputException defect) {
            throw new ClassPathException("broken table: " + defect.getMessage());
        }
    }
}

package io.shardsim.simulator.schema;

import io.shardsim.simulator.ClassPathException;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;

/** Tables that the program or a jar beside it ships as YAML; a test reads every one of the program's. */
public final class ShippedFile {
    private ShippedFile() {}

    /**
     * What a resource holds, of the Java class that the type is read as.
     *
     * @param path from the package of a class, or from the root where it begins with a slash
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

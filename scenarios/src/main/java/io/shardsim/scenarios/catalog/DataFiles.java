package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.ResourceDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * YAML files of one folder, each a record of its own, by name. For our own data alone: what is wrong in one is not told with its place.
 *
 * @param type what a file holds
 */
public record DataFiles<T>(ResourceDirectory files, Class<T> type) {
    private static final YAMLMapper YAML = new YAMLMapper();

    public DataFiles(String directory, Class<T> type) {
        this(new ResourceDirectory(directory, ".yaml"), type);
    }

    /** Names of all files, without their ending. */
    public List<String> names() {
        return files.names();
    }

    /** What the file of a name holds; null where there is none. */
    public @Nullable T read(String name) {
        try (InputStream in = files.open(name)) {
            return in == null ? null : YAML.readValue(in, type);
        } catch (IOException failure) {
            throw new UncheckedIOException(files.path(name) + " cannot be read", failure);
        }
    }
}

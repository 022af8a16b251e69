package io.shardsim.scenarios.scenario;

import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** YAML of a file, stream or string, with the problems found so far; every scenario reader starts from one. */
public final class OpenedFile {
    private final @Nullable YamlNode root;
    private final Problems problems;
    /** Whether to read files that it names; false for strings, which may come from anywhere. */
    private final boolean readsFiles;

    private OpenedFile(@Nullable YamlNode root, Problems problems, boolean readsFiles) {
        this.root = root;
        this.problems = problems;
        this.readsFiles = readsFiles;
    }

    /** Opens a file; if it cannot be read, its readers report that. */
    public static OpenedFile file(String file) {
        Problems problems = new Problems(file);
        return new OpenedFile(YamlReader.read(file, problems), problems, true);
    }

    /**
     * Opens a stream.
     *
     * @param name the stream's name in messages
     * @throws InputException when it cannot be read
     */
    public static OpenedFile stream(String name, InputStream in) throws InputException {
        Problems problems = new Problems(name);
        try {
            return new OpenedFile(YamlReader.read(in, problems), problems, true);
        } catch (IOException failure) {
            throw new InputException(name, "cannot be read (" + failure.getMessage() + ")");
        }
    }

    /**
     * Opens a string.
     *
     * @param name the string's name in messages
     */
    public static OpenedFile text(String name, String text) {
        Problems problems = new Problems(name);
        return new OpenedFile(YamlReader.readText(text, problems), problems, false);
    }

    /** Returns whether this is a scenario, not another tool's file. */
    public boolean isScenario() {
        return root instanceof Mapping keys && isScenario(keys);
    }

    /** Returns whether these are the keys of a scenario, not of another tool's file. */
    public static boolean isScenario(Mapping keys) {
        return keys.entry("scenario") != null || keys.entry("cluster") != null && keys.entry("training") != null;
    }

    /**
     * Returns the content as plain Java values.
     *
     * @throws InputException as {@link #keys} does
     */
    public Map<String, Object> tree() throws InputException {
        return Sweep.values(keys());
    }

    /** Returns the root node; null after problems were added. */
    @Nullable
    YamlNode root() {
        return root;
    }

    Problems problems() {
        return problems;
    }

    /** Returns the keys with overrides applied and the files that they name inlined. */
    Mapping with(Overrides overrides, Mapping keys) throws InputException {
        Mapping tree = overrides.in(keys, problems);
        return readsFiles ? InstanceFiles.described(tree, problems.file()) : tree;
    }

    /**
     * Returns the top-level block of keys.
     *
     * @throws InputException when it is not YAML, or not a block of keys
     */
    Mapping keys() throws InputException {
        problems.throwIfAny();
        if (!(root instanceof Mapping keys)) {
            throw new InputException(problems.file(), "holds no scenario");
        }
        return keys;
    }
}

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

/** The YAML of a file, a stream or a text, and what is wrong with it so far; every reader of scenarios begins with one. */
public final class OpenedFile {
    private final @Nullable YamlNode root;
    private final Problems problems;
    /** Whether files that it names are read; a text may come from anywhere. */
    private final boolean readsFiles;

    private OpenedFile(@Nullable YamlNode root, Problems problems, boolean readsFiles) {
        this.root = root;
        this.problems = problems;
        this.readsFiles = readsFiles;
    }

    /** Opens a file; where it cannot be read, its readers say so. */
    public static OpenedFile file(String file) {
        Problems problems = new Problems(file);
        return new OpenedFile(YamlReader.read(file, problems), problems, true);
    }

    /**
     * Opens a stream.
     *
     * @param name as messages call it
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
     * Opens a text.
     *
     * @param name as messages call it
     */
    public static OpenedFile text(String name, String text) {
        Problems problems = new Problems(name);
        return new OpenedFile(YamlReader.readText(text, problems), problems, false);
    }

    /** Whether it is a scenario, not a file of another tool. */
    public boolean isScenario() {
        return root instanceof Mapping keys && isScenario(keys);
    }

    /** Whether these are the keys of a scenario, not of a file of another tool. */
    public static boolean isScenario(Mapping keys) {
        return keys.entry("scenario") != null || keys.entry("cluster") != null && keys.entry("training") != null;
    }

    /**
     * What it says, as plain Java values.
     *
     * @throws InputException as {@link #keys} does
     */
    public Map<String, Object> tree() throws InputException {
        return Sweep.values(keys());
    }

    /** What it holds; null after problems were added. */
    @Nullable
    YamlNode root() {
        return root;
    }

    Problems problems() {
        return problems;
    }

    /** Its keys with some values in place of its own, and with the files that it names. */
    Mapping with(Overrides overrides, Mapping keys) throws InputException {
        Mapping tree = overrides.in(keys, problems);
        return readsFiles ? InstanceFiles.described(tree, problems.file()) : tree;
    }

    /**
     * Its block of keys.
     *
     * @throws InputException when it is no YAML, or holds something else
     */
    Mapping keys() throws InputException {
        problems.throwIfAny();
        if (!(root instanceof Mapping keys)) {
            throw new InputException(problems.file(), "holds no scenario");
        }
        return keys;
    }
}

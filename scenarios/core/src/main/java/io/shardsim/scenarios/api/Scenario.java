package io.shardsim.scenarios.api;

import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** What is trained, how, on what, and which of it is varied. Checked: a scenario that exists can be run. */
public final class Scenario {
    private final io.shardsim.scenarios.scenario.Scenario read;

    private Scenario(io.shardsim.scenarios.scenario.Scenario read) {
        this.read = read;
    }

    /** Reads a scenario file, as {@code shardsim run} does. */
    public static Scenario read(Path file) throws InvalidScenarioException {
        try {
            return new Scenario(ScenarioReader.read(file.toString()));
        } catch (InputException refused) {
            throw new InvalidScenarioException(refused);
        }
    }

    /**
     * Reads the text of a scenario file.
     *
     * @param name as messages name the text
     */
    public static Scenario parse(String name, String yaml) throws InvalidScenarioException {
        try {
            return new Scenario(ScenarioReader.readText(name, yaml));
        } catch (InputException refused) {
            throw new InvalidScenarioException(refused);
        }
    }

    /** Begins a scenario that is built in Java. */
    public static Builder named(String name) {
        return new Builder(name);
    }

    public String name() {
        return read.name();
    }

    /** Points to run: 1, or those of the sweep. */
    public int points() {
        return read.points().size();
    }

    io.shardsim.scenarios.scenario.Scenario read() {
        return read;
    }

    /** Sets keys of a scenario file, each written as a sweep writes it, for example {@code cluster.nodes}. */
    public static final class Builder {
        private final Map<String, Object> file = new LinkedHashMap<>();
        private final Map<String, List<?>> sweep = new LinkedHashMap<>();

        private Builder(String name) {
            file.put("scenario", name);
        }

        /**
         * Sets one key.
         *
         * @param key with dots between blocks, as {@code docs/scenario-file.md} lists it
         * @param value a number, a boolean, a text such as {@code "1 GiB"}, or lists and maps of these
         */
        public Builder set(String key, Object value) {
            String[] path = key.split("\\.", -1);
            Map<String, Object> block = file;
            for (int i = 0; i < path.length - 1; i++) {
                block = blockIn(block, path[i], key);
            }
            block.put(path[path.length - 1], value);
            return this;
        }

        @SuppressWarnings("unchecked") // a block has texts as keys
        private static Map<String, Object> blockIn(Map<String, Object> outer, String name, String key) {
            Object inner = outer.computeIfAbsent(name, missing -> new LinkedHashMap<String, Object>());
            if (!(inner instanceof LinkedHashMap<?, ?> block)) {
                throw new IllegalArgumentException(
                        key + ": " + name + " was set to " + inner + ", which has no keys; set one of the two");
            }
            return (Map<String, Object>) block;
        }

        /** Varies one key; several of them are combined, the first one changing slowest. */
        public Builder sweep(String key, List<?> values) {
            sweep.put(key, List.copyOf(values));
            return this;
        }

        /** Checks all of it. */
        public Scenario build() throws InvalidScenarioException {
            Map<String, Object> whole = new LinkedHashMap<>(file);
            if (!sweep.isEmpty()) {
                whole.put("sweep", sweep);
            }
            return parse(
                    String.valueOf(file.get("scenario")), JsonMapper.shared().writeValueAsString(whole));
        }
    }
}

package io.shardsim.scenarios.api;

import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** A scenario: the model, how it is trained, the cluster, and the sweep. Instances are validated and can be run. */
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
     * @param name the text's name in messages
     */
    public static Scenario parse(String name, String yaml) throws InvalidScenarioException {
        try {
            return new Scenario(ScenarioReader.readText(name, yaml));
        } catch (InputException refused) {
            throw new InvalidScenarioException(refused);
        }
    }

    /** Starts building a scenario in Java. */
    public static Builder named(String name) {
        return new Builder(name);
    }

    public String name() {
        return read.name();
    }

    /** Returns the number of points: 1, or that of the sweep. */
    public int points() {
        return read.points().size();
    }

    io.shardsim.scenarios.scenario.Scenario read() {
        return read;
    }

    /** Sets keys of a scenario file, in dotted form as in a sweep, for example {@code cluster.nodes}. */
    public static final class Builder {
        private final Map<String, Object> file = new LinkedHashMap<>();
        private final Map<String, List<?>> sweep = new LinkedHashMap<>();

        private Builder(String name) {
            file.put("scenario", name);
        }

        /**
         * Sets one key.
         *
         * @param key dotted key, as listed in {@code docs/scenario-file.md}
         * @param value a number, a boolean, a string such as {@code "1 GiB"}, or lists and maps of these
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

        @SuppressWarnings("unchecked") // keys of a block are strings
        private static Map<String, Object> blockIn(Map<String, Object> outer, String name, String key) {
            Object inner = outer.computeIfAbsent(name, missing -> new LinkedHashMap<String, Object>());
            if (!(inner instanceof LinkedHashMap<?, ?> block)) {
                throw new IllegalArgumentException(
                        key + ": " + name + " was set to " + inner + ", which has no keys; set one of the two");
            }
            return (Map<String, Object>) block;
        }

        /** Sweeps one key; several keys give all combinations, the first key changing slowest. */
        public Builder sweep(String key, List<?> values) {
            sweep.put(key, List.copyOf(values));
            return this;
        }

        /** Validates and builds the scenario. */
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

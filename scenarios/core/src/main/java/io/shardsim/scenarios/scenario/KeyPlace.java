package io.shardsim.scenarios.scenario;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlReader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The position of a key in a scenario file, for messages about its effect. */
public final class KeyPlace {
    private KeyPlace() {}

    /**
     * Returns the position of the first of some dotted keys that the file sets or sweeps.
     *
     * @return the start of the file if it sets none of them, or can no longer be read
     */
    public static Position of(String file, List<String> keys) {
        if (isFile(file) && YamlReader.read(file, new Problems(file)) instanceof Mapping scenario) {
            return in(scenario, keys);
        }
        return Position.START;
    }

    private static boolean isFile(String file) {
        try {
            return Files.isRegularFile(Path.of(file));
        } catch (InvalidPathException none) {
            return false;
        }
    }

    /** Returns the position of the first of some keys that a scenario sets or sweeps; the start of the file if it sets none. */
    static Position in(Mapping scenario, List<String> keys) {
        for (String key : keys) {
            Position place = place(scenario, key);
            if (place != null) {
                return place;
            }
        }
        return Position.START;
    }

    private static @Nullable Position place(Mapping scenario, String key) {
        for (String lists : List.of("sweep", ScenarioKeys.SEARCH)) {
            Entry all = scenario.entry(lists);
            Entry listed = all != null && all.value() instanceof Mapping block ? block.entry(key) : null;
            if (listed != null) {
                return listed.keyPosition();
            }
        }
        YamlNode at = scenario;
        Position place = null;
        for (String part : key.split("\\.")) {
            Entry entry = at instanceof Mapping block ? block.entry(part) : null;
            if (entry == null) {
                return null;
            }
            place = entry.keyPosition();
            at = entry.value();
        }
        return place;
    }
}

package io.shardsim.scenarios.scenario;

import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.List;
import java.util.Map;

/** A scenario file that is read once; each point of its sweep can be resolved repeatedly with changed values. */
public final class SweptFile {
    private final String file;
    private final Mapping tree;
    private final Sweep sweep;
    private final List<Sweep.Combination> points;
    private final Overrides overrides;

    private SweptFile(String file, Mapping tree, Sweep sweep, List<Sweep.Combination> points, Overrides overrides) {
        this.file = file;
        this.tree = tree;
        this.sweep = sweep;
        this.points = points;
        this.overrides = overrides;
    }

    /**
     * Reads a string.
     *
     * @param file the string's name in messages
     * @throws InputException as {@link #of} does
     */
    public static SweptFile readText(String file, String text) throws InputException {
        return of(OpenedFile.text(file, text), Overrides.NONE);
    }

    /**
     * Reads a file with overrides applied.
     *
     * @throws InputException when it is not YAML, or its sweep or an override is wrong; other keys are checked by {@link #point}
     */
    public static SweptFile of(OpenedFile opened, Overrides overrides) throws InputException {
        Mapping file = opened.keys();
        Problems problems = opened.problems();
        Mapping tree = opened.with(overrides, file);
        Sweep sweep = Sweep.of(tree, problems);
        List<Sweep.Combination> points = sweep.combinations(tree, problems);
        throwIfAny(problems, overrides);
        return new SweptFile(problems.file(), tree, sweep, points, overrides);
    }

    static void throwIfAny(Problems problems, Overrides overrides) throws InputException {
        try {
            problems.throwIfAny();
        } catch (InputException refused) {
            throw new InputException(overrides.told(refused.problems()));
        }
    }

    /** Returns each point's swept values, by dotted key, as plain Java values. */
    public List<Map<String, Object>> values() {
        return points.stream().map(Sweep.Combination::values).toList();
    }

    /** Returns one point of the sweep, ready to be varied. */
    public Variations variations(int place) throws InputException {
        Problems problems = new Problems(file);
        Variations variations = new Variations(file, points.get(place).tree(), problems);
        throwIfAny(problems, overrides);
        return variations;
    }

    /**
     * Returns a point with some values changed. It stays a point of its sweep: settings of other strategies are ignored, and its shard group is
     * capped to the world size.
     *
     * @param place index of the point in the sweep, from 0
     * @param changes YAML values by dotted key
     * @throws InputException with every problem of the changed point
     */
    public ScenarioPoint point(int place, Map<String, String> changes) throws InputException {
        Problems problems = new Problems(file);
        Sweep.Combination changed = ScenarioReader.changed(points.get(place).tree(), changes, problems);
        ScenarioPoint point =
                changed == null ? null : ScenarioReader.point(changed, sweep, tree.entry("sweep") != null, problems);
        throwIfAny(problems, overrides);
        if (point == null) {
            throw new InputException(file, "holds no scenario");
        }
        // The swept values may no longer hold for the changed point.
        return point.withValues(Map.of());
    }
}

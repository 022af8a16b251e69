package io.shardsim.scenarios.scenario;

import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Faults;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One point of a scenario: a task on a cluster.
 *
 * @param scenario the scenario's name
 * @param values the point's swept values, by dotted key in file order: strings, numbers, booleans, lists and maps; empty without a sweep
 * @param notes remarks for the reader, for example on a capped shard group
 * @param figures catalog figures of the cluster and the model, keys prefixed with the entry's name
 * @param given values from the file or the sweep, by dotted key, as plain Java values
 */
public record ScenarioPoint(
        String scenario,
        Map<String, Object> values,
        Cluster cluster,
        Task task,
        CollectiveSettings collectives,
        List<String> notes,
        List<Figure> figures,
        Map<String, Object> given) {
    public ScenarioPoint {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
        notes = List.copyOf(notes);
        figures = List.copyOf(figures);
        given = Collections.unmodifiableMap(new LinkedHashMap<>(given));
    }

    /**
     * Returns this point with some values of its file changed, listed in {@link #values}. It counts as a point of a sweep: settings of other
     * strategies are ignored, and its shard group is capped to the world size.
     *
     * @param changes YAML values by dotted key
     * @param open dotted keys to drop from its file
     * @throws InputException with every problem of the changed point
     */
    public ScenarioPoint with(Map<String, String> changes, String... open) throws InputException {
        Map<String, Object> left = new LinkedHashMap<>(given);
        left.keySet().removeAll(List.of(open));
        return ScenarioReader.point(scenario, left, changes);
    }

    /** Returns this point with other swept values. */
    public ScenarioPoint withValues(Map<String, ?> others) {
        return with(others, cluster, task);
    }

    /** Returns this point with other faults. */
    public ScenarioPoint with(Faults faults) {
        return with(values, new Cluster(cluster.instance(), cluster.nodes(), faults), task);
    }

    /** Returns this point with another task on another cluster, all else equal. */
    public ScenarioPoint with(Map<String, ?> others, Cluster otherCluster, Task otherTask) {
        return new ScenarioPoint(
                scenario, new LinkedHashMap<>(others), otherCluster, otherTask, collectives, notes, figures, given);
    }

    /** Returns the expected cost of running it, unitless. */
    public double weight() {
        return cluster.worldSize();
    }

    /** Sorts points largest first, so that no long run is left for last. */
    public static List<ScenarioPoint> largestFirst(List<ScenarioPoint> points) {
        List<ScenarioPoint> ordered = new ArrayList<>(points);
        ordered.sort(Comparator.comparingDouble(ScenarioPoint::weight).reversed());
        return ordered;
    }
}

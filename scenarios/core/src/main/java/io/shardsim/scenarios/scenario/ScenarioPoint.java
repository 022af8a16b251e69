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
 * One question: a task on a cluster.
 *
 * @param scenario name of the scenario
 * @param values what the sweep gives this point, by dotted key in the file's order: texts, numbers, flags, lists and maps; empty without a sweep
 * @param notes what a reader should know, for example a capped shard group
 * @param figures figures of the catalog that the cluster and the model are made of, keys preceded by the entry's name
 * @param given what the file or the sweep gives, by dotted key, as plain values
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
     * The same question with some values changed in its file; {@link #values} has them. It is a point of a sweep: settings of other strategies have no effect on it, and its shard
     * group is capped to the world size.
     *
     * @param changes a value, as YAML writes it, for each dotted key
     * @param open dotted keys that its file gives and that are left out
     * @throws InputException with every problem of what comes out
     */
    public ScenarioPoint with(Map<String, String> changes, String... open) throws InputException {
        Map<String, Object> left = new LinkedHashMap<>(given);
        left.keySet().removeAll(List.of(open));
        return ScenarioReader.point(scenario, left, changes);
    }

    /** The same question, as another point of a sweep. */
    public ScenarioPoint withValues(Map<String, ?> others) {
        return with(others, cluster, task);
    }

    /** The same question with other faults. */
    public ScenarioPoint with(Faults faults) {
        return with(values, new Cluster(cluster.instance(), cluster.nodes(), faults), task);
    }

    /** Another task on another cluster, all else alike. */
    public ScenarioPoint with(Map<String, ?> others, Cluster otherCluster, Task otherTask) {
        return new ScenarioPoint(
                scenario, new LinkedHashMap<>(others), otherCluster, otherTask, collectives, notes, figures, given);
    }

    /** What running it is expected to cost, in no unit. */
    public double weight() {
        return cluster.worldSize();
    }

    /** In the order to run them in, so that no long run is left for the end. */
    public static List<ScenarioPoint> largestFirst(List<ScenarioPoint> points) {
        List<ScenarioPoint> ordered = new ArrayList<>(points);
        ordered.sort(Comparator.comparingDouble(ScenarioPoint::weight).reversed());
        return ordered;
    }
}

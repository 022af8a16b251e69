package io.shardsim.scenarios.demo;

import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All knobs, and the changes they make to a scenario file. A knob starts at the value shared by all points of the sweep, or at "as given" if they
 * differ; until it is changed, each point is as in the file.
 */
final class Knobs {
    private static final String NODES = "nodes";
    private static final String SHARD_GROUP = "shard_group";
    private static final String LINK_RATE = "link_rate";
    private static final String LATENCY = "latency";
    private static final String CHUNK = "chunk";
    private static final String PREFETCH = "prefetch";
    private static final String ACCUMULATION = "accumulation";

    private static final String AS_GIVEN = "as given";
    private static final String STRATEGY = "strategy";
    private static final String PREFETCH_PARAMETER = "prefetch_bucket_size";
    private static final String BACKWARD_PREFETCH = "backward_prefetch";
    private static final Map<String, String> PREFETCH_ELEMENTS =
            Map.of("off", "0", "10 M elements", "10000000", "50 M elements", "50000000", "200 M elements", "200000000");

    private final List<Knob> knobs;
    private final boolean trains;

    private Knobs(List<Knob> knobs, boolean trains) {
        this.knobs = List.copyOf(knobs);
        this.trains = trains;
    }

    /** Returns the knobs of a scenario, without those for training if every point is a bare collective. */
    static Knobs of(List<ScenarioPoint> points) {
        boolean trains = points.stream().anyMatch(point -> point.task() instanceof Task.Training);
        List<Knob> knobs = new ArrayList<>();
        knobs.add(numbers(NODES, "Nodes", "Servers of the cluster.", List.of(2L, 4L, 8L, 16L, 32L), "", points, point ->
                (long) point.cluster().nodes()));
        if (trains) {
            knobs.add(numbers(
                    SHARD_GROUP,
                    "Shard group",
                    "GPUs that share one copy of the states, if the strategy lets you choose.",
                    List.of(8L, 16L, 32L, 64L, 128L),
                    "",
                    points.stream().filter(Knobs::choosesGroup).toList(),
                    Knobs::shardGroup));
        }
        addNetwork(points, knobs);
        if (trains) {
            addPasses(points, knobs);
        }
        return new Knobs(knobs, trains);
    }

    private static void addNetwork(List<ScenarioPoint> points, List<Knob> knobs) {
        knobs.add(numbers(
                LINK_RATE,
                "Link rate",
                "Line rate of each NIC.",
                List.of(25L, 50L, 100L, 200L, 400L),
                " Gbit/s",
                points,
                point -> point.cluster().instance().nic().lineRate().bytesPerSecond() * 8 / 1_000_000_000));
        knobs.add(numbers(
                LATENCY,
                "Latency",
                "One-way latency of sender and receiver NIC.",
                List.of(1L, 5L, 20L, 50L, 100L),
                " us",
                points,
                point -> Math.max(1, point.cluster().instance().nic().latencyPs() / 1_000_000)));
        knobs.add(new Knob(
                CHUNK,
                "Chunk",
                "Largest piece that one step of a collective moves.",
                List.of(AS_GIVEN, "128 KiB", "512 KiB", "2 MiB", "8 MiB"),
                AS_GIVEN));
    }

    private static void addPasses(List<ScenarioPoint> points, List<Knob> knobs) {
        knobs.add(new Knob(
                PREFETCH,
                "Prefetch",
                "Parameters gathered ahead of use.",
                List.of(AS_GIVEN, "off", "10 M elements", "50 M elements", "200 M elements"),
                AS_GIVEN));
        boolean open = points.stream().anyMatch(point -> accumulation(point) == 0);
        knobs.add(numbers(
                ACCUMULATION,
                "Accumulation",
                "Micro-batches that a GPU runs per training step" + (open ? ", of one sample each." : "."),
                List.of(1L, 2L, 4L, 8L, 16L),
                "",
                points,
                Knobs::accumulation));
    }

    /**
     * Returns a knob for whole numbers.
     *
     * @param valueOf a point's value; 0 for none that is a number
     */
    private static Knob numbers(
            String id,
            String name,
            String meaning,
            List<Long> usual,
            String unit,
            List<ScenarioPoint> points,
            Function<ScenarioPoint, Long> valueOf) {
        List<Long> given = points.stream().map(valueOf).distinct().toList();
        boolean agree = given.size() == 1 && given.get(0) > 0;
        TreeSet<Long> sizes = new TreeSet<>(usual);
        sizes.addAll(given);
        List<String> values = new ArrayList<>();
        if (!agree) {
            values.add(AS_GIVEN);
        }
        sizes.stream().filter(value -> value > 0).forEach(value -> values.add(value + unit));
        return new Knob(id, name, meaning, values, agree ? given.get(0) + unit : AS_GIVEN);
    }

    private static boolean choosesGroup(ScenarioPoint point) {
        return point.task() instanceof Task.Training task
                && task.strategy().descriptor().parameter(StrategyDescriptor.SHARD_GROUP) != null;
    }

    /** Returns the file's shard group; 0 if it has none, or all ranks. */
    private static long shardGroup(ScenarioPoint point) {
        String given = point.task() instanceof Task.Training task
                ? task.strategy().given().get(StrategyDescriptor.SHARD_GROUP)
                : null;
        return given == null ? 0 : number(given);
    }

    /** Returns micro-batches per step; 0 if the file leaves the micro-batch open. */
    private static long accumulation(ScenarioPoint point) {
        return point.task() instanceof Task.Training task && task.microBatch() != null
                ? samplesOfReplica(point, task) / task.microBatch()
                : 0;
    }

    private static long samplesOfReplica(ScenarioPoint point, Task.Training task) {
        return task.globalBatch() / (point.cluster().worldSize() / ranksOfSample(task));
    }

    private static int ranksOfSample(Task.Training task) {
        return task.strategy().create().modelParallel().ranksOfSample();
    }

    List<Knob> all() {
        return knobs;
    }

    /** Returns whether any point trains a model. */
    boolean trains() {
        return trains;
    }

    /**
     * Returns the changes to make in the file for a point.
     *
     * @param kind the chosen strategy; the point's own for no change
     * @param turned values of changed knobs, by ID
     * @return YAML values by dotted key; empty if the point is as in the file
     */
    Map<String, String> changes(ScenarioPoint point, String kind, Map<String, String> turned) {
        Map<String, String> changes = new LinkedHashMap<>();
        Cluster cluster = point.cluster();
        long nodes = number(turned.getOrDefault(NODES, AS_GIVEN));
        nodes = nodes == 0 ? cluster.nodes() : nodes;
        if (nodes != cluster.nodes()) {
            changes.put("cluster.nodes", String.valueOf(nodes));
        }
        put(changes, "cluster.nic", turned.get(LINK_RATE));
        put(changes, "cluster.nic_latency", turned.get(LATENCY));
        put(changes, "collectives.chunk", turned.get(CHUNK));
        if (point.task() instanceof Task.Training task) {
            long worldSize = nodes * cluster.gpusPerNode();
            changeStrategy(point, kind, turned, worldSize, changes);
            changeBatch(point, task, turned, worldSize, changes);
        }
        return changes;
    }

    private static void put(Map<String, String> changes, String key, @Nullable String value) {
        if (value != null && !value.equals(AS_GIVEN)) {
            changes.put(key, value);
        }
    }

    private void changeStrategy(
            ScenarioPoint point, String kind, Map<String, String> turned, long worldSize, Map<String, String> changes) {
        StrategyDescriptor strategy = Strategies.descriptor(kind);
        if (strategy == null) {
            return;
        }
        boolean another = !kind.equals(DemoScenario.kind(point));
        if (another) {
            changes.put(STRATEGY, "{kind: " + kind + "}");
        }
        if (strategy.parameter(StrategyDescriptor.SHARD_GROUP) != null) {
            boolean chosen = another || turned.containsKey(SHARD_GROUP);
            long group = chosen ? number(turned.getOrDefault(SHARD_GROUP, beginning(SHARD_GROUP))) : shardGroup(point);
            if (group > 0 && (chosen || group > worldSize)) {
                changes.put("strategy.shard_group", String.valueOf(Math.min(worldSize, group)));
            }
        }
        changePrefetch(strategy, turned.get(PREFETCH), changes);
    }

    private static void changePrefetch(
            StrategyDescriptor strategy, @Nullable String prefetch, Map<String, String> changes) {
        if (prefetch == null) {
            return;
        }
        if (strategy.parameter(PREFETCH_PARAMETER) != null) {
            changes.put("strategy." + PREFETCH_PARAMETER, String.valueOf(PREFETCH_ELEMENTS.get(prefetch)));
        } else if (strategy.parameter(BACKWARD_PREFETCH) != null) {
            changes.put("strategy." + BACKWARD_PREFETCH, String.valueOf(!prefetch.equals("off")));
        }
    }

    /** Keeps the samples per GPU when the number of GPUs changes. */
    private static void changeBatch(
            ScenarioPoint point,
            Task.Training task,
            Map<String, String> turned,
            long worldSize,
            Map<String, String> changes) {
        String accumulation = turned.get(ACCUMULATION);
        long replicas = worldSize / (changes.containsKey(STRATEGY) ? 1 : ranksOfSample(task));
        if (accumulation != null && !accumulation.equals(AS_GIVEN)) {
            long microBatch = task.microBatch() == null ? 1 : task.microBatch();
            changes.put("training.micro_batch", String.valueOf(microBatch));
            changes.put("training.global_batch", String.valueOf(replicas * microBatch * number(accumulation)));
        } else if (worldSize != point.cluster().worldSize()) {
            changes.put("training.global_batch", String.valueOf(replicas * samplesOfReplica(point, task)));
        }
    }

    private String beginning(String id) {
        return knobs.stream()
                .filter(knob -> knob.id().equals(id))
                .map(Knob::chosen)
                .findFirst()
                .orElse(AS_GIVEN);
    }

    /** Parses the number at the start of a value; 0 for none. */
    private static long number(String value) {
        String digits = value.replaceAll("\\D.*", "");
        return digits.isEmpty() ? 0 : Long.parseLong(digits);
    }
}

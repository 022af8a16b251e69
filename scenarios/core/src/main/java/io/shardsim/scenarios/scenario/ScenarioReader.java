package io.shardsim.scenarios.scenario;

import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlReader;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a scenario file into a {@link Scenario}, or reports everything that is wrong with it.
 *
 * <p>Every point of a sweep is read as its own file, so that rules between keys are checked for every combination; a problem shared by many points is
 * reported once.
 */
public final class ScenarioReader {
    /** Number of problems after which no further sweep points are checked. */
    private static final int PROBLEMS_MAX = 200;

    /** Strings that need no quotes in YAML. */
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");

    private ScenarioReader() {}

    /**
     * Reads a file.
     *
     * @throws InputException with every problem of the file
     */
    public static Scenario read(String file) throws InputException {
        return read(OpenedFile.file(file), Overrides.NONE);
    }

    /**
     * Reads a string.
     *
     * @param file the string's name in messages
     * @throws InputException with every problem of the string
     */
    public static Scenario readText(String file, String text) throws InputException {
        return read(OpenedFile.text(file, text), Overrides.NONE);
    }

    /**
     * Reads a scenario with overrides applied.
     *
     * @throws InputException with every problem of the file and of the overrides
     */
    public static Scenario read(OpenedFile opened, Overrides overrides) throws InputException {
        Problems problems = opened.problems();
        YamlNode root = opened.root();
        YamlNode tree = root instanceof Mapping file ? opened.with(overrides, file) : root;
        try {
            return finish(tree == null ? null : read(tree, problems), problems);
        } catch (InputException refused) {
            throw new InputException(overrides.told(refused.problems()));
        }
    }

    /**
     * Returns the point of a file without a sweep, with {@code changes} applied as if a sweep had set them; null after problems were added.
     *
     * @param places the tree as written, with the keys that are changed
     */
    static @Nullable ScenarioPoint point(Mapping tree, Map<String, String> changes, Mapping places, Problems problems) {
        Sweep changing = sweep(changes, places, problems);
        Sweep.Combination changed = only(changing.combinations(tree, problems));
        return changed == null ? null : point(changed, changing, true, problems);
    }

    /** Returns the point with {@code changes} applied, as if a sweep over strategies had set them (so settings of other strategies are allowed). */
    static ScenarioPoint point(String scenario, Map<String, Object> given, Map<String, String> changes)
            throws InputException {
        Problems problems = new Problems(scenario);
        Sweep.Combination changed = changed(Sweep.tree(given), changes, problems);
        ScenarioPoint point = changed == null ? null : point(changed, Sweep.OF_STRATEGIES, true, problems);
        problems.throwIfAny();
        return Objects.requireNonNull(point).withValues(changes);
    }

    /** Returns a tree with some values changed; null after problems were added. */
    static Sweep.@Nullable Combination changed(Mapping tree, Map<String, String> changes, Problems problems) {
        return only(sweep(changes, tree, problems).combinations(tree, problems));
    }

    private static Sweep.@Nullable Combination only(List<Sweep.Combination> combinations) {
        return combinations.size() == 1 ? combinations.get(0) : null;
    }

    /** Returns changes as a sweep, with the positions of the changed keys so that messages point into the file. */
    private static Sweep sweep(Map<String, String> changes, Mapping places, Problems problems) {
        List<YamlNode.Entry> axes = new ArrayList<>();
        changes.forEach((key, value) -> {
            Position at = KeyPlace.in(places, List.of(key));
            YamlNode values = WORD.matcher(value).matches()
                    ? new YamlNode.Sequence(at, List.of(new YamlNode.Scalar(at, value, true)))
                    : YamlReader.readText("[" + value + "]", problems);
            if (values != null) {
                axes.add(new YamlNode.Entry(key, at, moved(values, at)));
            }
        });
        YamlNode.Entry sweep = new YamlNode.Entry("sweep", Position.START, new Mapping(Position.START, axes));
        return axes.isEmpty() ? Sweep.NONE : Sweep.of(new Mapping(Position.START, List.of(sweep)), problems);
    }

    private static YamlNode moved(YamlNode node, Position at) {
        if (node instanceof YamlNode.Scalar scalar) {
            return new YamlNode.Scalar(at, scalar.text(), scalar.plain());
        }
        if (node instanceof YamlNode.Sequence list) {
            return new YamlNode.Sequence(
                    at, list.items().stream().map(item -> moved(item, at)).toList());
        }
        return new Mapping(
                at,
                ((Mapping) node)
                        .entries().stream()
                                .map(entry -> new YamlNode.Entry(entry.key(), at, moved(entry.value(), at)))
                                .toList());
    }

    private static Scenario finish(@Nullable Scenario scenario, Problems problems) throws InputException {
        problems.throwIfAny();
        if (scenario == null) {
            throw new InputException(problems.file(), "holds no scenario");
        }
        return scenario;
    }

    /**
     * Reads a scenario that is a whole file or part of one.
     *
     * @return the scenario, or null after problems were added
     */
    public static @Nullable Scenario read(YamlNode node, Problems problems) {
        if (!(node instanceof Mapping file)) {
            ScenarioKeys.FILE.readBlock(node, "scenario file", problems);
            return null;
        }
        int before = problems.size();
        YamlNode.Entry search = file.entry(ScenarioKeys.SEARCH);
        if (search != null) {
            problems.add(
                    search.keyPosition(),
                    "search is for shardsim plan, which chooses among its values; write sweep to run every one of"
                            + " them");
        }
        Scenario.Asserted asserted = asserted(file.entry(ScenarioKeys.ASSERT), problems);
        Sweep sweep = Sweep.of(file, problems);
        boolean varies = file.entry("sweep") != null;
        List<ScenarioPoint> points = new ArrayList<>();
        String name = "";
        for (Sweep.Combination combination : sweep.combinations(file, problems)) {
            if (problems.size() - before > PROBLEMS_MAX) {
                break;
            }
            ScenarioPoint point = point(combination, sweep, varies, problems);
            if (point != null) {
                name = point.scenario();
                points.add(point);
            }
        }
        if (!asserted.fastest().isEmpty()
                && points.stream().anyMatch(point -> point.task() instanceof Task.Collective)) {
            problems.add(
                    KeyPlace.in(file, List.of(ScenarioKeys.ASSERT)),
                    "assert: fastest needs training runs; for a bare collective, write each");
        }
        return problems.size() > before ? null : new Scenario(name, problems.file(), varies, points, asserted);
    }

    private static Scenario.Asserted asserted(YamlNode.@Nullable Entry entry, Problems problems) {
        Block block =
                entry == null ? null : ScenarioKeys.ASSERTED.readBlock(entry.value(), ScenarioKeys.ASSERT, problems);
        return block == null
                ? new Scenario.Asserted(List.of(), List.of())
                : new Scenario.Asserted(block.list(ScenarioKeys.FASTEST), block.list(ScenarioKeys.EACH));
    }

    static @Nullable ScenarioPoint point(
            Sweep.Combination combination, Sweep sweep, boolean varies, Problems problems) {
        List<String> notes = new ArrayList<>();
        Mapping tree = FrameworkDefaults.in(combination.tree(), notes, problems);
        Block block = ScenarioKeys.FILE.readBlock(tree, "scenario file", problems);
        return block == null ? null : new Point(block, combination, sweep, varies, notes, problems).resolve();
    }

    /** Resolves one point. */
    private static final class Point {
        private final Block file;
        private final Sweep.Combination combination;
        private final Sweep sweep;
        private final boolean inSweep;
        private final Problems problems;
        private final List<String> notes;
        private final List<Figure> figures = new ArrayList<>();

        Point(
                Block file,
                Sweep.Combination combination,
                Sweep sweep,
                boolean inSweep,
                List<String> notes,
                Problems problems) {
            this.file = file;
            this.combination = combination;
            this.sweep = sweep;
            this.inSweep = inSweep;
            this.notes = notes;
            this.problems = problems;
        }

        /** Returns the point, or null after problems were added, such as that it is too large to check. */
        @Nullable
        ScenarioPoint resolve() {
            try {
                return resolved();
            } catch (TooLargeException tooLarge) {
                refuse(tooLarge);
            } catch (ArithmeticException overflow) {
                refuse(TooLargeException.of(overflow));
            }
            return null;
        }

        private void refuse(TooLargeException tooLarge) {
            problems.add(KeyPlace.in(combination.tree(), tooLarge.keys()), String.valueOf(tooLarge.getMessage()));
        }

        private @Nullable ScenarioPoint resolved() {
            Block clusterBlock = file.block("cluster");
            Cluster cluster =
                    clusterBlock == null ? null : new ClusterResolver(file, notes, figures, problems).resolve();
            if (clusterBlock != null && clusterBlock.has("gpu_direct")) {
                notes.add("gpu_direct has no effect on times: an instance's measured latency includes staging in "
                        + "host memory");
            }
            Task task = file.has("workload") ? collective(cluster) : training(cluster);
            CollectiveSettings settings = collectives(task, cluster);
            if (cluster == null || task == null) {
                return null;
            }
            return new ScenarioPoint(
                    file.text("scenario", ""),
                    combination.values(),
                    cluster,
                    task,
                    settings,
                    notes,
                    figures,
                    combination.given());
        }

        private @Nullable Task collective(@Nullable Cluster cluster) {
            if (cluster != null && cluster.worldSize() < 2) {
                problems.add(file.at("cluster"), "a collective needs 2 GPUs or more, and the cluster has 1; add nodes");
            }
            for (String key : List.of(
                    "model", "framework", "training", "lora", "strategy", "storage", "checkpoint", "failures")) {
                if (file.has(key)) {
                    problems.add(
                            file.keyAt(key),
                            key + " and workload exclude each other: a scenario either trains or runs a bare "
                                    + "collective; remove one");
                }
            }
            Block faults = file.block("faults");
            for (String key : List.of(
                    ScenarioKeys.SLOW_GPU,
                    ScenarioKeys.SLOW_HOST,
                    ScenarioKeys.CLOCK_SPREAD,
                    ScenarioKeys.CLOCK_SEED)) {
                if (faults != null && faults.has(key)) {
                    problems.add(faults.keyAt(key), key + " has no effect on a bare collective; remove it");
                }
            }
            Block workload = file.block("workload");
            String kind = workload == null ? null : workload.text("collective");
            Long size = workload == null ? null : workload.whole("size");
            if (kind == null || size == null) {
                return null;
            }
            return new Task.Collective(CollectiveKind.valueOf(kind.toUpperCase(Locale.ROOT)), size);
        }

        private @Nullable Task training(@Nullable Cluster cluster) {
            boolean complete = true;
            for (String key : List.of("model", "training", "strategy")) {
                if (!file.has(key)) {
                    complete = false;
                    problems.add(file.position(), missing(key));
                }
            }
            // Also if a block is missing, to report problems of the others with it.
            StrategyResolver strategies = new StrategyResolver(file, cluster, sweep, inSweep, notes, problems);
            Task task = new TrainingResolver(
                            file, cluster, strategies, combination.given().keySet(), figures, problems)
                    .resolve();
            return complete ? task : null;
        }

        private static String missing(String key) {
            String example = switch (key) {
                case "model" -> "model: gpt2-30b";
                case "training" -> "training: {sequence_length: 2048, global_batch: 1536}";
                default -> "strategy: " + Strategies.example();
            };
            return "scenario file has no " + key + "; add for example " + example
                    + ", or run a bare collective with workload: {collective: all_reduce, size: 1 GiB}";
        }

        private CollectiveSettings collectives(@Nullable Task task, @Nullable Cluster cluster) {
            Block block = file.block("collectives");
            String own = task instanceof Task.Training training
                    ? training.strategy()
                            .parameters()
                            .getOrDefault(StrategyDescriptor.COLLECTIVE_LIBRARY, CollectiveSettings.NCCL)
                    : CollectiveSettings.NCCL;
            if (block == null) {
                return new CollectiveSettings(own, CollectiveSettings.AUTO, null);
            }
            CollectiveSettings settings = new CollectiveSettings(
                    block.text("library", own), block.text("algorithm", CollectiveSettings.AUTO), block.whole("chunk"));
            checkAlgorithm(settings, block.at("algorithm"), task, cluster);
            return settings;
        }

        private void checkAlgorithm(
                CollectiveSettings settings, Position position, @Nullable Task task, @Nullable Cluster cluster) {
            String algorithm = settings.algorithm();
            if (algorithm.equals(CollectiveSettings.AUTO)) {
                return;
            }
            if (task instanceof Task.Training) {
                problems.add(
                        position,
                        "algorithm " + algorithm + " is for a bare collective; write gather_algorithm or"
                                + " reduce_algorithm under strategy");
                return;
            }
            String kind = task instanceof Task.Collective bare ? bare.kind().id() : null;
            List<String> known = CollectiveCatalog.shipped().names(kind);
            if (!known.contains(algorithm)) {
                problems.add(
                        position,
                        "algorithm " + algorithm
                                + (kind == null ? " is not in the catalog; " : " does not carry " + kind + "; ")
                                + Nearest.remedy(algorithm, withAuto(known)));
                return;
            }
            if (task instanceof Task.Collective bare && cluster != null && cluster.worldSize() > 1) {
                String problem = NamedAlgorithms.problem(bare, settings, cluster);
                if (problem != null) {
                    problems.add(position, problem);
                }
            }
        }

        private static List<String> withAuto(List<String> names) {
            List<String> all = new ArrayList<>(List.of(CollectiveSettings.AUTO));
            all.addAll(names);
            return all;
        }
    }

    /** Adds a catalog entry's figures, keys prefixed with its name. */
    static void addFigures(CatalogEntry<?> entry, List<Figure> figures) {
        for (Figure figure : entry.figures()) {
            figures.add(new Figure(
                    entry.name() + " " + figure.key(),
                    figure.value(),
                    figure.text(),
                    figure.source(),
                    figure.date(),
                    figure.note()));
        }
    }
}

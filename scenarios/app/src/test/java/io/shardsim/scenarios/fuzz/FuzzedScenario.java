package io.shardsim.scenarios.fuzz;

import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.evaluation.RandomScenario;
import io.shardsim.scenarios.scenario.ScenarioKeys;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.strategy.settings.Setting;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Random scenario: one of the library, or generated, with keys set to values of their type or near its limits, removed, swept or damaged. Most
 * changes are kept only if the reader accepts the result, so some scenarios end up far from their origin and still run.
 */
final class FuzzedScenario {
    private static final List<String> BLOCKS = List.of(
            "cluster",
            "cluster",
            "training",
            "training",
            "training",
            "collectives",
            "storage",
            "checkpoint",
            "failures",
            "faults",
            "workload");

    private static final List<String> LIBRARY = library();

    private final SplittableRandom random;
    private final RandomValue values;

    private FuzzedScenario(long seed) {
        random = new SplittableRandom(seed);
        values = new RandomValue(random);
    }

    /** Returns the scenario of a seed. */
    static String text(long seed) {
        return new FuzzedScenario(seed).write();
    }

    /** Returns a scenario as people write it: one of the library, or a generated one. */
    static String base(SplittableRandom random) {
        return random.nextInt(3) == 0
                ? LIBRARY.get(random.nextInt(LIBRARY.size()))
                : RandomScenario.text(random.nextLong());
    }

    private static List<String> library() {
        try (Stream<Path> files = Files.list(Path.of("library"))) {
            List<String> texts = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                texts.add(Files.readString(file));
            }
            return texts;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private String write() {
        String base = base(random);
        if (values.oneIn(12)) {
            return new Damage(random).text(base);
        }
        ScenarioTree tree = ScenarioTree.of(base).orElseThrow();
        for (int changes = random.nextInt(1, 9); changes > 0; changes--) {
            ScenarioTree changed = tree.copy();
            change(changed);
            if (values.oneIn(20) || isRead(changed.text())) {
                tree = changed;
            }
        }
        return tree.text();
    }

    private static boolean isRead(String text) {
        try {
            ScenarioReader.readText("fuzzed.yaml", text);
            return true;
        } catch (InputException refused) {
            return false;
        } catch (RuntimeException | Error crash) {
            // Kept, so that the runner of the scenario finds it.
            return true;
        }
    }

    private void change(ScenarioTree tree) {
        switch (random.nextInt(10)) {
            case 0, 1, 2, 3 -> setKey(tree);
            case 4, 5, 6 -> setStrategy(tree);
            case 7 -> {
                if (!tree.root().containsKey("workload")) {
                    tree.root().put("model", values.of("model", type("model")));
                }
            }
            case 8 -> sweep(tree);
            default -> remove(tree);
        }
    }

    private void setKey(ScenarioTree tree) {
        String name = values.pick(BLOCKS);
        boolean bare = tree.root().containsKey("workload");
        if (bare && List.of("training", "storage", "checkpoint", "failures").contains(name)
                || !bare && name.equals("workload")) {
            name = "cluster";
        }
        BlockType type = (BlockType) type(name);
        Map<String, Object> block = tree.madeBlock(name);
        for (Key key : type.keys()) {
            if (key.required() && !block.containsKey(key.name())) {
                block.put(key.name(), values.of(key.name(), key.type()));
            }
        }
        Key key = values.pick(type.keys());
        block.put(key.name(), values.of(key.name(), key.type()));
    }

    private void setStrategy(ScenarioTree tree) {
        Map<String, Object> block = tree.block("strategy");
        if (block == null) {
            return;
        }
        if (values.oneIn(4)) {
            block.put("kind", values.pick(Strategies.kinds()));
        }
        StrategyDescriptor strategy = Strategies.descriptor(String.valueOf(block.get("kind")));
        if (strategy == null) {
            return;
        }
        block.keySet().removeIf(key -> !key.equals("kind") && strategy.parameter(key) == null);
        if (!strategy.parameters().isEmpty()) {
            Setting parameter = values.pick(strategy.parameters());
            block.put(parameter.name(), values.of(parameter.name(), parameter.type()));
        }
    }

    private void sweep(ScenarioTree tree) {
        String name = values.pick("cluster", "training", "strategy", "workload");
        if (tree.block(name) == null) {
            return;
        }
        Key key = values.pick(((BlockType) type(name)).keys());
        List<Object> list = new ArrayList<>();
        for (int count = random.nextInt(1, 4); count > 0; count--) {
            list.add(values.of(key.name(), key.type()));
        }
        Objects.requireNonNull(tree.block(name)).remove(key.name());
        tree.madeBlock("sweep").put(name + "." + key.name(), list);
    }

    private void remove(ScenarioTree tree) {
        String name = values.pick(List.copyOf(tree.root().keySet()));
        Map<String, Object> block = tree.block(name);
        if (block == null || block.isEmpty() || values.oneIn(6)) {
            tree.root().remove(name);
        } else {
            block.remove(values.pick(List.copyOf(block.keySet())));
        }
    }

    private static io.shardsim.simulator.schema.ValueType type(String name) {
        return Objects.requireNonNull(ScenarioKeys.FILE.key(name)).type();
    }
}

package io.shardsim.scenarios.scenario;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import io.shardsim.simulator.yaml.YamlReader;
import io.shardsim.topology.InstanceSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Instances that a scenario defines inline or loads from files. Opening a scenario inlines the files, so that workers, trials and written scenarios
 * need none.
 */
public final class InstanceFiles {
    /** Key of the scenario's list of instances. */
    static final String INSTANCES = "instances";
    /** Key of an instance's name, by which the cluster refers to it. */
    static final String NAME = "name";

    private static final String KEY = "cluster.instance";

    private InstanceFiles() {}

    /** Returns whether an instance name is a file name. */
    public static boolean isFile(String name) {
        return name.matches("(?s).+\\.ya?ml");
    }

    /**
     * Reads an instance file.
     *
     * @throws InputException with every problem of the file
     */
    public static CatalogEntry<InstanceSpec> read(String file) throws InputException {
        Problems problems = new Problems(file);
        return read(root(problems), problems);
    }

    private static CatalogEntry<InstanceSpec> read(YamlNode root, Problems problems) throws InputException {
        CatalogEntry<InstanceSpec> entry = resolve(problems.file(), root, Map.of(), problems);
        if (entry == null) {
            throw new InputException(problems.inOrder());
        }
        return entry;
    }

    /** Returns the root of a file; problems that leave something to read are reported together with those of {@link #read}. */
    private static YamlNode root(Problems problems) throws InputException {
        YamlNode root = YamlReader.read(problems.file(), problems);
        if (root == null) {
            throw new InputException(problems.inOrder());
        }
        return root;
    }

    /** Returns the instance of a definition; null after problems were added. */
    static @Nullable CatalogEntry<InstanceSpec> resolve(
            String name, YamlNode description, Map<String, Object> changed, Problems problems) {
        try {
            String words = name.replaceFirst("(?s)^.*[/\\\\]", "").replaceFirst("\\.ya?ml$", "");
            return Catalog.ownInstance(words, description, changed, problems);
        } catch (InputException refused) {
            refused.problems().forEach(problem -> problems.add(problem.position(), problem.message()));
            return null;
        }
    }

    /**
     * Returns a scenario with the instance files that its cluster names inlined: each from the scenario's folder, else from the working directory.
     *
     * @throws InputException with every problem of these files
     */
    static Mapping described(Mapping scenario, String file) throws InputException {
        Entry list = scenario.entry(INSTANCES);
        List<YamlNode> instances = new ArrayList<>(
                list != null && list.value() instanceof Sequence sequence ? sequence.items() : List.of());
        int before = instances.size();
        for (Scalar name : names(scenario)) {
            if (isFile(name.text()) && instances.stream().noneMatch(each -> isCalled(each, name.text()))) {
                instances.add(description(name, file));
            }
        }
        if (instances.size() == before) {
            return scenario;
        }
        List<Entry> entries = new ArrayList<>(scenario.entries());
        entries.remove(list);
        entries.add(new Entry(INSTANCES, scenario.position(), new Sequence(scenario.position(), instances)));
        return new Mapping(scenario.position(), entries);
    }

    /**
     * Returns the keys of an instance file.
     *
     * @throws InputException with every problem of the file
     */
    public static Mapping description(String file) throws InputException {
        Problems problems = new Problems(file);
        YamlNode root = root(problems);
        read(root, problems);
        return root instanceof Mapping keys ? keys : new Mapping(Position.START, List.of());
    }

    private static Mapping description(Scalar name, String scenario) throws InputException {
        Path beside = Path.of(scenario).resolveSibling(name.text());
        List<Entry> entries = new ArrayList<>(List.of(new Entry(NAME, name.position(), name)));
        entries.addAll(description(Files.exists(beside) ? beside.toString() : name.text())
                .entries());
        return new Mapping(name.position(), entries);
    }

    private static boolean isCalled(YamlNode description, String name) {
        Entry called = description instanceof Mapping block ? block.entry(NAME) : null;
        return called != null
                && called.value() instanceof Scalar scalar
                && scalar.text().equals(name);
    }

    /** Returns every instance that a scenario names, alone or in a list. */
    private static List<Scalar> names(Mapping scenario) {
        Stream<YamlNode> single = value(scenario, "cluster", "instance");
        Stream<YamlNode> listed = Stream.of("sweep", ScenarioKeys.SEARCH)
                .flatMap(block -> value(scenario, block, KEY))
                .flatMap(list -> list instanceof Sequence sequence ? sequence.items().stream() : Stream.of(list));
        return Stream.concat(single, listed)
                .filter(Scalar.class::isInstance)
                .map(Scalar.class::cast)
                .toList();
    }

    private static Stream<YamlNode> value(Mapping scenario, String block, String key) {
        Entry outer = scenario.entry(block);
        Entry inner = outer != null && outer.value() instanceof Mapping keys ? keys.entry(key) : null;
        return inner == null ? Stream.empty() : Stream.of(inner.value());
    }
}

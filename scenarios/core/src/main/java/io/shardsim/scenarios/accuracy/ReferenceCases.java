package io.shardsim.scenarios.accuracy;

import io.shardsim.reports.validation.Metric;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads files of reference cases, or reports everything that is wrong with them. */
public final class ReferenceCases {
    private static final Path FOLDER = Path.of("scenarios", "accuracy", "cases");

    private final Problems problems;
    private final String family;
    private final Map<String, Position> places = new HashMap<>();
    private final List<ReferenceCase> cases = new ArrayList<>();

    private ReferenceCases(String family, Problems problems) {
        this.family = family;
        this.problems = problems;
    }

    /**
     * Reads a file.
     *
     * @throws InputException with every problem of the file
     */
    public static List<ReferenceCase> read(String file) throws InputException {
        Problems problems = new Problems(file);
        return read(familyOf(file), YamlReader.read(file, problems), problems);
    }

    /**
     * Reads a string.
     *
     * @param file the string's name in messages
     * @throws InputException with every problem of the string
     */
    public static List<ReferenceCase> readText(String file, String text) throws InputException {
        Problems problems = new Problems(file);
        return read(familyOf(file), YamlReader.readText(text, problems), problems);
    }

    /**
     * Reads the published cases, which are in the source tree, not in the program.
     *
     * @param home the source tree that the program was started in
     * @throws InputException with every problem of every file, or if there are none
     */
    public static List<ReferenceCase> published(Path home) throws InputException {
        Path folder = home.resolve(FOLDER);
        if (!Files.isDirectory(folder)) {
            throw refused(
                    folder,
                    "is no folder; the published cases come with the source tree: start shardsim from there, or name a"
                            + " file or folder of cases");
        }
        return readFolder(folder);
    }

    /**
     * Reads the files of a folder, sorted by name.
     *
     * @throws InputException with every problem of every file, or if there are none
     */
    public static List<ReferenceCase> readFolder(Path folder) throws InputException {
        List<ReferenceCase> cases = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (Path file : filesOf(folder)) {
            try {
                cases.addAll(read(file.toString()));
            } catch (InputException refused) {
                problems.addAll(refused.problems());
            }
        }
        if (!problems.isEmpty()) {
            throw new InputException(problems);
        }
        if (cases.isEmpty()) {
            throw refused(folder, "has no case files, *.yaml");
        }
        return cases;
    }

    /** Returns a problem of a folder, which has no line. */
    private static InputException refused(Path folder, String why) {
        return new InputException(List.of(new Problem(folder.toString(), Position.NONE, why)));
    }

    private static List<Path> filesOf(Path folder) throws InputException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .sorted(Comparator.comparing(file -> file.getFileName().toString()))
                    .toList();
        } catch (IOException failure) {
            throw refused(folder, "cannot be read: " + failure.getMessage());
        }
    }

    private static String familyOf(String file) {
        String name = file.substring(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);
        return name.replaceFirst("\\.ya?ml$", "");
    }

    private static List<ReferenceCase> read(String family, @Nullable YamlNode root, Problems problems)
            throws InputException {
        ReferenceCases reader = new ReferenceCases(family, problems);
        Block file = root == null ? null : CaseKeys.FILE.readBlock(root, "case file", problems);
        if (file != null && file.value("cases") instanceof List<?> blocks) {
            blocks.forEach(block -> reader.add((Block) block));
        }
        problems.throwIfAny();
        if (reader.cases.isEmpty()) {
            throw new InputException(problems.file(), "has no cases");
        }
        return reader.cases;
    }

    private void add(Block block) {
        String id = block.text("id");
        if (id != null) {
            checkUnique(id, block.at("id"));
        }
        ScenarioPoint point = block.value("scenario") instanceof YamlNode node ? point(node) : null;
        Map<Metric, Double> measured = measured(block.block("measured"), point);
        String source = block.text("source");
        String role = block.text("role");
        if (id != null && point != null && source != null && role != null) {
            cases.add(new ReferenceCase(
                    id,
                    family,
                    source,
                    role,
                    block.text("confidence", "high"),
                    new ReferenceCase.Written(point, released(block)),
                    measured,
                    ran(block, point)));
        }
    }

    private void checkUnique(String id, Position position) {
        Position first = places.putIfAbsent(id, position);
        if (first != null) {
            problems.add(position, "id " + id + " is given twice, first in line " + first.line() + "; rename one");
        }
    }

    private @Nullable ScenarioPoint released(Block block) {
        YamlNode.Entry framework = block.entries().get("framework");
        return framework != null && block.value("scenario") instanceof Mapping scenario
                ? point(SoftwareSettings.of(scenario, framework))
                : null;
    }

    private @Nullable ScenarioPoint point(YamlNode node) {
        Scenario scenario = ScenarioReader.read(node, problems);
        if (scenario == null) {
            return null;
        }
        if (scenario.sweep()) {
            return problems.refuse(node.position(), "scenario of a case has a sweep; write one case for each point");
        }
        return scenario.points().get(0);
    }

    private Map<Metric, Double> measured(@Nullable Block block, @Nullable ScenarioPoint point) {
        Map<Metric, Double> measured = new EnumMap<>(Metric.class);
        if (block == null) {
            return measured;
        }
        for (Metric metric : Metric.values()) {
            Double value = block.decimal(metric.id());
            if (value == null) {
                continue;
            }
            if (value <= 0) {
                problems.add(
                        block.at(metric.id()), metric.id() + " " + value + " is not above 0; write what was measured");
            }
            if (point != null && metric.ofCollective() != point.task() instanceof Task.Collective) {
                problems.add(
                        block.keyAt(metric.id()),
                        metric.id() + " is not a figure of "
                                + (metric.ofCollective() ? "a training step" : "a bare collective")
                                + "; write one of " + String.join(", ", ids(!metric.ofCollective())));
            }
            measured.put(metric, value);
        }
        if (block.entries().isEmpty()) {
            problems.add(block.position(), "measured is empty; write for example samples_per_second: 73.52");
        }
        return measured;
    }

    private @Nullable Boolean ran(Block block, ScenarioPoint point) {
        Block measured = block.block("measured");
        if (measured == null || !measured.entries().containsKey(ReferenceCase.FITS)) {
            return null;
        }
        if (point.task() instanceof Task.Collective) {
            problems.add(
                    measured.keyAt(ReferenceCase.FITS),
                    ReferenceCase.FITS + " does not apply to a bare collective, which always fits; remove it");
        }
        return measured.flag(ReferenceCase.FITS, true);
    }

    private static List<String> ids(boolean ofCollective) {
        return Stream.of(Metric.values())
                .filter(metric -> metric.ofCollective() == ofCollective)
                .map(Metric::id)
                .toList();
    }
}

package io.shardsim.scenarios.catalog;

import io.shardsim.scenarios.language.Block;
import io.shardsim.scenarios.language.BlockType;
import io.shardsim.scenarios.language.Key;
import io.shardsim.scenarios.language.ScalarTypes;
import io.shardsim.scenarios.yaml.InputException;
import io.shardsim.scenarios.yaml.Problems;
import io.shardsim.scenarios.yaml.YamlNode;
import io.shardsim.scenarios.yaml.YamlReader;
import io.shardsim.simulator.strategy.StrategyParameters.Declaration;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The strategies that the simulator has, each described by a file {@code strategies/<kind>.yaml}. */
public final class Strategies {
    private static final ResourceDirectory FILES = new ResourceDirectory("strategies");
    private static final Map<String, StrategyDescriptor> READ = new ConcurrentHashMap<>();

    private static final BlockType FILE = new BlockType(
            List.of(
                    Key.required("title", FigureType.LINE, "one line for people"),
                    Key.required(
                            "class",
                            ScalarTypes.text("[A-Za-z0-9_.$]+", "a class name"),
                            "class that plans the strategy"),
                    Key.optional("parameters", BlockType.openWith(), "what a scenario may set")),
            true);

    private Strategies() {}

    public static List<String> kinds() {
        return FILES.names();
    }

    /** The strategy of this kind, or null. */
    public static @Nullable StrategyDescriptor descriptor(String kind) {
        StrategyDescriptor known = READ.get(kind);
        if (known != null) {
            return known;
        }
        try (InputStream in = FILES.open(kind)) {
            if (in == null) {
                return null;
            }
            StrategyDescriptor descriptor = read(kind, in);
            READ.put(kind, descriptor);
            return descriptor;
        } catch (IOException failure) {
            throw new UncheckedIOException(FILES.path(kind) + " cannot be read", failure);
        } catch (InputException defect) {
            throw new IllegalStateException("broken strategy file: " + defect.getMessage(), defect);
        }
    }

    /** The kinds that have a parameter of this name. */
    public static List<String> kindsWith(String parameter) {
        return kinds().stream()
                .filter(kind -> {
                    StrategyDescriptor descriptor = descriptor(kind);
                    return descriptor != null && descriptor.parameter(parameter) != null;
                })
                .toList();
    }

    static StrategyDescriptor read(String kind, InputStream in) throws IOException, InputException {
        Problems problems = new Problems(FILES.path(kind));
        YamlNode root = YamlReader.read(in, problems);
        Block block = root == null ? null : FILE.readBlock(root, "strategy", problems);
        List<Declaration> parameters = new ArrayList<>();
        Block declared = block == null ? null : block.block("parameters");
        if (declared != null) {
            for (YamlNode.Entry entry : declared.others()) {
                Declaration parameter = parameter(entry, problems);
                if (parameter != null) {
                    parameters.add(parameter);
                }
            }
        }
        problems.throwIfAny();
        if (block == null) {
            throw new InputException(FILES.path(kind), "is empty");
        }
        return new StrategyDescriptor(kind, block.text("title", ""), block.text("class", ""), parameters);
    }

    private static @Nullable Declaration parameter(YamlNode.Entry entry, Problems problems) {
        BlockType unitOnly = new BlockType(
                List.of(Key.required("unit", ScalarTypes.choice(StrategyDescriptor.UNITS), "unit of the value")), true);
        Problems unitProblems = new Problems(problems.file());
        Block first = unitOnly.readBlock(entry.value(), entry.key(), unitProblems);
        String unit = first == null ? null : first.text("unit");
        if (unit == null) {
            unitProblems.inOrder().forEach(problem -> problems.add(problem.position(), problem.message()));
            return null;
        }
        BlockType type = BlockType.of(
                Key.required("unit", ScalarTypes.choice(StrategyDescriptor.UNITS), "unit of the value"),
                Key.required("default", StrategyDescriptor.type(unit), "value where a scenario sets none"),
                Key.required("meaning", FigureType.LINE, "one sentence"),
                Key.required("source", FigureType.LINE, "where the default comes from"));
        Block block = type.readBlock(entry.value(), entry.key(), problems);
        Object value = block == null ? null : block.value("default");
        if (block == null || value == null) {
            return null;
        }
        return new Declaration(entry.key(), unit, value, block.text("meaning", ""), block.text("source", ""));
    }
}

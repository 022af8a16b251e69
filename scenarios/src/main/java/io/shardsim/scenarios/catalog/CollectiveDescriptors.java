package io.shardsim.scenarios.catalog;

import io.shardsim.scenarios.language.Block;
import io.shardsim.scenarios.language.BlockType;
import io.shardsim.scenarios.language.Key;
import io.shardsim.scenarios.language.ScalarTypes;
import io.shardsim.scenarios.yaml.InputException;
import io.shardsim.scenarios.yaml.Problems;
import io.shardsim.scenarios.yaml.YamlNode;
import io.shardsim.scenarios.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The collective algorithms that the simulator has, each described by a file {@code collectives/<file>.yaml}. */
public final class CollectiveDescriptors {
    private static final ResourceDirectory FILES = new ResourceDirectory("collectives");
    private static final BlockType FILE = new BlockType(
            List.of(
                    Key.required(
                            "name", ScalarTypes.text("[A-Za-z0-9][A-Za-z0-9_-]*", "a name"), "name of the algorithm"),
                    Key.required("source", FigureType.LINE, "where the schedule is described")),
            true);

    private CollectiveDescriptors() {}

    /**
     * One algorithm for one or more kinds of collective.
     *
     * @param file name of its file
     * @param name by which scenarios force it
     * @param kinds collectives that it carries
     */
    public record Algorithm(String file, String name, List<String> kinds, String source) {}

    /** Read when first asked for. */
    private static final class Loaded {
        static final List<Algorithm> ALL = List.copyOf(readAll());
    }

    public static List<Algorithm> all() {
        return Loaded.ALL;
    }

    private static List<Algorithm> readAll() {
        List<Algorithm> all = new ArrayList<>();
        for (String file : FILES.names()) {
            try (InputStream in = FILES.open(file)) {
                if (in != null) {
                    all.add(read(file, in));
                }
            } catch (IOException failure) {
                throw new UncheckedIOException(FILES.path(file) + " cannot be read", failure);
            } catch (InputException defect) {
                throw new IllegalStateException("broken collective file: " + defect.getMessage(), defect);
            }
        }
        return all;
    }

    /** Names of the algorithms that carry a kind of collective, or any kind where it is null. */
    public static List<String> names(@Nullable String kind) {
        return all().stream()
                .filter(algorithm -> kind == null || algorithm.kinds().contains(kind))
                .map(Algorithm::name)
                .distinct()
                .sorted()
                .toList();
    }

    private static Algorithm read(String file, InputStream in) throws IOException, InputException {
        Problems problems = new Problems(FILES.path(file));
        YamlNode root = YamlReader.read(in, problems);
        Block block = root == null ? null : FILE.readBlock(root, "collective", problems);
        List<String> kinds = new ArrayList<>();
        if (block != null) {
            for (YamlNode.Entry entry : block.others()) {
                if (entry.key().equals("kinds") && entry.value() instanceof YamlNode.Sequence list) {
                    list.items().stream()
                            .filter(YamlNode.Scalar.class::isInstance)
                            .forEach(item -> kinds.add(((YamlNode.Scalar) item).text()));
                }
            }
        }
        problems.throwIfAny();
        if (block == null) {
            throw new InputException(FILES.path(file), "is empty");
        }
        return new Algorithm(file, block.text("name", ""), kinds, block.text("source", ""));
    }
}

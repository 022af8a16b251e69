package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A catalog file that was read: the block, and its figures with their sources resolved.
 *
 * <p>Every file has {@code title} and {@code sources: {name: {source, date}}}; every figure names one of the sources.
 */
record CatalogFile(Block block, Map<String, Figure> figures) {
    private static final BlockType SOURCE = BlockType.of(
            Key.required("source", FigureType.LINE, "where figures were read"),
            Key.required(
                    "date",
                    ScalarTypes.text("\\d{4}(-\\d{2}(-\\d{2})?)?", "a date such as 2022-10-31"),
                    "date of the source"));

    /** Keys that every file has, followed by its own. */
    static BlockType type(Key... own) {
        List<Key> keys = new ArrayList<>();
        keys.add(Key.required("title", FigureType.LINE, "one line for people"));
        keys.addAll(List.of(own));
        keys.add(Key.required("sources", BlockType.openWith(), "where the figures come from"));
        return new BlockType(keys, false);
    }

    /** Reads an entry; null when there is no file of this name. */
    static @Nullable CatalogFile read(ResourceDirectory directory, String name, BlockType type) throws InputException {
        try (InputStream in = directory.open(name)) {
            return in == null ? null : read(in, directory.path(name), type);
        } catch (IOException failure) {
            throw new UncheckedIOException(directory.path(name) + " cannot be read", failure);
        }
    }

    static CatalogFile read(InputStream in, String path, BlockType type) throws InputException, IOException {
        Problems problems = new Problems(path);
        YamlNode root = YamlReader.read(in, problems);
        Block block = root == null ? null : type.readBlock(root, "entry", problems);
        Map<String, Figure> figures = block == null ? Map.of() : figures(block, type, problems);
        problems.throwIfAny();
        if (block == null) {
            throw new InputException(path, "is empty");
        }
        return new CatalogFile(block, figures);
    }

    private static Map<String, Figure> figures(Block block, BlockType type, Problems problems) {
        Map<String, Block> sources = new LinkedHashMap<>();
        Block sourceBlock = block.block("sources");
        if (sourceBlock != null) {
            for (YamlNode.Entry entry : sourceBlock.others()) {
                Block source = SOURCE.readBlock(entry.value(), "source " + entry.key(), problems);
                if (source != null) {
                    sources.put(entry.key(), source);
                }
            }
        }
        Map<String, Figure> figures = new LinkedHashMap<>();
        for (Key key : type.keys()) {
            Block figure = block.block(key.name());
            if (figure == null || figure.name().equals("sources")) {
                continue;
            }
            String from = figure.text("from");
            Block source = from == null ? null : sources.get(from);
            if (from != null && source == null) {
                problems.add(figure.at("from"), "source " + from + " is not among the file's sources; add it");
            }
            Object value = key.type() instanceof FigureType ? figure.value("value") : figure;
            if (source != null && value != null) {
                figures.put(
                        key.name(),
                        new Figure(
                                key.name(),
                                value,
                                FigureType.textOf(figure),
                                source.text("source", ""),
                                source.text("date", ""),
                                figure.text("note")));
            }
        }
        return figures;
    }

    String text(String key) {
        return block.text(key, "");
    }
}

package io.shardsim.simulator.catalog;

import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parsed file of figures: the block, and its figures with their sources resolved.
 *
 * <p>Every file has {@code title} and {@code sources: {name: {source, date}}}; every figure names one of the sources. A file that {@code extends}
 * another of its folder inherits that file's keys and may override them.
 *
 * @param name of the file, without its suffix
 * @param also other names of the entry; a file that extends it does not inherit them
 */
public record FigureFile(String name, Block block, Map<String, Figure> figures, List<String> also) {
    private static final String TITLE = "title";
    /** Key of folders whose entries go by several names. */
    public static final Key ALSO = Key.optional("also", new ListType(FigureType.LINE, "name"), "other common names");

    private static final String SOURCES = "sources";
    /** Keys of a source. */
    public static final BlockType SOURCE = BlockType.of(
            Key.required("source", FigureType.LINE, "where figures were read"),
            Key.required(
                    "date",
                    ScalarTypes.text("\\d{4}(-\\d{2}(-\\d{2})?)?", "a date such as 2022-10-31"),
                    "date of the source"));

    /** Returns the keys of every file, plus a folder's own. */
    static BlockType type(List<Key> own) {
        List<Key> keys = new ArrayList<>();
        keys.add(Key.required(TITLE, FigureType.LINE, "one line for readers"));
        keys.add(Part.EXTENDS);
        keys.addAll(own);
        keys.add(Key.optional(SOURCES, BlockType.openWith(), "where the figures come from"));
        return new BlockType(keys, false);
    }

    /** Reads an entry and what it extends; returns null if there is no file of this name. */
    static @Nullable FigureFile read(ResourceDirectory directory, String name, BlockType type) throws InputException {
        List<Part> chain = Part.chain(directory, name, type);
        return chain.isEmpty() ? null : of(chain, type);
    }

    /** Merges a file with the files that it extends. */
    static FigureFile of(List<Part> chain, BlockType type) throws InputException {
        Map<String, Figure> figures = new LinkedHashMap<>();
        for (Part part : chain) {
            figures(part.block(), type, part.problems()).forEach(figures::putIfAbsent);
        }
        Part first = chain.get(0);
        return new FigureFile(
                first.name(), Part.merged(chain, type), figures, first.block().list(ALSO.name()));
    }

    private static Map<String, Figure> figures(Block block, BlockType type, Problems problems) {
        Map<String, Block> sources = sources(block, problems);
        Map<String, Figure> figures = new LinkedHashMap<>();
        for (Key key : type.keys()) {
            Block figure = block.block(key.name());
            if (figure == null || figure.name().equals(SOURCES)) {
                continue;
            }
            String from = figure.text("from");
            Block source = from == null ? null : sources.get(from);
            if (from != null && source == null) {
                problems.add(figure.at("from"), "source " + from + " is not in the file's sources; add it");
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

    private static Map<String, Block> sources(Block block, Problems problems) {
        Map<String, Block> sources = new LinkedHashMap<>();
        Block written = block.block(SOURCES);
        if (written != null) {
            for (YamlNode.Entry entry : written.others()) {
                Block source = SOURCE.readBlock(entry.value(), "source " + entry.key(), problems);
                if (source != null) {
                    sources.put(entry.key(), source);
                }
            }
        }
        return sources;
    }

    /** Returns a one-line title. */
    public String title() {
        return text(TITLE);
    }

    /** Returns a string that is not a figure; empty if the file has none. */
    public String text(String key) {
        return block.text(key, "");
    }

    /** Returns whether the file gives this figure. */
    public boolean has(String key) {
        return figures.containsKey(key);
    }

    /** Returns a decimal number, in base units if it has a unit. */
    public double decimal(String key) {
        return (Double) value(key);
    }

    /** Returns an integer, in base units if it has a unit. */
    public long whole(String key) {
        return (Long) value(key);
    }

    /** Returns an integer that fits in an int. */
    public int count(String key) {
        return Math.toIntExact(whole(key));
    }

    /** Returns a boolean. */
    public boolean flag(String key) {
        return (Boolean) value(key);
    }

    /** Returns a value of the key's type. */
    public <T> T get(String key, Class<T> type) {
        return type.cast(value(key));
    }

    /** Returns a list; {@code type} must be the item type of the key table. */
    @SuppressWarnings("unchecked")
    public <T> List<T> list(String key) {
        return (List<T>) value(key);
    }

    /** Returns a string. */
    public String word(String key) {
        return (String) value(key);
    }

    /** Returns this file with other values of some figures, for example from a fit. */
    public FigureFile with(Map<String, ?> values) {
        Map<String, Figure> changed = new LinkedHashMap<>(figures);
        values.forEach((key, value) -> changed.computeIfPresent(
                key,
                (same, figure) ->
                        new Figure(key, value, value.toString(), figure.source(), figure.date(), figure.note())));
        return new FigureFile(name, block, changed, also);
    }

    private Object value(String key) {
        Figure figure = figures.get(key);
        if (figure == null) {
            throw new CatalogException(name + " has no " + key);
        }
        return figure.value();
    }
}

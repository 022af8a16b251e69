package io.shardsim.simulator.catalog;

import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One file of a folder, parsed on its own. A file that {@code extends} another of its folder inherits that file's keys and may override them.
 *
 * @param name of the file, without its suffix
 * @param problems collects problems found later
 */
record Part(String name, Block block, Problems problems) {
    static final Key EXTENDS = Key.optional("extends", FigureType.LINE, "a file of the folder that has the other keys");

    /** Returns a file and the files that it extends, in order; empty if there is none of this name. */
    static List<Part> chain(ResourceDirectory directory, String name, BlockType type) throws InputException {
        return chain(directory, find(directory, name, type), type);
    }

    /** Returns a file read elsewhere and the files that it extends, in order. */
    static List<Part> chain(ResourceDirectory directory, @Nullable Part first, BlockType type) throws InputException {
        List<Part> chain = new ArrayList<>();
        Part part = first;
        while (part != null) {
            chain.add(part);
            part = part.extended(directory, type, chain);
        }
        return chain;
    }

    private @Nullable Part extended(ResourceDirectory directory, BlockType type, List<Part> chain)
            throws InputException {
        String base = block.text(EXTENDS.name());
        if (base == null) {
            return null;
        }
        List<String> names = chain.stream().map(Part::name).toList();
        if (names.contains(base)) {
            problems.add(
                    block.at(EXTENDS.name()),
                    String.join(" extends ", names) + " extends " + base + "; remove one of these");
            problems.throwIfAny();
        }
        Part part = find(directory, base, type);
        if (part == null) {
            problems.add(
                    block.at(EXTENDS.name()),
                    "extends " + base + ", which does not exist; " + Nearest.remedy(base, directory.names()));
            problems.throwIfAny();
        }
        return part;
    }

    private static @Nullable Part find(ResourceDirectory directory, String name, BlockType type) throws InputException {
        Problems problems = new Problems(directory.path(name));
        try (InputStream in = directory.open(name)) {
            if (in == null) {
                return null;
            }
            YamlNode root = YamlReader.read(in, "copy another file of its folder and edit it", problems);
            return of(name, root, type, problems);
        } catch (IOException failure) {
            throw new UncheckedIOException(directory.path(name) + " cannot be read", failure);
        }
    }

    /** Returns a part from parsed YAML. */
    static Part of(String name, @Nullable YamlNode root, BlockType type, Problems problems) throws InputException {
        Block block = root == null ? null : type.readPart(root, "entry", problems);
        if (block == null) {
            throw new InputException(problems.inOrder());
        }
        return new Part(name, block, problems);
    }

    /** Merges all keys of a file and the files that it extends; throws what is wrong with one of them, or missing in all. */
    static Block merged(List<Part> chain, BlockType type) throws InputException {
        Block all = chain.get(chain.size() - 1).block;
        for (int i = chain.size() - 2; i >= 0; i--) {
            all = chain.get(i).block.over(all);
        }
        type.addMissing(all, chain.get(0).problems);
        for (Part part : chain) {
            part.problems.throwIfAny();
        }
        return all;
    }
}

package io.shardsim.simulator.catalog;

import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Files in a folder of the class path that each name a class. There is no list of them: to add one, add a file.
 *
 * <p>A file without {@code class} that others extend only serves as their base.
 */
public final class DescriptorFolder {
    static final Key CLASS = Key.required(
            "class",
            ScalarTypes.text("[A-Za-z_$][\\w$]*(\\.[A-Za-z_$][\\w$]*)*", "the name of a Java class"),
            "class that does the work");

    private final ResourceDirectory directory;
    private final BlockType type;

    /**
     * @param folder with slashes, none at either end
     * @param keys of its files, other than {@code class}, {@code source} and {@code extends}; a file with {@code program} needs no class
     */
    public DescriptorFolder(String folder, Key... keys) {
        this(new ResourceDirectory(folder, ".yaml"), keys);
    }

    DescriptorFolder(ResourceDirectory directory, Key... keys) {
        this.directory = directory;
        Key source = Key.required("source", FigureType.LINE, "where it is described");
        boolean needsClass = Stream.of(keys).noneMatch(key -> key.name().equals("program"));
        Key work = new Key(CLASS.name(), CLASS.type(), needsClass, CLASS.meaning());
        this.type = new BlockType(
                Stream.concat(Stream.of(Part.EXTENDS, work, source), Stream.of(keys))
                        .toList(),
                false);
    }

    /** Returns all descriptors, in the order of their IDs. */
    public List<Descriptor> all() {
        Map<String, List<Part>> chains = new TreeMap<>();
        try {
            for (String name : directory.names()) {
                chains.put(name, Part.chain(directory, name, type));
            }
            Set<String> bases = chains.values().stream()
                    .flatMap(chain -> chain.stream().skip(1))
                    .map(Part::name)
                    .collect(Collectors.toSet());
            List<Descriptor> all = new ArrayList<>();
            for (Map.Entry<String, List<Part>> chain : chains.entrySet()) {
                if (!bases.contains(chain.getKey()) || hasClass(chain.getValue())) {
                    all.add(descriptor(chain.getKey(), chain.getValue()));
                }
            }
            return all;
        } catch (InputException broken) {
            throw new CatalogException(broken);
        }
    }

    private static boolean hasClass(List<Part> chain) {
        return chain.stream().anyMatch(part -> part.block().has(CLASS.name()));
    }

    private Descriptor descriptor(String id, List<Part> chain) throws InputException {
        Block block = Part.merged(chain, type);
        return new Descriptor(id, directory.path(id), block, chain.get(0).block());
    }
}

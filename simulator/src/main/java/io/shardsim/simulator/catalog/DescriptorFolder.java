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
import org.jspecify.annotations.Nullable;

/**
 * The files of a folder of the class path that name a class each, or say what it would do. Nothing lists them: to add one is to add a file.
 *
 * <p>One that is extended by others and has no {@code class} is there for that alone.
 */
public final class DescriptorFolder {
    static final Key CLASS = Key.required(
            "class",
            ScalarTypes.text("[A-Za-z_$][\\w$]*(\\.[A-Za-z_$][\\w$]*)*", "the name of a Java class"),
            "class that does the work");

    private final ResourceDirectory directory;
    private final List<Key> keys;
    /** In place of {@code class}; null where each file needs one. */
    private final @Nullable Key instead;

    private final BlockType type;

    /**
     * @param folder with slashes, none at either end
     * @param keys of its files, beside {@code class}, {@code source} and {@code extends}
     */
    public DescriptorFolder(String folder, Key... keys) {
        this(new ResourceDirectory(folder, ".yaml"), keys);
    }

    DescriptorFolder(ResourceDirectory directory, Key... keys) {
        this(directory, null, List.of(keys));
    }

    private DescriptorFolder(ResourceDirectory directory, @Nullable Key instead, List<Key> keys) {
        this.directory = directory;
        this.keys = keys;
        this.instead = instead;
        Key source = Key.required("source", FigureType.LINE, "where it is described");
        List<Key> work = instead == null
                ? List.of(CLASS)
                : List.of(Key.optional(CLASS.name(), CLASS.type(), CLASS.meaning()), instead);
        this.type = new BlockType(
                Stream.of(List.of(Part.EXTENDS), work, List.of(source), keys)
                        .flatMap(List::stream)
                        .toList(),
                false);
    }

    /** The same folder, in which a file may have another key in place of {@code class}. */
    public DescriptorFolder orWith(Key other) {
        return new DescriptorFolder(directory, other, keys);
    }

    /** All descriptors, in the order of their ids. */
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
                if (!bases.contains(chain.getKey()) || doesWork(chain.getValue())) {
                    all.add(descriptor(chain.getKey(), chain.getValue()));
                }
            }
            return all;
        } catch (InputException broken) {
            throw new CatalogException(broken);
        }
    }

    private boolean doesWork(List<Part> chain) {
        return has(chain, CLASS) || instead != null && has(chain, instead);
    }

    private static boolean has(List<Part> chain, Key key) {
        return chain.stream().anyMatch(part -> part.block().has(key.name()));
    }

    private Descriptor descriptor(String id, List<Part> chain) throws InputException {
        Block own = chain.get(0).block();
        if (instead != null && has(chain, CLASS) == has(chain, instead)) {
            String message = has(chain, CLASS)
                    ? own.name() + " has class and " + instead.name() + "; remove one of them"
                    : own.name() + " has no class and no " + instead.name() + "; add one of them";
            chain.get(0).problems().add(own.position(), message);
        }
        return new Descriptor(id, directory.path(id), Part.merged(chain, type), own);
    }
}

package io.shardsim.simulator.catalog;

import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Files of figures in a folder of the class path, each read on first use. */
public final class FigureFolder {
    private final ResourceDirectory directory;
    private final String kind;
    private final BlockType type;
    /** Files read so far; a sweep asks for the same ones at every point. */
    private final Map<String, FigureFile> read = new ConcurrentHashMap<>();
    /** Names of all entries, once listed: a search resolves thousands of points. */
    private volatile @Nullable List<String> names;

    /**
     * @param folder with slashes, none at either end
     * @param kind what messages call an entry
     * @param keys of its files, in addition to the keys of every {@link FigureFile}
     */
    public FigureFolder(String folder, String kind, List<Key> keys) {
        this(new ResourceDirectory(folder, ".yaml"), kind, keys);
    }

    FigureFolder(ResourceDirectory directory, String kind, List<Key> keys) {
        this(directory, kind, FigureFile.type(keys));
    }

    private FigureFolder(ResourceDirectory directory, String kind, BlockType type) {
        this.directory = directory;
        this.kind = kind;
        this.type = type;
    }

    /** Returns this folder on another class path. */
    public FigureFolder in(ClassLoader loader) {
        return new FigureFolder(new ResourceDirectory(directory.directory(), directory.suffix(), loader), kind, type);
    }

    /** Returns the keys, each with a source next to its value. */
    public static List<Key> figures(List<Key> keys) {
        return keys.stream()
                .map(key -> new Key(key.name(), new FigureType(key.type()), key.required(), key.meaning()))
                .toList();
    }

    /** Returns the keys of a folder, of which some are figures and some are plain. */
    public static List<Key> figures(List<Key> keys, Key... plain) {
        return Stream.concat(Stream.of(plain), figures(keys).stream()).toList();
    }

    /** Returns the names of the entries, in order. */
    public List<String> names() {
        List<String> known = names;
        if (known == null) {
            known = directory.names();
            names = known;
        }
        return known;
    }

    /** Returns the path of an entry, for messages. */
    public String path(String name) {
        return directory.path(name);
    }

    /** Returns the entry of a name; null if there is none. */
    public @Nullable FigureFile find(String name) {
        FigureFile known = read.get(name);
        if (known != null) {
            return known;
        }
        try {
            FigureFile file = FigureFile.read(directory, name, type);
            if (file != null) {
                read.put(name, file);
            }
            return file;
        } catch (InputException broken) {
            throw new CatalogException(broken);
        }
    }

    /**
     * Reads an entry from elsewhere, such as a user's file.
     *
     * @throws InputException with every problem of the entry and of what it extends
     */
    public FigureFile read(String name, YamlNode entry, Problems problems) throws InputException {
        return FigureFile.of(Part.chain(directory, Part.of(name, entry, type, problems), type), type);
    }

    /** Returns the entry that goes by a name, its file's or another, ignoring spelling; null if there is none. */
    public @Nullable FigureFile called(String name) {
        FigureFile exact = find(name);
        String sought = folded(name);
        return exact != null || sought.isEmpty()
                ? exact
                : names().stream()
                        .map(this::named)
                        .filter(file -> Stream.concat(Stream.of(file.name()), file.also().stream())
                                .anyMatch(each -> folded(each).equals(sought)))
                        .findFirst()
                        .orElse(null);
    }

    /** Folds a name to lowercase letters and digits, without vendor prefixes ({@code NVIDIA}, {@code Standard_}, {@code ml.}). */
    public static String folded(String name) {
        return name.toLowerCase(Locale.ROOT)
                .replaceFirst("^((nvidia|tesla|geforce|amazon)[ _-]*|standard_|ml[.])+", "")
                .replaceAll("[^a-z0-9]", "");
    }

    /** Returns the entry of a name, which must exist. */
    public FigureFile named(String name) {
        FigureFile file = find(name);
        if (file == null) {
            throw new CatalogException("no " + kind + " " + name + ": there is no " + path(name)
                    + " on the class path; " + Nearest.remedy(name, names()));
        }
        return file;
    }

    /** Returns the figures of an entry, in the order of the key table. */
    public List<Figure> figures(String name) {
        FigureFile file = named(name);
        List<Figure> figures = new ArrayList<>();
        for (Key key : type.keys()) {
            Figure figure = file.figures().get(key.name());
            if (figure != null) {
                figures.add(figure);
            }
        }
        return figures;
    }

    /** Returns the meaning of a key; empty if there is no such key. */
    public String meaning(String key) {
        Key known = type.key(key);
        return known == null ? "" : known.meaning();
    }
}

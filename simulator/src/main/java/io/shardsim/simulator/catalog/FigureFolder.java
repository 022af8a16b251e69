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

/** The files of figures in one folder of the class path, each read when it is first asked for. */
public final class FigureFolder {
    private final ResourceDirectory directory;
    private final String kind;
    private final BlockType type;
    /** Files that were read; a sweep asks for the same ones at every point. */
    private final Map<String, FigureFile> read = new ConcurrentHashMap<>();
    /** Names of all, once they were listed: a search resolves thousands of points. */
    private volatile @Nullable List<String> names;

    /**
     * @param folder with slashes, none at either end
     * @param kind what messages call an entry
     * @param keys of its files, beside those that every {@link FigureFile} has
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

    /** The same folder of another class path. */
    public FigureFolder in(ClassLoader loader) {
        return new FigureFolder(new ResourceDirectory(directory.directory(), directory.suffix(), loader), kind, type);
    }

    /** The keys, each with a source beside its value. */
    public static List<Key> figures(List<Key> keys) {
        return keys.stream()
                .map(key -> new Key(key.name(), new FigureType(key.type()), key.required(), key.meaning()))
                .toList();
    }

    /** The keys of a folder: some that are figures, some that are not. */
    public static List<Key> figures(List<Key> keys, Key... plain) {
        return Stream.concat(Stream.of(plain), figures(keys).stream()).toList();
    }

    /** Names of the entries, in order. */
    public List<String> names() {
        List<String> known = names;
        if (known == null) {
            known = directory.names();
            names = known;
        }
        return known;
    }

    /** Where an entry of this name is, as messages name it. */
    public String path(String name) {
        return directory.path(name);
    }

    /** The entry of a name; null when there is none. */
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
     * An entry that stands elsewhere, in a file of a user's.
     *
     * @throws InputException with every problem of it and of what it extends
     */
    public FigureFile read(String name, YamlNode entry, Problems problems) throws InputException {
        return FigureFile.of(Part.chain(directory, Part.of(name, entry, type, problems), type), type);
    }

    /** The entry that people call by a name: its file's, or another of its names, however it is spelled; null when there is none. */
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

    /** A name in small letters and digits, without what vendors put before it ({@code NVIDIA}, {@code Standard_}, {@code ml.}). */
    public static String folded(String name) {
        return name.toLowerCase(Locale.ROOT)
                .replaceFirst("^((nvidia|tesla|geforce|amazon)[ _-]*|standard_|ml[.])+", "")
                .replaceAll("[^a-z0-9]", "");
    }

    /** The entry of a name, which must exist. */
    public FigureFile named(String name) {
        FigureFile file = find(name);
        if (file == null) {
            throw new CatalogException("no " + kind + " " + name + ": there is no " + path(name)
                    + " on the class path; " + Nearest.remedy(name, names()));
        }
        return file;
    }

    /** The figures of an entry, in the order of the key table. */
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

    /** What a key means; empty where no key has this name. */
    public String meaning(String key) {
        Key known = type.key(key);
        return known == null ? "" : known.meaning();
    }
}

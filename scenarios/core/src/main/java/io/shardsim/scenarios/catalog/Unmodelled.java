package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.catalog.FigureType;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Well-known names that the catalog lacks, from files in {@code catalog/unmodelled}.
 *
 * @param is description of the thing
 * @param write the nearest alternative, and how to write it
 */
public record Unmodelled(String is, String write) {
    public static final String GPUS = "gpus";

    /** Files whose names are lower case, without dashes, dots, underscores and blanks. */
    static final FigureFolder FILES = new FigureFolder(
            "catalog/unmodelled",
            "list",
            CatalogKeys.FILE.keys(
                    "unmodelled",
                    Map.of(
                            "source", FigureFile.SOURCE,
                            "folded", ScalarTypes.text("[a-z0-9]+", "a folded name"),
                            "text", FigureType.LINE)));

    /** Returns the entry for a name, or for its prefix up to a dot or dash; null if there is none. */
    public static @Nullable Unmodelled of(String list, String name) {
        String asked = name.toLowerCase(Locale.ROOT);
        while (!asked.isEmpty()) {
            String folded = FigureFolder.folded(asked);
            for (Block entry : FILES.named(list).block().<Block>list("entries")) {
                if (entry.<String>list("names").contains(folded)) {
                    return new Unmodelled(entry.text("is", ""), entry.text("write", ""));
                }
            }
            asked = asked.replaceFirst("[-._ ]?[^-._ ]*$", "");
        }
        return null;
    }

    /** Returns all alternatives in a file. */
    public static List<String> ways(String list) {
        return FILES.named(list).block().<Block>list("entries").stream()
                .map(entry -> entry.text("write", ""))
                .toList();
    }

    public String words() {
        return is + "; " + write;
    }

    /** Returns why a name is refused: its description if it is known, else the nearest name with the same first letter and number. */
    public static String refusal(String what, String list, String name, Collection<String> known) {
        Unmodelled unmodelled = of(list, name);
        if (unmodelled != null) {
            return what + " " + name + " is not modelled: " + unmodelled.words();
        }
        String nearest = Nearest.of(name, known);
        String asked = name.toLowerCase(Locale.ROOT);
        boolean longer = known.stream().anyMatch(each -> each.startsWith(asked));
        boolean other = nearest != null && !longer && !make(nearest).equals(make(asked));
        String ways = "shardsim catalog " + list + " lists " + known.size()
                + (list.equals(GPUS)
                        ? ", or write its figures: gpu: {architecture: ...}"
                        : ", or write gpu: and its node");
        return what + " " + name + " is not in the catalog; " + (other ? ways : Nearest.remedy(name, known, ways));
    }

    /** Returns the first letter and the digits up to a dot; names that differ in these are different hardware. */
    private static String make(String name) {
        return name.isEmpty()
                ? ""
                : name.charAt(0) + name.replaceFirst("[.].*", "").replaceAll("\\D", "");
    }

    /** A type whose unknown words are looked up in one of the files. */
    public record Words(ValueType type, String list) implements ValueType.Like {
        @Override
        public @Nullable Object read(YamlNode node, String key, Problems problems) {
            Unmodelled unmodelled = node instanceof YamlNode.Scalar scalar ? of(list, scalar.text()) : null;
            if (unmodelled == null) {
                return type.read(node, key, problems);
            }
            return problems.refuse(
                    node.position(),
                    key + " " + ((YamlNode.Scalar) node).text() + " is not modelled: " + unmodelled.words());
        }
    }
}

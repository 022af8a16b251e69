package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** OmegaConf's references to other keys of a file, <code>${model.hidden_size}</code> and <code>${.hidden_size}</code>, and products of them. */
final class Interpolation {
    private static final Pattern REFERENCE = Pattern.compile("\\$\\{(\\.*)(\\w+(?:\\.\\w+)*)}");
    private static final Pattern PRODUCT = Pattern.compile("\\$\\{multiply: *(\\d{1,9}) *, *(\\d{1,9}) *}");
    /** A reference may lead to another one; beyond that they go in circles. */
    private static final int REFERENCES_MAX = 8;

    private Interpolation() {}

    /** The file with its references followed; what leads nowhere stays as it is written. */
    static Mapping in(Mapping root) {
        return block(root, List.of());
    }

    private static Mapping block(Mapping block, List<Mapping> around) {
        List<Mapping> inside = new ArrayList<>(around);
        inside.add(block);
        List<Entry> entries = new ArrayList<>();
        for (Entry entry : block.entries()) {
            YamlNode value = entry.value();
            if (value instanceof Mapping inner) {
                value = block(inner, inside);
            } else if (value instanceof Scalar scalar && scalar.text().contains("${")) {
                value = new Scalar(scalar.position(), followed(scalar.text(), inside), true);
            }
            entries.add(new Entry(entry.key(), entry.keyPosition(), value));
        }
        return new Mapping(block.position(), entries);
    }

    private static String followed(String written, List<Mapping> inside) {
        String text = written;
        for (int i = 0; i < REFERENCES_MAX && text.contains("${"); i++) {
            Matcher reference = REFERENCE.matcher(text);
            Matcher product = PRODUCT.matcher(text);
            if (product.find()) {
                long value = Long.parseLong(product.group(1)) * Long.parseLong(product.group(2));
                text = text.substring(0, product.start()) + value + text.substring(product.end());
            } else if (reference.find()) {
                int dots = reference.group(1).length();
                Mapping from = inside.get(dots == 0 ? 0 : Math.max(0, inside.size() - dots));
                String found = at(from, reference.group(2));
                if (found == null) {
                    return written;
                }
                text = text.substring(0, reference.start()) + found + text.substring(reference.end());
            }
        }
        return text;
    }

    private static @Nullable String at(Mapping block, String path) {
        int dot = path.indexOf('.');
        Entry entry = block.entry(dot < 0 ? path : path.substring(0, dot));
        YamlNode value = entry == null ? null : entry.value();
        if (dot >= 0) {
            return value instanceof Mapping inner ? at(inner, path.substring(dot + 1)) : null;
        }
        return value instanceof Scalar scalar ? scalar.text() : null;
    }
}

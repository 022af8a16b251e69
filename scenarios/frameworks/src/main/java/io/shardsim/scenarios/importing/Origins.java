package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Origins of a file's values, by identity: equal strings may have different origins. */
final class Origins {
    /** Constants of a library, such as {@code torch.bfloat16}: their name is their value. */
    private static final Pattern CONSTANT = Pattern.compile("torch\\.\\w+|(\\w+\\.)*[A-Z]\\w*\\.[A-Z][A-Z0-9_]*");

    private final Map<YamlNode, String> unknown = new IdentityHashMap<>();
    /** Script arguments whose defaults determine a value. */
    private final Map<YamlNode, String> assumed = new IdentityHashMap<>();

    /** Results of {@code parse_args}. */
    private final Set<YamlNode> parsed = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Arguments whose defaults decide conditions, with the line of one. */
    final Map<String, Integer> decided = new TreeMap<>();

    /** A value that the file does not determine, as written. */
    Scalar unknown(Position place, String written) {
        return unknown(place, written, "");
    }

    /** The same for a value that the script changes; messages quote the change. */
    Scalar unknown(Position place, String written, String change) {
        Scalar value = new Scalar(place, written + change, false);
        unknown.put(value, change);
        return value;
    }

    /** How the script changes a value; empty if it does not. */
    String change(YamlNode value) {
        return unknown.getOrDefault(value, "");
    }

    boolean isUnknown(YamlNode value) {
        return unknown.containsKey(value);
    }

    /** The undetermined value, or the first one in a list, as written; null if all are determined. */
    @Nullable
    String open(YamlNode value) {
        if (value instanceof Sequence list) {
            return list.items().stream()
                    .map(this::open)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }
        boolean open =
                isUnknown(value) && !CONSTANT.matcher(((Scalar) value).text()).matches();
        return open ? YamlReader.printable(((Scalar) value).text()) : null;
    }

    void assume(YamlNode value, String flags) {
        if (!isUnknown(value) && !(value instanceof Mapping)) {
            assumed.putIfAbsent(value, flags);
        }
    }

    @Nullable
    String assumed(YamlNode value) {
        return assumed.get(value);
    }

    Mapping parsed(Mapping arguments) {
        parsed.add(arguments);
        return arguments;
    }

    boolean isParsed(@Nullable YamlNode value) {
        return value != null && parsed.contains(value);
    }

    /** An attribute of parsed arguments; null for other values. */
    @Nullable
    YamlNode attribute(@Nullable YamlNode value, String name) {
        Entry entry = isParsed(value) && value instanceof Mapping block ? block.entry(name) : null;
        return entry == null ? null : entry.value();
    }
}

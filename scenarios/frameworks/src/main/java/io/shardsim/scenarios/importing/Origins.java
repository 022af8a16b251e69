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

/** What stands behind the values of a file, by identity: equal texts may come from different places. */
final class Origins {
    /** Names of a library's constants, such as {@code torch.bfloat16}, say what they are. */
    private static final Pattern CONSTANT = Pattern.compile("torch\\.\\w+|(\\w+\\.)*[A-Z]\\w*\\.[A-Z][A-Z0-9_]*");

    private final Map<YamlNode, String> unknown = new IdentityHashMap<>();
    /** The arguments of the script that a value comes from by default. */
    private final Map<YamlNode, String> assumed = new IdentityHashMap<>();

    /** Results of {@code parse_args}. */
    private final Set<YamlNode> parsed = Collections.newSetFromMap(new IdentityHashMap<>());
    /** Arguments whose defaults decide conditions, with the line of one. */
    final Map<String, Integer> decided = new TreeMap<>();

    /** A value that does not follow from the file, as it is written. */
    Scalar unknown(Position place, String written) {
        return unknown(place, written, "");
    }

    /** The same where the script changes it, as messages say it. */
    Scalar unknown(Position place, String written, String change) {
        Scalar value = new Scalar(place, written + change, false);
        unknown.put(value, change);
        return value;
    }

    /** How the script changes a value; empty for any other. */
    String change(YamlNode value) {
        return unknown.getOrDefault(value, "");
    }

    boolean isUnknown(YamlNode value) {
        return unknown.containsKey(value);
    }

    /** What nothing can be read from: the value as it is written, or one of a list; null for any other. */
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

    /** An attribute of parsed arguments; null for any other. */
    @Nullable
    YamlNode attribute(@Nullable YamlNode value, String name) {
        Entry entry = isParsed(value) && value instanceof Mapping block ? block.entry(name) : null;
        return entry == null ? null : entry.value();
    }
}

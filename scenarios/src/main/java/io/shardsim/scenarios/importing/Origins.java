package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What stands behind the values of a file, by identity: equal texts may come from different places. */
final class Origins {
    /** Names of a library's constants, such as {@code torch.bfloat16}, say what they are. */
    private static final Pattern CONSTANT = Pattern.compile("torch\\.\\w+|(\\w+\\.)*[A-Z]\\w*\\.[A-Z][A-Z0-9_]*");

    private final Map<YamlNode, String> unknown = new IdentityHashMap<>();

    /** A value that does not follow from the file, as it is written. */
    Scalar unknown(Position place, String written) {
        Scalar value = new Scalar(place, written, false);
        unknown.put(value, CONSTANT.matcher(written).matches() ? "" : ", which is not followed");
        return value;
    }

    boolean isUnknown(YamlNode value) {
        return unknown.containsKey(value);
    }

    /** What nothing can be read from, as a message names it: the value, or one of a list; null for any other. */
    @Nullable
    String open(YamlNode value) {
        if (value instanceof Sequence list) {
            return list.items().stream()
                    .map(this::open)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
        }
        String why = unknown.getOrDefault(value, "");
        return why.isEmpty() || !(value instanceof Scalar written) ? null : YamlReader.printable(written.text()) + why;
    }
}

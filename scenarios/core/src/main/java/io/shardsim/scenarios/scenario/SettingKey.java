package io.shardsim.scenarios.scenario;

import io.shardsim.scenarios.catalog.SettingTypes;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A dotted key of scenarios, strategy parameters included; read as String. */
public final class SettingKey implements ValueType {
    @Override
    public @Nullable Object read(YamlNode node, String key, Problems problems) {
        Object dotted = SettingTypes.DOTTED.read(node, key, problems);
        if (!(dotted instanceof String text)) {
            return null;
        }
        List<String> known = known();
        if (!known.contains(text)) {
            return problems.refuse(
                    node.position(), "unknown key " + text + "; " + Nearest.remedy(text, known, "write " + expected()));
        }
        return text;
    }

    /** Returns a key with its block: adds the block to a key that only one block has, returns any other key as written. */
    static String whole(String written) {
        List<String> meant =
                written.indexOf('.') >= 0 || ScenarioKeys.FILE.names().contains(written)
                        ? List.of()
                        : known().stream()
                                .filter(known -> known.endsWith("." + written))
                                .distinct()
                                .toList();
        return meant.size() == 1 ? meant.get(0) : written;
    }

    /** Returns all known keys. */
    static List<String> known() {
        List<String> known = new ArrayList<>(ScenarioKeys.dottedKeys());
        for (String kind : Strategies.kinds()) {
            StrategyDescriptor descriptor = Strategies.descriptor(kind);
            if (descriptor != null) {
                descriptor.parameterNames().forEach(name -> known.add("strategy." + name));
            }
        }
        return known;
    }

    @Override
    public String expected() {
        return SettingTypes.DOTTED.expected();
    }

    @Override
    public Map<String, Object> schema() {
        return SettingTypes.DOTTED.schema();
    }
}

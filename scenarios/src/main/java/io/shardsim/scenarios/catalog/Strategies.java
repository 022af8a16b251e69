package io.shardsim.scenarios.catalog;

import io.shardsim.scenarios.catalog.StrategyDescriptor.Parameter;
import io.shardsim.simulator.catalog.Descriptor;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.StrategyCatalog;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The strategies that the simulator has, as scenarios see them. */
public final class Strategies {
    private Strategies() {}

    /** Read when a strategy is first asked for. */
    private static final class Loaded {
        static final StrategyCatalog CATALOG = StrategyCatalog.load();
        static final Map<String, StrategyDescriptor> DESCRIPTORS = describeAll();

        private static Map<String, StrategyDescriptor> describeAll() {
            Map<String, StrategyDescriptor> descriptors = new LinkedHashMap<>();
            for (String kind : CATALOG.kinds()) {
                CATALOG.descriptor(kind).ifPresent(file -> descriptors.put(kind, read(file)));
            }
            return descriptors;
        }
    }

    public static List<String> kinds() {
        return Loaded.CATALOG.kinds();
    }

    /** The strategy of this kind, or null. */
    public static @Nullable StrategyDescriptor descriptor(String kind) {
        return Loaded.DESCRIPTORS.get(kind);
    }

    /** A new planner; what it has against the settings is among its problems. */
    public static ShardingStrategy create(String kind, Map<String, String> given) {
        return Loaded.CATALOG.create(kind, given);
    }

    /** The kinds that have a parameter of this name. */
    public static List<String> kindsWith(String parameter) {
        return Loaded.DESCRIPTORS.values().stream()
                .filter(descriptor -> descriptor.parameter(parameter) != null)
                .map(StrategyDescriptor::kind)
                .toList();
    }

    /** A strategy block to take as an example. */
    public static String example() {
        return "{kind: " + kindsWith(StrategyDescriptor.SHARD_GROUP).get(0) + ", " + StrategyDescriptor.SHARD_GROUP
                + ": 128}";
    }

    private static StrategyDescriptor read(Descriptor file) {
        List<Parameter> parameters = StrategyCatalog.settings(file).stream()
                .map(setting -> new Parameter(setting.name(), setting.written(), setting.meaning(), setting.source()))
                .toList();
        return new StrategyDescriptor(
                file.id(),
                file.text("title"),
                file.block().text("family", file.id()),
                file.text("source"),
                file.text("version"),
                file.text("class"),
                parameters);
    }
}

package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.Lazy;
import io.shardsim.simulator.catalog.Descriptor;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.Software;
import io.shardsim.simulator.strategy.StrategyCatalog;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The strategies that the simulator has, as scenarios see them. */
public final class Strategies {
    private static final Lazy<StrategyCatalog> CATALOG = new Lazy<>(StrategyCatalog::load);
    private static final Lazy<Map<String, StrategyDescriptor>> DESCRIPTORS = new Lazy<>(Strategies::describeAll);

    private static final String COLOURS = "colours";
    private static final List<String> OTHER_COLOURS = List.of("#5a4b73", "#a99cc4");

    private Strategies() {}

    private static Map<String, StrategyDescriptor> describeAll() {
        StrategyCatalog catalog = CATALOG.get();
        Map<String, StrategyDescriptor> descriptors = new LinkedHashMap<>();
        for (String kind : catalog.kinds()) {
            catalog.descriptor(kind).ifPresent(file -> descriptors.put(kind, read(file)));
        }
        return descriptors;
    }

    public static List<String> kinds() {
        return CATALOG.get().kinds();
    }

    /** The strategy of this kind, or null. */
    public static @Nullable StrategyDescriptor descriptor(String kind) {
        return DESCRIPTORS.get().get(kind);
    }

    /** A new planner; what it has against the settings is among its problems. */
    public static ShardingStrategy create(String kind, Map<String, String> given) {
        return CATALOG.get().create(kind, given);
    }

    /** The kinds that have a parameter of this name. */
    public static List<String> kindsWith(String parameter) {
        return DESCRIPTORS.get().values().stream()
                .filter(descriptor -> descriptor.parameter(parameter) != null)
                .map(StrategyDescriptor::kind)
                .toList();
    }

    /** In which software a kind runs. */
    public static Software software(String kind) {
        return CATALOG.get().software(kind);
    }

    /** Names of the software in which some strategy runs. */
    public static List<String> software() {
        return kinds().stream().map(kind -> software(kind).name()).distinct().toList();
    }

    /** The colours of a strategy on light and on dark paper; those of none in particular where its file names none. */
    public static List<String> colours(String kind) {
        List<String> named =
                CATALOG.get().descriptor(kind).map(file -> file.words(COLOURS)).orElse(List.of());
        return named.size() == 2 ? named : OTHER_COLOURS;
    }

    /** A strategy block to take as an example. */
    public static String example() {
        return "{kind: " + kindsWith(StrategyDescriptor.SHARD_GROUP).get(0) + ", " + StrategyDescriptor.SHARD_GROUP
                + ": 128}";
    }

    private static StrategyDescriptor read(Descriptor file) {
        return new StrategyDescriptor(
                file.id(),
                file.text("title"),
                file.block().text("family", file.id()),
                file.text("source"),
                file.text("version"),
                file.text("class"),
                StrategyCatalog.settings(file));
    }
}

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

/** The simulator's strategies, as scenarios see them. */
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

    /** Returns the kinds that plan tries if a file names none. */
    public static List<String> searchedKinds() {
        return CATALOG.get().searchedKinds();
    }

    /** Returns the strategy of this kind, or null. */
    public static @Nullable StrategyDescriptor descriptor(String kind) {
        return DESCRIPTORS.get().get(kind);
    }

    /** Creates a planner, whose problems include its objections to the settings. */
    public static ShardingStrategy create(String kind, Map<String, String> given) {
        return CATALOG.get().create(kind, given);
    }

    /** Returns the kinds that have a parameter of this name. */
    public static List<String> kindsWith(String parameter) {
        return DESCRIPTORS.get().values().stream()
                .filter(descriptor -> descriptor.parameter(parameter) != null)
                .map(StrategyDescriptor::kind)
                .toList();
    }

    /** Returns the software that a kind runs in. */
    public static Software software(String kind) {
        return CATALOG.get().software(kind);
    }

    /** Returns names of all software that the searched kinds run in. */
    public static List<String> software() {
        return searchedKinds().stream()
                .map(kind -> software(kind).name())
                .distinct()
                .toList();
    }

    /** Returns a strategy's colours for light and dark backgrounds; default ones if its file has none. */
    public static List<String> colours(String kind) {
        List<String> named =
                CATALOG.get().descriptor(kind).map(file -> file.words(COLOURS)).orElse(List.of());
        return named.size() == 2 ? named : OTHER_COLOURS;
    }

    /** Returns an example of a strategy block. */
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

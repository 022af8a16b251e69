package io.shardsim.simulator.strategy;

import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.catalog.CatalogException;
import io.shardsim.simulator.catalog.Descriptor;
import io.shardsim.simulator.catalog.DescriptorFolder;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.NamedType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.strategy.settings.Setting;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The strategies on the class path: every file {@code strategies/<kind>.yaml}. Nothing else lists them. */
public final class StrategyCatalog {
    private static final String PARAMETERS = "parameters";
    private static final String SOFTWARE = "software";
    private static final DescriptorFolder FILES = new DescriptorFolder(
            "strategies",
            Key.required("title", Setting.LINE, "one line for readers"),
            Key.optional(SOFTWARE, Software.NAME, "software in which it runs; omitted: code of its own"),
            Key.optional("version", Setting.LINE, "product and version that it is modelled on"),
            Key.optional(
                    "colours",
                    new ListType(ScalarTypes.text("#[0-9a-f]{6}", "a colour such as '#6a2c91'"), "colour"),
                    "its colour on light and on dark paper; none of those of work, gathers and reductions"),
            Key.optional("family", Setting.LINE, "what kinds that shard in the same way have in common"),
            Key.required(PARAMETERS, new NamedType(Setting.TYPE), "what a scenario may set"));

    private final Map<String, Descriptor> byKind = new LinkedHashMap<>();

    private StrategyCatalog(List<Descriptor> descriptors) {
        for (Descriptor descriptor : descriptors) {
            byKind.put(descriptor.id(), descriptor);
        }
    }

    /** Reads all descriptors. */
    public static StrategyCatalog load() {
        return new StrategyCatalog(FILES.all());
    }

    /** Names of the strategies, as scenario files write them after {@code kind}. */
    public List<String> kinds() {
        return List.copyOf(byKind.keySet());
    }

    /** Kinds of which something is so, as their files declare them. */
    List<String> kindsThat(Predicate<ShardingStrategy> is) {
        return kinds().stream().filter(kind -> is.test(create(kind, Map.of()))).toList();
    }

    /** The descriptor of a kind, if there is one. */
    public Optional<Descriptor> descriptor(String kind) {
        return Optional.ofNullable(byKind.get(kind));
    }

    /** What somebody must have to run a kind; code of its own, named like the kind, where its file names none. */
    public Software software(String kind) {
        return Software.named(
                descriptor(kind).map(file -> file.block().text(SOFTWARE, kind)).orElse(kind));
    }

    /** What the file of a kind declares, those that it extends included. */
    public static List<Setting> settings(Descriptor descriptor) {
        return Setting.of(descriptor.block().block(PARAMETERS));
    }

    /**
     * A strategy with the given settings; what is wrong with them is among its {@link ShardingStrategy#problems}.
     *
     * @param given settings as the scenario writes them, without {@code kind}
     */
    public ShardingStrategy create(String kind, Map<String, ?> given) {
        Descriptor descriptor = byKind.get(kind);
        if (descriptor == null) {
            throw new CatalogException("no strategy " + kind + "; " + Nearest.remedy(kind, byKind.keySet()));
        }
        return descriptor.instantiate(ShardingStrategy.class, new StrategyParameters(settings(descriptor), given));
    }
}

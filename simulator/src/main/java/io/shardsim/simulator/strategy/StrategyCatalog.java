package io.shardsim.simulator.strategy;

import io.shardsim.simulator.Descriptor;
import io.shardsim.simulator.DescriptorException;
import io.shardsim.simulator.Descriptors;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import java.lang.reflect.InvocationTargetException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The strategies on the class path: every file {@code strategies/<kind>.yaml}. Nothing else lists them. */
public final class StrategyCatalog {
    private final Map<String, Descriptor> byKind = new LinkedHashMap<>();

    private StrategyCatalog(List<Descriptor> descriptors) {
        for (Descriptor descriptor : descriptors) {
            byKind.put(descriptor.id(), descriptor);
        }
    }

    /** Reads all descriptors. */
    public static StrategyCatalog load() {
        return new StrategyCatalog(Descriptors.load("strategies"));
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

    /**
     * A strategy with the given settings; what is wrong with them is among its {@link ShardingStrategy#problems}.
     *
     * @param given settings as the scenario writes them, without {@code kind}
     */
    public ShardingStrategy create(String kind, Map<String, ?> given) {
        Descriptor descriptor = byKind.get(kind);
        if (descriptor == null) {
            throw new DescriptorException("no strategy " + kind + "; there are " + String.join(", ", byKind.keySet()));
        }
        String className = descriptor.required("class");
        try {
            return Class.forName(className)
                    .asSubclass(ShardingStrategy.class)
                    .getConstructor(StrategyParameters.class)
                    .newInstance(new StrategyParameters(descriptor.values(), given));
        } catch (InvocationTargetException e) {
            throw new DescriptorException(descriptor.location() + ": " + e.getCause(), e);
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new DescriptorException(
                    descriptor.location() + ": class " + className
                            + " is not a public ShardingStrategy with a public constructor that takes StrategyParameters: "
                            + e,
                    e);
        }
    }
}

package io.shardsim.scenarios.question;

import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.simulator.strategy.ShardingStrategy;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A strategy with its parameters.
 *
 * @param descriptor the strategy's file
 * @param given what the scenario sets, in the declared unit: Long for elements, ranks, count, bytes and ps, Double for fraction, Boolean for
 *     flag, String for name
 */
public record StrategySpec(StrategyDescriptor descriptor, Map<String, Object> given) {
    public StrategySpec {
        given = Collections.unmodifiableMap(new LinkedHashMap<>(given));
    }

    /** As scenario files write it, for example {@code mics}. */
    public String kind() {
        return descriptor.kind();
    }

    /** A new planner with these settings. */
    public ShardingStrategy create() {
        return descriptor.create(given);
    }

    /** Every parameter of the strategy with the value in force, in the descriptor's order. */
    public Map<String, Object> parameters() {
        Map<String, Object> values = new LinkedHashMap<>();
        descriptor
                .parameters()
                .forEach(parameter ->
                        values.put(parameter.name(), given.getOrDefault(parameter.name(), parameter.defaultValue())));
        return values;
    }
}

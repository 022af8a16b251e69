package io.shardsim.scenarios.scenario;

import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.simulator.strategy.ShardingStrategy;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A strategy with its parameters.
 *
 * @param descriptor what the strategy can be told
 * @param given what the scenario sets, as written; a capped shard group is written as it is in force
 */
public record StrategySpec(StrategyDescriptor descriptor, Map<String, String> given) {
    public StrategySpec {
        given = Collections.unmodifiableMap(new LinkedHashMap<>(given));
    }

    /** As scenario files write it, for example {@code mics}. */
    public String kind() {
        return descriptor.kind();
    }

    /** A new planner with these settings. */
    public ShardingStrategy create() {
        return Strategies.create(kind(), given);
    }

    /** Every parameter of the strategy with the value in force, as written, in the descriptor's order. */
    public Map<String, String> parameters() {
        Map<String, String> values = new LinkedHashMap<>();
        descriptor
                .parameters()
                .forEach(parameter ->
                        values.put(parameter.name(), given.getOrDefault(parameter.name(), parameter.written())));
        return values;
    }
}

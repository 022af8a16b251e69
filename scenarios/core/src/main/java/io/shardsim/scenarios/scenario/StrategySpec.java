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
 * @param descriptor the strategy's parameters
 * @param given parameters set by the scenario, as written; a capped shard group with its capped value
 */
public record StrategySpec(StrategyDescriptor descriptor, Map<String, String> given) {
    public StrategySpec {
        given = Collections.unmodifiableMap(new LinkedHashMap<>(given));
    }

    /** Returns its kind as in scenario files, for example {@code mics}. */
    public String kind() {
        return descriptor.kind();
    }

    /** Creates a planner with these settings. */
    public ShardingStrategy create() {
        return Strategies.create(kind(), given);
    }

    /** Returns every parameter of the strategy with its value in force, as written, in the descriptor's order. */
    public Map<String, String> parameters() {
        Map<String, String> values = new LinkedHashMap<>();
        descriptor
                .parameters()
                .forEach(parameter ->
                        values.put(parameter.name(), given.getOrDefault(parameter.name(), parameter.written())));
        return values;
    }
}

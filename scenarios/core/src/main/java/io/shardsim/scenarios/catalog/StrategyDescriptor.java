package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.strategy.settings.Setting;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A strategy's parameters and description; {@link io.shardsim.simulator.strategy.settings.StrategyParameters} documents its file.
 *
 * @param kind file name, by which scenarios refer to the strategy
 * @param title a one-line description
 * @param family group of kinds that shard alike, in code of one origin; the kind itself if there is no other
 * @param source where the strategy is described
 * @param version product and version that it models, for example {@code DeepSpeed 0.7.2}; empty if the file names none
 * @param implementation class of the planner; kinds that share it differ in their settings
 */
public record StrategyDescriptor(
        String kind,
        String title,
        String family,
        String source,
        String version,
        String implementation,
        List<Setting> parameters) {
    /** The parameter that must divide the world size. */
    public static final String SHARD_GROUP = "shard_group";
    /** The parameter of strategies that come with a collective library. */
    public static final String COLLECTIVE_LIBRARY = "collective_library";

    /** The tensor-parallel size. */
    public static final String TENSOR = "tensor_parallel";
    /** Parameters that need tensor parallelism: they split or overlap something within it. */
    public static final List<String> WITHIN_TENSOR = List.of("sequence_parallel", "overlap_tensor_exchange");

    /** The algorithm of reductions. */
    public static final String REDUCE_ALGORITHM = "reduce_algorithm";
    /** Parameters that name algorithms. */
    public static final Set<String> ALGORITHMS = Set.of("gather_algorithm", "hierarchical_algorithm", REDUCE_ALGORITHM);

    public StrategyDescriptor {
        parameters = List.copyOf(parameters);
    }

    /** Returns whether this is a later version of another strategy from one product. */
    public boolean isLaterThan(StrategyDescriptor other) {
        int end = version.lastIndexOf(' ') + 1;
        return end > 0
                && implementation.equals(other.implementation)
                && other.version.lastIndexOf(' ') + 1 == end
                && other.version.startsWith(version.substring(0, end))
                && compare(version.substring(end), other.version.substring(end)) > 0;
    }

    /** Compares versions number by number: 0.11 is later than 0.7.2. */
    private static int compare(String one, String other) {
        return Arrays.compare(numbers(one), numbers(other));
    }

    private static int[] numbers(String numbered) {
        return Arrays.stream(numbered.split("\\D+"))
                .filter(number -> !number.isEmpty())
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    public @Nullable Setting parameter(String name) {
        return parameters.stream()
                .filter(parameter -> parameter.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    public List<String> parameterNames() {
        return parameters.stream().map(Setting::name).toList();
    }
}

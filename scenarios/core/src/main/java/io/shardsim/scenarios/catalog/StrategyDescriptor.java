package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.strategy.settings.Setting;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a scenario may say about a strategy; {@link io.shardsim.simulator.strategy.settings.StrategyParameters} describes the file that it is read from.
 *
 * @param kind name of the file, by which scenarios name the strategy
 * @param title one line for people
 * @param family what kinds that shard in the same way, in code of the same origin, have in common; the kind itself where no other is like it
 * @param source where the strategy is described
 * @param version product and version that it is modelled on, for example {@code DeepSpeed 0.7.2}; empty where the file names none
 * @param implementation the class that does the work; kinds that share it differ in their settings
 */
public record StrategyDescriptor(
        String kind,
        String title,
        String family,
        String source,
        String version,
        String implementation,
        List<Setting> parameters) {
    /** The parameter that may not exceed the world size, and divides it. */
    public static final String SHARD_GROUP = "shard_group";
    /** The parameter of strategies that come with a collective library. */
    public static final String COLLECTIVE_LIBRARY = "collective_library";

    /** The parameter that splits layers. */
    public static final String TENSOR = "tensor_parallel";
    /** Switches that split or overlap something within it, and mean nothing without. */
    public static final List<String> WITHIN_TENSOR = List.of("sequence_parallel", "overlap_tensor_exchange");

    /** The parameter that names the algorithm of reductions. */
    public static final String REDUCE_ALGORITHM = "reduce_algorithm";
    /** Parameters that name algorithms. */
    public static final Set<String> ALGORITHMS = Set.of("gather_algorithm", "hierarchical_algorithm", REDUCE_ALGORITHM);

    public StrategyDescriptor {
        parameters = List.copyOf(parameters);
    }

    /** Whether this is the same strategy as a later version of the same product has it. */
    public boolean isLaterThan(StrategyDescriptor other) {
        int end = version.lastIndexOf(' ') + 1;
        return end > 0
                && implementation.equals(other.implementation)
                && other.version.lastIndexOf(' ') + 1 == end
                && other.version.startsWith(version.substring(0, end))
                && compare(version.substring(end), other.version.substring(end)) > 0;
    }

    /** Number by number, as versions are counted: 0.11 is later than 0.7.2. */
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

package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.strategy.settings.ParameterForm;
import io.shardsim.topology.units.UnitTable;
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
        List<Parameter> parameters) {
    /** The parameter that may not exceed the world size, and divides it. */
    public static final String SHARD_GROUP = "shard_group";
    /** The parameter of strategies that come with a collective library. */
    public static final String COLLECTIVE_LIBRARY = "collective_library";

    /** The parameter that names the algorithm of reductions. */
    public static final String REDUCE_ALGORITHM = "reduce_algorithm";
    /** Parameters that name algorithms. */
    public static final Set<String> ALGORITHMS = Set.of("gather_algorithm", "hierarchical_algorithm", REDUCE_ALGORITHM);

    /** More parameters than any model has, and few enough that their bytes never overflow. */
    private static final long ELEMENTS_MAX = 1L << 50;

    /** More ranks, layers or stages than any scenario has. */
    private static final long COUNT_MAX = 1L << 20;

    public StrategyDescriptor {
        parameters = List.copyOf(parameters);
    }

    /**
     * One parameter.
     *
     * @param defaultText as the file writes it; its form says what a scenario may write
     * @param meaning one sentence
     * @param source where the default comes from
     */
    public record Parameter(String name, String defaultText, String meaning, String source) {
        /** What a scenario may write. */
        public ValueType type() {
            ParameterForm form = ParameterForm.of(defaultText);
            return switch (form) {
                case ELEMENTS -> ScalarTypes.counted(0, ELEMENTS_MAX, form.word());
                case RANKS, LAYERS, STAGES -> ScalarTypes.counted(0, COUNT_MAX, form.word());
                case PERCENT -> ScalarTypes.text("\\d{1,9}(\\.\\d{1,9})?\\s*%", "a percentage such as 15 %");
                case SIZE -> ScalarTypes.quantity(UnitTable.DATA_SIZE, 0);
                case TIME -> ScalarTypes.time(0);
                case RATE -> ScalarTypes.rate();
                case FLAG -> ScalarTypes.flag();
                case NAME -> ScalarTypes.text("[A-Za-z0-9][A-Za-z0-9._-]*", "a name such as " + defaultText);
            };
        }
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

    public @Nullable Parameter parameter(String name) {
        for (Parameter parameter : parameters) {
            if (parameter.name().equals(name)) {
                return parameter;
            }
        }
        return null;
    }

    public List<String> parameterNames() {
        return parameters.stream().map(Parameter::name).toList();
    }
}

package io.shardsim.scenarios.catalog;

import io.shardsim.scenarios.language.ScalarTypes;
import io.shardsim.scenarios.language.ValueType;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.StrategyParameters;
import io.shardsim.simulator.strategy.StrategyParameters.Declaration;
import io.shardsim.topology.units.UnitTable;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The file of a strategy: which class plans it and which parameters a scenario may set.
 *
 * @param kind name of the file, by which scenarios name the strategy
 * @param title one line for people
 * @param className class that plans it
 */
public record StrategyDescriptor(String kind, String title, String className, List<Declaration> parameters) {
    /** The parameter that may not exceed the world size, and divides it. */
    public static final String SHARD_GROUP = "shard_group";

    static final List<String> UNITS = List.of("elements", "ranks", "count", "bytes", "ps", "fraction", "flag", "name");

    public StrategyDescriptor {
        parameters = List.copyOf(parameters);
    }

    /** What a scenario may write for a value in this unit; read as Long, Double, Boolean or String. */
    public static ValueType type(String unit) {
        return switch (unit) {
            case "elements" -> ScalarTypes.whole(0, Long.MAX_VALUE);
            case "ranks", "count" -> ScalarTypes.whole(0, Integer.MAX_VALUE);
            case "bytes" -> ScalarTypes.quantity(UnitTable.DATA_SIZE, 0);
            case "ps" -> ScalarTypes.quantity(UnitTable.TIME, 0);
            case "fraction" -> ScalarTypes.decimal(0, Double.MAX_VALUE);
            case "flag" -> ScalarTypes.flag();
            case "name" -> ScalarTypes.text("[A-Za-z0-9][A-Za-z0-9._-]*", "a name");
            default -> throw new IllegalArgumentException("unit " + unit + " is none of " + UNITS);
        };
    }

    public @Nullable Declaration parameter(String name) {
        for (Declaration parameter : parameters) {
            if (parameter.name().equals(name)) {
                return parameter;
            }
        }
        return null;
    }

    public List<String> parameterNames() {
        return parameters.stream().map(Declaration::name).toList();
    }

    /** A new planner with these settings. */
    public ShardingStrategy create(Map<String, Object> given) {
        try {
            return Class.forName(className)
                    .asSubclass(ShardingStrategy.class)
                    .getConstructor(StrategyParameters.class)
                    .newInstance(new StrategyParameters(parameters, given));
        } catch (InvocationTargetException failure) {
            throw new IllegalStateException("strategy " + kind + ": " + failure.getCause(), failure.getCause());
        } catch (ReflectiveOperationException | ClassCastException defect) {
            throw new IllegalStateException(
                    "strategy " + kind + ": " + className
                            + " is no ShardingStrategy with a public constructor that takes StrategyParameters",
                    defect);
        }
    }
}

package io.shardsim.scenarios.scenario;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.writing.ResultField;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.topology.units.QuantityException;
import io.shardsim.topology.units.UnitTable;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Assertion of a scenario on a run: a bound on a field of {@code results.json}, or that it fits.
 *
 * @param text the assertion as written in the scenario
 * @param figure field name, {@link #DAYS} or {@link #USD}, or {@link #FITS}, which has no bound
 * @param bound in the figure's unit
 */
public record Assertion(String text, String figure, Relation relation, double bound) {
    public static final String FITS = "fits";
    /** Days to train on 500 billion tokens, or on {@code --tokens}, as in the table of {@code run}. */
    public static final String DAYS = "days";

    public static final String USD = "usd";

    private static final String EXAMPLE = "samples_per_second >= 70";
    private static final Pattern RELATION = Pattern.compile("([a-z][a-z0-9_.]*) *(<=|>=|==|<|>) *(.+)");
    private static final Pattern NUMBER =
            Pattern.compile("(\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d{1,2})?) *([kMBT%]?) *(?:USD)?");
    private static final Pattern UNIT = Pattern.compile("(?<=\\d )([kKMGT]?i?B(/s)?|[mun]?s|min|h|%)$");
    /** The type of an assertion in a scenario file. */
    static final ValueType TYPE = new Type();

    /** The comparison of a figure with its bound. */
    public enum Relation {
        AT_MOST("<="),
        AT_LEAST(">="),
        EQUAL("=="),
        BELOW("<"),
        ABOVE(">");

        private final String sign;

        Relation(String sign) {
            this.sign = sign;
        }

        private static Relation of(String sign) {
            for (Relation relation : values()) {
                if (relation.sign.equals(sign)) {
                    return relation;
                }
            }
            throw new IllegalArgumentException(sign);
        }

        /** Returns whether a value satisfies this relation to a bound. */
        public boolean holds(double value, double bound) {
            return switch (this) {
                case AT_MOST -> value <= bound;
                case AT_LEAST -> value >= bound;
                case EQUAL -> value == bound;
                case BELOW -> value < bound;
                case ABOVE -> value > bound;
            };
        }
    }

    private record Type() implements ValueType.Like {
        @Override
        public ValueType type() {
            return ScalarTypes.text(FITS + "|" + RELATION, FITS + ", or a figure and its bound such as " + EXAMPLE);
        }

        @Override
        public @Nullable Object read(YamlNode node, String key, Problems problems) {
            Object text = type().read(node, key, problems);
            try {
                return text == null ? null : parse((String) text);
            } catch (QuantityException refused) {
                return problems.refuse(node.position(), key + " " + text + ": " + refused.getMessage());
            }
        }
    }

    /** Formats a value of the figure in the unit of the bound as written. */
    public String shown(double value) {
        Matcher written = UNIT.matcher(text);
        return written.find()
                ? Quantities.number(value / bound(unit(figure), "1 " + written.group()), 6) + " " + written.group()
                : Quantities.number(value, 6);
    }

    private static Assertion parse(String text) {
        Matcher parts = RELATION.matcher(text);
        if (!parts.matches()) {
            return new Assertion(text, FITS, Relation.EQUAL, 1);
        }
        String figure = parts.group(1);
        return new Assertion(text, figure, Relation.of(parts.group(2)), bound(unit(figure), parts.group(3)));
    }

    private static String unit(String figure) {
        ResultField field = ResultField.of(figure);
        if (field == null && !figure.equals(DAYS) && !figure.equals(USD)) {
            List<String> names = new ArrayList<>(ResultField.names());
            names.addAll(List.of(DAYS, USD, FITS));
            throw new QuantityException("results.json has no figure " + figure + "; "
                    + Nearest.remedy(figure, names, "write for example " + EXAMPLE));
        }
        return field == null ? figure : field.unit();
    }

    /** Parses a bound with the unit of its figure, or without one where that is allowed. */
    private static double bound(String unit, String written) {
        Matcher number = NUMBER.matcher(written);
        boolean plain = number.matches() && number.group(2).isEmpty();
        if (!plain && unit.startsWith("bytes")) {
            return (unit.equals("bytes") ? UnitTable.DATA_SIZE : UnitTable.RATE)
                    .parse(written)
                    .doubleValue();
        }
        if (!plain && (unit + ",").startsWith("s,")) {
            return UnitTable.TIME.parse(written).doubleValue() * 1e-12;
        }
        if (!number.matches()) {
            throw new QuantityException("bound " + written + " is not a number; write for example " + EXAMPLE);
        }
        double factor = switch (number.group(2)) {
            case "k" -> 1e3;
            case "M" -> 1e6;
            case "B" -> 1e9;
            case "T" -> 1e12;
            case "%" -> 0.01;
            default -> 1;
        };
        return Double.parseDouble(number.group(1)) * factor;
    }
}

package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.importing.PythonTokens.Kind;
import io.shardsim.scenarios.importing.PythonTokens.Token;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import io.shardsim.simulator.yaml.YamlReader;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Evaluates a Python expression from literals and known names. Unknown parts of a list, dict or call become strings, as written. */
final class PythonExpression {
    /** Argument name for the model that a call loads or trains. */
    static final String MODEL = "pretrained_model_name_or_path";

    private static final int VALUES_MAX = YamlReader.VALUES_MAX;

    private final List<Token> tokens;
    private final Function<String, @Nullable YamlNode> names;
    private final Origins origins;
    private final PythonArguments arguments;
    /** Arguments whose defaults determine the value. */
    private final List<String> defaults = new ArrayList<>();

    private List<Map.Entry<String, Mapping>> calls = new ArrayList<>();
    private int at;
    private int end;
    private int depth;
    private int values;
    /** How the script changes an argument that determines the value; empty if it does not. */
    private String change = "";

    /** The value is not determined. */
    static final class Unreadable extends Exception {
        private static final long serialVersionUID = 1L;

        Unreadable() {
            super(null, null, false, false);
        }
    }

    PythonExpression(
            List<Token> tokens,
            Origins origins,
            PythonArguments arguments,
            Function<String, @Nullable YamlNode> names) {
        this.tokens = tokens;
        this.origins = origins;
        this.arguments = arguments;
        this.names = names;
    }

    /** Sets the list that receives calls with named arguments. */
    void calls(List<Map.Entry<String, Mapping>> noted) {
        calls = noted;
    }

    static Scalar text(String text) {
        return new Scalar(Position.START, text, false);
    }

    /** Evaluates a range of tokens; throws unless it is one whole expression. */
    YamlNode read(int from, int to) throws Unreadable {
        at = from;
        end = to;
        defaults.clear();
        YamlNode value = choice();
        if (at < end && peek().is(",")) {
            List<YamlNode> items = new ArrayList<>(List.of(value));
            while (take(",") && at < end) {
                items.add(choice());
            }
            value = new Sequence(tokens.get(from).at(), items);
        }
        if (at < end || origins.isUnknown(value)) {
            throw new Unreadable();
        }
        return marked(value, 0);
    }

    /** Arguments whose defaults determined the last value. */
    List<String> defaults() {
        return defaults;
    }

    private YamlNode marked(YamlNode value, int before) {
        if (defaults.size() > before) {
            origins.assume(value, String.join(", ", defaults.subList(before, defaults.size())));
        }
        return value;
    }

    private YamlNode noted(YamlNode value) {
        change = origins.change(value).isEmpty() ? change : origins.change(value);
        String flags = origins.assumed(value);
        if (flags != null && !defaults.contains(flags)) {
            defaults.add(flags);
        }
        return value;
    }

    /** Truth value, as in a Python condition. */
    boolean isTrue(YamlNode value) throws Unreadable {
        if (origins.isUnknown(value)) {
            throw new Unreadable();
        }
        if (value instanceof Scalar scalar) {
            return scalar.isFlag()
                    ? scalar.text().equals("true")
                    : scalar.isNumber()
                            ? number(scalar).signum() != 0
                            : !scalar.isNull() && !scalar.text().isEmpty();
        }
        return value instanceof Mapping block
                ? !block.entries().isEmpty()
                : !((Sequence) value).items().isEmpty();
    }

    private Token peek() {
        return tokens.get(Math.min(at, end));
    }

    private boolean take(String word) {
        boolean there = at < end && peek().is(word);
        at += there ? 1 : 0;
        return there;
    }

    private void demand(String sign) throws Unreadable {
        if (!take(sign)) {
            throw new Unreadable();
        }
    }

    private YamlNode choice() throws Unreadable {
        if (++values > VALUES_MAX || ++depth > 2 * YamlReader.DEPTH_MAX) {
            depth = 0;
            throw new Unreadable();
        }
        YamlNode value = either();
        if (take("if")) {
            boolean holds = isTrue(either());
            demand("else");
            YamlNode otherwise = choice();
            value = holds ? value : otherwise;
        }
        depth--;
        return value;
    }

    private YamlNode either() throws Unreadable {
        YamlNode value = both();
        while (take("or")) {
            YamlNode other = both();
            value = isTrue(value) ? value : other;
        }
        return value;
    }

    private YamlNode both() throws Unreadable {
        YamlNode value = opposite();
        while (take("and")) {
            YamlNode other = opposite();
            value = isTrue(value) ? other : value;
        }
        return value;
    }

    private YamlNode opposite() throws Unreadable {
        int negations = 0;
        while (take("not")) {
            negations++;
        }
        YamlNode value = comparison();
        return negations == 0 ? value : flag(isTrue(value) == (negations % 2 == 0), value.position());
    }

    private static Scalar flag(boolean value, Position place) {
        return new Scalar(place, String.valueOf(value), true);
    }

    private YamlNode comparison() throws Unreadable {
        YamlNode left = sum();
        for (String sign : List.of("==", "!=", "<=", ">=", "<", ">", "in", "is")) {
            if (take(sign)) {
                boolean not = sign.equals("is") && take("not");
                YamlNode right = sum();
                if (origins.isUnknown(left) || origins.isUnknown(right)) {
                    throw new Unreadable();
                }
                return flag(holds(left, sign, right) != not, left.position());
            }
        }
        return left;
    }

    private static boolean holds(YamlNode left, String sign, YamlNode right) throws Unreadable {
        if (sign.equals("in")) {
            if (right instanceof Sequence list) {
                for (YamlNode item : list.items()) {
                    if (same(left, item)) {
                        return true;
                    }
                }
                return false;
            }
            return right instanceof Mapping block && left instanceof Scalar key && block.entry(key.text()) != null;
        }
        if (sign.equals("==") || sign.equals("is")) {
            return same(left, right);
        }
        if (sign.equals("!=")) {
            return !same(left, right);
        }
        int order = number(left).compareTo(number(right));
        return switch (sign) {
            case "<" -> order < 0;
            case ">" -> order > 0;
            case "<=" -> order <= 0;
            default -> order >= 0;
        };
    }

    private static boolean same(YamlNode left, YamlNode right) throws Unreadable {
        return left instanceof Scalar one
                && right instanceof Scalar other
                && (one.text().equals(other.text())
                        || one.isNumber() && other.isNumber() && number(one).compareTo(number(other)) == 0);
    }

    private YamlNode sum() throws Unreadable {
        YamlNode value = product();
        while (at < end && (peek().is("+") || peek().is("-"))) {
            boolean plus = take("+") || !take("-");
            YamlNode other = product();
            if (plus && value instanceof Scalar one && other instanceof Scalar more && !one.isNumber()) {
                known(value, other);
                value = new Scalar(one.position(), one.text() + more.text(), false);
            } else {
                value = number(
                        known(value, other), number(value).add(number(other).multiply(sign(plus))));
            }
        }
        return value;
    }

    private static BigDecimal sign(boolean plus) {
        return plus ? BigDecimal.ONE : BigDecimal.ONE.negate();
    }

    private YamlNode product() throws Unreadable {
        YamlNode value = sign();
        while (at < end && List.of("*", "/", "//", "%").contains(peek().text()) && peek().kind() == Kind.SIGN) {
            String sign = tokens.get(at++).text();
            YamlNode other = sign();
            known(value, other);
            BigDecimal left = number(value);
            BigDecimal right = number(other);
            if (!sign.equals("*") && right.signum() == 0) {
                throw new Unreadable();
            }
            value = number(
                    value,
                    switch (sign) {
                        case "*" -> left.multiply(right);
                        case "/" -> left.divide(right, MathContext.DECIMAL64);
                        case "//" -> left.divideToIntegralValue(right, MathContext.DECIMAL64);
                        default -> left.remainder(right, MathContext.DECIMAL64);
                    });
        }
        return value;
    }

    private YamlNode known(YamlNode left, YamlNode right) throws Unreadable {
        if (origins.isUnknown(left) || origins.isUnknown(right)) {
            throw new Unreadable();
        }
        return left;
    }

    private static Scalar number(YamlNode place, BigDecimal value) throws Unreadable {
        if (value.precision() > 40 || Math.abs((long) value.scale()) > 40) {
            throw new Unreadable();
        }
        return new Scalar(place.position(), value.toPlainString(), true);
    }

    private static BigDecimal number(YamlNode value) throws Unreadable {
        if (value instanceof Scalar scalar && scalar.isNumber()) {
            try {
                BigDecimal number = new BigDecimal(scalar.text());
                if (Math.abs((long) number.scale()) <= 40) {
                    return number;
                }
            } catch (NumberFormatException beyond) {
                throw new Unreadable();
            }
        }
        throw new Unreadable();
    }

    private YamlNode sign() throws Unreadable {
        boolean minus = false;
        while (at < end && (peek().is("-") || peek().is("+"))) {
            minus ^= tokens.get(at++).text().equals("-");
        }
        YamlNode value = part();
        return minus ? number(known(value, value), number(value).negate()) : value;
    }

    /** A value with subscripts. */
    private YamlNode part() throws Unreadable {
        YamlNode value = atom();
        while (at < end && peek().is("[")) {
            at++;
            YamlNode key = choice();
            demand("]");
            YamlNode inside =
                    value instanceof Mapping block && key instanceof Scalar name && block.entry(name.text()) != null
                            ? Objects.requireNonNull(block.entry(name.text())).value()
                            : null;
            if (value instanceof Sequence list) {
                int index = number(key).intValue();
                index += index < 0 ? list.items().size() : 0;
                inside =
                        index >= 0 && index < list.items().size() ? list.items().get(index) : null;
            }
            if (inside == null) {
                throw new Unreadable();
            }
            value = noted(inside);
        }
        if (at < end && peek().is(".")) {
            throw new Unreadable();
        }
        return value;
    }

    private YamlNode atom() throws Unreadable {
        if (at >= end) {
            throw new Unreadable();
        }
        Token token = tokens.get(at++);
        return switch (token.kind()) {
            case TEXT -> texts(token);
            case NUMBER -> new Scalar(token.at(), token.text(), true);
            case NAME -> named(token);
            default ->
                switch (token.text()) {
                    case "(" -> items(token, ")");
                    case "[" -> items(token, "]");
                    case "{" -> dict(token);
                    default -> throw new Unreadable();
                };
        };
    }

    private Scalar texts(Token first) {
        StringBuilder all = new StringBuilder(first.text());
        while (at < end && peek().kind() == Kind.TEXT) {
            all.append(tokens.get(at++).text());
        }
        return new Scalar(first.at(), all.toString(), false);
    }

    private YamlNode items(Token open, String close) throws Unreadable {
        List<YamlNode> items = new ArrayList<>();
        boolean commas = false;
        while (!take(close)) {
            items.add(item());
            commas |= peek().is(",");
            separator(close);
        }
        return close.equals(")") && !commas && items.size() == 1 ? items.get(0) : new Sequence(open.at(), items);
    }

    private void separator(String close) throws Unreadable {
        if (!take(",") && !(at < end && peek().is(close))) {
            throw new Unreadable();
        }
    }

    /** An item of a list or call; an undetermined one is taken as written, up to the next comma. */
    private YamlNode item() throws Unreadable {
        int start = at;
        int before = depth;
        int consulted = defaults.size();
        change = "";
        try {
            YamlNode value = choice();
            if (at < end
                    && (peek().is(",") || peek().nesting() < 0)
                    && origins.change(value).isEmpty()) {
                return marked(value, consulted);
            }
        } catch (Unreadable skipped) {
            // The item is read as text below.
        }
        depth = before;
        at = start;
        StringBuilder written = new StringBuilder();
        int open = 0;
        while (at < end) {
            if (open == 0 && (peek().is(",") || peek().nesting() < 0)) {
                break;
            }
            open += peek().nesting();
            Token next = tokens.get(at++);
            boolean words = next.kind() != Kind.SIGN
                    && at - 1 > start
                    && tokens.get(at - 2).kind() != Kind.SIGN;
            written.append(words ? " " : "").append(next.kind() == Kind.TEXT ? '"' + next.text() + '"' : next.text());
        }
        if (at == start || at >= end) {
            throw new Unreadable();
        }
        return origins.unknown(tokens.get(start).at(), written.toString(), change);
    }

    private Mapping dict(Token open) throws Unreadable {
        List<Entry> entries = new ArrayList<>();
        while (!take("}")) {
            Position place = peek().at();
            if (take("**")) {
                merge(entries, place, item());
            } else {
                YamlNode key = choice();
                demand(":");
                put(entries, key instanceof Scalar name ? name.text() : "", place, item());
            }
            separator("}");
        }
        return new Mapping(open.at(), entries);
    }

    private static void merge(List<Entry> entries, Position place, YamlNode more) {
        if (more instanceof Mapping block) {
            block.entries().forEach(entry -> put(entries, entry.key(), entry.keyPosition(), entry.value()));
        } else if (more instanceof Scalar scalar && !scalar.isNull()) {
            put(entries, "**" + scalar.text(), place, more);
        }
    }

    private static void put(List<Entry> entries, String key, Position place, YamlNode value) {
        entries.removeIf(entry -> entry.key().equals(key));
        entries.add(new Entry(key, place, value));
    }

    private YamlNode named(Token first) throws Unreadable {
        switch (first.text()) {
            case "True", "False":
                return flag(first.text().equals("True"), first.at());
            case "None":
                return new Scalar(first.at(), "null", true);
            case "lambda", "for", "if", "else", "in", "yield":
                throw new Unreadable();
            default:
                break;
        }
        StringBuilder name = new StringBuilder(first.text());
        while (at + 1 < end && peek().is(".") && tokens.get(at + 1).kind() == Kind.NAME) {
            name.append('.').append(tokens.get(at + 1).text());
            at += 2;
        }
        if (take("(")) {
            return call(first, name.toString());
        }
        int dot = name.lastIndexOf(".");
        YamlNode known = names.apply(name.toString());
        if (known == null && dot > 0) {
            known = origins.attribute(names.apply(name.substring(0, dot)), name.substring(dot + 1));
        }
        return known != null ? noted(known) : origins.unknown(first.at(), name.toString());
    }

    /** The named arguments as a mapping; a single positional argument of {@code int} and similar functions as itself. */
    private YamlNode call(Token first, String function) throws Unreadable {
        List<Entry> entries = new ArrayList<>();
        List<YamlNode> unnamed = new ArrayList<>();
        while (!take(")")) {
            Position place = peek().at();
            boolean named = peek().kind() == Kind.NAME
                    && at + 1 < end
                    && tokens.get(at + 1).is("=");
            if (take("**")) {
                merge(entries, place, item());
            } else if (named) {
                String name = tokens.get(at).text();
                at += 2;
                put(entries, name, place, item());
            } else {
                take("*");
                unnamed.add(item());
            }
            separator(")");
        }
        YamlNode only = unnamed.isEmpty() ? null : unnamed.get(0);
        String last = function.substring(function.lastIndexOf('.') + 1);
        if (last.equals("add_argument")) {
            arguments.declare(first.at(), unnamed, new Mapping(first.at(), entries));
        }
        if (last.equals("set_defaults") && unnamed.isEmpty()) {
            arguments.preset(first.at(), entries);
        }
        if (only != null && (last.equals("from_pretrained") || last.endsWith("Trainer"))) {
            put(entries, MODEL, first.at(), only);
        }
        if (!entries.isEmpty()) {
            Mapping block = new Mapping(first.at(), entries);
            if (last.equals("Namespace")) {
                return arguments.parsed(first.at(), entries);
            }
            if (!last.equals("dict")) {
                calls.add(Map.entry(function, block));
            }
            return block;
        }
        Scalar result = origins.unknown(first.at(), function + "()");
        boolean parses = function.matches(".*\\.parse_(known_)?args");
        boolean none = parses && only instanceof Sequence list && list.items().isEmpty();
        if (only == null || none) {
            YamlNode known = parses ? arguments.parsed(first.at()) : names.apply(function + "()");
            return known == null
                    ? result
                    : last.equals("parse_known_args") ? new Sequence(first.at(), List.of(known, result)) : known;
        }
        boolean same =
                List.of("int", "float", "str", "bool", "vars", "update", "dict").contains(last);
        return same ? only : result;
    }
}

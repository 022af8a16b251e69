package io.shardsim.scenarios.importing;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Integer arithmetic of {@code $((...))}: sums, differences, products, quotients, remainders and parentheses. Other expressions have no value. */
final class ShellArithmetic {
    private static final int DEPTH_MAX = 32;

    private final String text;
    private final Function<String, @Nullable String> variables;
    private int at;
    private int depth;

    private ShellArithmetic(String text, Function<String, @Nullable String> variables) {
        this.text = text.replaceAll("\\s|\\$\\{|[$}\"]", "");
        this.variables = variables;
    }

    /** The value as a string; null if there is none. */
    static @Nullable String value(String expression, Function<String, @Nullable String> variables) {
        try {
            ShellArithmetic reader = new ShellArithmetic(expression, variables);
            long value = reader.sum();
            return reader.at == reader.text.length() ? String.valueOf(value) : null;
        } catch (ArithmeticException | NumberFormatException none) {
            return null;
        }
    }

    private char peek() {
        return at < text.length() ? text.charAt(at) : ';';
    }

    private long sum() {
        long value = product();
        while (peek() == '+' || peek() == '-') {
            boolean plus = text.charAt(at++) == '+';
            long next = product();
            value = plus ? Math.addExact(value, next) : Math.subtractExact(value, next);
        }
        return value;
    }

    private long product() {
        long value = atom();
        while (peek() == '*' || peek() == '/' || peek() == '%') {
            char operator = text.charAt(at++);
            long next = atom();
            value = switch (operator) {
                case '*' -> Math.multiplyExact(value, next);
                case '/' -> value / next;
                default -> value % next;
            };
        }
        return value;
    }

    private long atom() {
        if (peek() == '(') {
            if (++depth > DEPTH_MAX) {
                throw new ArithmeticException("too deep");
            }
            at++;
            long value = sum();
            if (peek() != ')') {
                throw new ArithmeticException("no closing bracket");
            }
            at++;
            depth--;
            return value;
        }
        int start = at;
        while (Character.isLetterOrDigit(peek()) || peek() == '_') {
            at++;
        }
        String name = text.substring(start, at);
        String known = name.matches("\\d+") ? name : variables.apply(name);
        return Long.parseLong(known == null ? "unknown" : known.strip());
    }
}

package io.shardsim.scenarios.importing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which branches of a script's conditions run, from values compared by {@code [ a = b ]} and similar tests. A script argument that is
 * compared with an empty string counts as not given. {@code case} and most loops are not decided.
 */
final class ShellTests {
    /** An open condition or loop. */
    private static final class Open {
        /** Whether the current commands run; null if unknown. */
        @Nullable
        Boolean runs = true;
        /** Whether a branch has run. */
        boolean done;
        /** Whether a branch may have run. */
        boolean undecided;
    }

    private final Deque<Open> open = new ArrayDeque<>();
    /** Number of commands in the current condition; -1 outside a condition. */
    private int compared = -1;
    /** Result of the last of them. */
    private @Nullable Boolean result;

    /** Whether it is unknown if the current commands run. */
    boolean isOpen() {
        return open.stream().anyMatch(each -> each.undecided);
    }

    /** Whether the current commands do not run. */
    boolean skips() {
        return open.stream().anyMatch(each -> Boolean.FALSE.equals(each.runs));
    }

    /** Whether a condition is being read. */
    boolean inCondition() {
        return compared >= 0;
    }

    void keyword(String word) {
        switch (word) {
            case "if" -> {
                open.push(new Open());
                compared = 0;
            }
            case "elif" -> compared = 0;
            case "case", "for", "while", "until", "select" -> {
                open.push(new Open());
                branch(null);
            }
            case "fi", "esac", "done" -> open.poll();
            case "then" -> {
                branch(compared == 1 ? result : null);
                compared = -1;
            }
            case "else" -> branch(true);
            default -> compared += inCondition() && word.equals("!") ? 1 : 0;
        }
    }

    /** Marks the loop that has just begun as running. */
    void runs() {
        open.pop();
        open.push(new Open());
    }

    private void branch(@Nullable Boolean holds) {
        Open of = open.peek();
        if (of != null) {
            of.runs = of.done ? Boolean.FALSE : of.undecided && Boolean.TRUE.equals(holds) ? null : holds;
            of.done |= Boolean.TRUE.equals(of.runs);
            of.undecided |= of.runs == null;
        }
    }

    /** Adds a command of the condition; no words if a value in it is uncertain. */
    void compare(List<String> words) {
        compared++;
        boolean test = words.size() > 3 && words.get(0).matches("\\[\\[?");
        result = test ? test(words.subList(1, words.size() - 1)) : null;
    }

    private static @Nullable Boolean test(List<String> words) {
        String operator = words.get(words.size() == 2 ? 0 : 1);
        String left = words.size() == 3 ? words.get(0) : "";
        String right = words.get(words.size() - 1);
        if (words.size() > 3 || !isKnown(left, right) || !isKnown(right, left)) {
            return null;
        }
        boolean numbers = words.size() == 3 && operator.startsWith("-");
        if (numbers && !(left + " " + right).matches("-?\\d{1,18} -?\\d{1,18}")) {
            return null;
        }
        int sign = numbers
                ? Long.compare(Long.parseLong(left), Long.parseLong(right))
                : plain(left).compareTo(plain(right));
        return switch (operator) {
            case "=", "==", "-eq", "-z" -> sign == 0;
            case "!=", "-ne", "-n" -> sign != 0;
            case "-gt" -> sign > 0;
            case "-ge" -> sign >= 0;
            case "-lt" -> sign < 0;
            case "-le" -> sign <= 0;
            default -> null;
        };
    }

    /** Script arguments are known only in comparison with an empty string. */
    private static boolean isKnown(String word, String other) {
        return !plain(word).matches("(?s).*[$`*?].*") && (plain(word).equals(word) || other.isEmpty());
    }

    private static String plain(String word) {
        return word.replaceAll("^\\$(\\d|\\{\\d})$", "");
    }
}

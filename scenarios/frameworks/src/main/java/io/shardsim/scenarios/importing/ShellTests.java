package io.shardsim.scenarios.importing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which branches of a script's conditions run, as far as the values that {@code [ a = b ]} and its like compare tell. An argument of the script that is compared
 * with nothing is empty, as where nobody gives it. {@code case} and most loops are not decided.
 */
final class ShellTests {
    /** A condition or a loop that has not ended. */
    private static final class Open {
        /** Whether the commands read now run; null where nothing tells. */
        @Nullable
        Boolean runs = true;
        /** Whether a branch has run. */
        boolean done;
        /** Whether a branch may have run. */
        boolean undecided;
    }

    private final Deque<Open> open = new ArrayDeque<>();
    /** Commands of the condition that is read now; -1 outside of one. */
    private int compared = -1;
    /** Whether the last of them holds. */
    private @Nullable Boolean result;

    /** Whether nothing tells that the commands read now run. */
    boolean isOpen() {
        return open.stream().anyMatch(each -> each.undecided);
    }

    /** Whether the commands read now do not run. */
    boolean skips() {
        return open.stream().anyMatch(each -> Boolean.FALSE.equals(each.runs));
    }

    /** Whether a condition is read now. */
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

    /** The loop that has just begun runs. */
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

    /** A command of the condition; without words where a value in it is not known for sure. */
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

    /** An argument of the script is known to be empty, no more. */
    private static boolean isKnown(String word, String other) {
        return !plain(word).matches("(?s).*[$`*?].*") && (plain(word).equals(word) || other.isEmpty());
    }

    private static String plain(String word) {
        return word.replaceAll("^\\$(\\d|\\{\\d})$", "");
    }
}

package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Python tokens with line ends and indentation (docs.python.org/3/reference/lexical_analysis.html). Magic lines of notebooks are skipped. */
final class PythonTokens {
    private static final String LONG_SIGNS = "** // == != <= >= += -= *= /= -> :=";

    enum Kind {
        NAME,
        NUMBER,
        TEXT,
        SIGN,
        /** End of a logical line. */
        LINE,
        /** Indent, and dedent. */
        IN,
        OUT,
        END
    }

    /** @param text the token; for a string, its content */
    record Token(Kind kind, String text, Position at) {
        /** 1 for an opening bracket, -1 for a closing one, else 0. */
        int nesting() {
            if (kind != Kind.SIGN) {
                return 0;
            }
            return switch (text) {
                case "(", "[", "{" -> 1;
                case ")", "]", "}" -> -1;
                default -> 0;
            };
        }

        boolean is(String word) {
            return (kind == Kind.NAME || kind == Kind.SIGN) && text.equals(word);
        }
    }

    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private final Deque<Integer> indents = new ArrayDeque<>(List.of(0));
    private int at;
    private int line = 1;
    private int lineBegan;
    private int depth;

    private PythonTokens(String text) {
        this.text = text;
    }

    static List<Token> of(String text) {
        PythonTokens tokens = new PythonTokens(text);
        tokens.run();
        return tokens.tokens;
    }

    private void run() {
        boolean begins = true;
        while (at < text.length()) {
            if (begins && depth == 0 && !indent()) {
                continue;
            }
            begins = false;
            char letter = text.charAt(at);
            if (letter == '\n') {
                if (depth == 0) {
                    add(Kind.LINE, "");
                    begins = true;
                }
                newLine();
            } else if (letter == '#') {
                skipLine();
            } else if (letter == '\\' && at + 1 < text.length() && text.charAt(at + 1) == '\n') {
                at++;
                newLine();
            } else if (Character.isWhitespace(letter)) {
                at++;
            } else {
                word(letter);
            }
        }
        add(Kind.LINE, "");
        while (indents.pop() > 0) {
            add(Kind.OUT, "");
        }
        add(Kind.END, "");
    }

    private void add(Kind kind, String what) {
        tokens.add(new Token(kind, what, new Position(line, at - lineBegan + 1)));
    }

    private void newLine() {
        at++;
        line++;
        lineBegan = at;
    }

    private void skipLine() {
        while (at < text.length() && text.charAt(at) != '\n') {
            at++;
        }
    }

    /** Reads a line's indentation; false if the line is otherwise empty. */
    private boolean indent() {
        while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
            at++;
        }
        if (at < text.length() && "#%!\r".indexOf(text.charAt(at)) >= 0) {
            skipLine();
        }
        if (at >= text.length() || text.charAt(at) == '\n') {
            if (at < text.length()) {
                newLine();
            }
            return false;
        }
        int column = at - lineBegan;
        if (column > indents.element()) {
            indents.push(column);
            add(Kind.IN, "");
        }
        while (column < indents.element()) {
            indents.pop();
            add(Kind.OUT, "");
        }
        return true;
    }

    private void word(char letter) {
        int start = at;
        int end = at;
        while (end < text.length() && (Character.isLetterOrDigit(text.charAt(end)) || text.charAt(end) == '_')) {
            end++;
        }
        boolean quoted = end < text.length() && (text.charAt(end) == '"' || text.charAt(end) == '\'');
        if (quoted && text.substring(at, end).matches("(?i)[rbuf]{0,2}")) {
            at = end;
            quoted();
        } else if (letter >= '0' && letter <= '9') {
            number(start);
        } else if (end > at) {
            add(Kind.NAME, text.substring(at, end));
            at = end;
        } else {
            sign(letter);
        }
    }

    private void number(int start) {
        int end = start;
        while (end < text.length()
                && (Character.isLetterOrDigit(text.charAt(end))
                        || text.charAt(end) == '.'
                        || text.charAt(end) == '_'
                        || "+-".indexOf(text.charAt(end)) >= 0 && "eE".indexOf(text.charAt(end - 1)) >= 0)) {
            end++;
        }
        add(Kind.NUMBER, text.substring(start, end).replace("_", ""));
        at = end;
    }

    private void sign(char letter) {
        String two = text.substring(at, Math.min(text.length(), at + 2));
        boolean isTwo = two.length() == 2 && !two.contains(" ") && (" " + LONG_SIGNS + " ").contains(" " + two + " ");
        add(Kind.SIGN, isTwo ? two : String.valueOf(letter));
        depth += "([{".indexOf(letter) >= 0 ? 1 : ")]}".indexOf(letter) >= 0 && depth > 0 ? -1 : 0;
        at += isTwo ? 2 : 1;
    }

    /** Reads a string; escapes stay as written, except for quotes and backslashes. */
    private void quoted() {
        char quote = text.charAt(at);
        String triple = String.valueOf(quote).repeat(3);
        String end = text.startsWith(triple, at) ? triple : String.valueOf(quote);
        Position place = new Position(line, at - lineBegan + 1);
        at += end.length();
        StringBuilder inside = new StringBuilder();
        while (at < text.length() && !text.startsWith(end, at)) {
            char letter = text.charAt(at);
            if (letter == '\n' && end.length() == 1) {
                break;
            }
            if (letter == '\n') {
                newLine();
            } else {
                at += letter == '\\' && at + 1 < text.length() && "\\\"'".indexOf(text.charAt(at + 1)) >= 0 ? 2 : 1;
            }
            inside.append(text.charAt(at - 1));
        }
        at = Math.min(text.length(), text.startsWith(end, at) ? at + end.length() : at);
        tokens.add(new Token(Kind.TEXT, inside.toString(), place));
    }
}

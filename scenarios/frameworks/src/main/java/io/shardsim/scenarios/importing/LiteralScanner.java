package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.importing.LiteralReader.Refused;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.YamlReader;
import org.jspecify.annotations.Nullable;

/** Scans JSON and Python literals: white space, comments, names, numbers and strings, with positions in code points. */
final class LiteralScanner {
    private static final char END = '\0';

    private final String text;
    private int at;
    private int line = 1;
    private int column = 1;
    /** Offset after the last skipped white space that contained a line end. */
    private int lineBeganBefore;

    LiteralScanner(String text) {
        this.text = text.startsWith("\ufeff") ? text.substring(1) : text;
    }

    Position position() {
        return new Position(line, column);
    }

    boolean atEnd() {
        return at >= text.length();
    }

    /** The next character, or NUL at the end. */
    char peek() {
        return atEnd() ? END : text.charAt(at);
    }

    String printableNext() {
        String next = new String(Character.toChars(text.codePointAt(at)));
        return Character.isISOControl(next.codePointAt(0))
                ? String.format("U+%04X", next.codePointAt(0))
                : YamlReader.printable(next);
    }

    private char next() {
        char letter = text.charAt(at++);
        if (letter == '\n') {
            line++;
            column = 1;
        } else if (!Character.isLowSurrogate(letter)) {
            column++;
        }
        return letter;
    }

    void take(char wanted) {
        if (peek() != wanted) {
            throw new Refused(position(), "found " + printableNext() + " where " + wanted + " belongs");
        }
        next();
    }

    /** Consumes the character if it comes next, after optional white space. */
    boolean tryTake(char wanted) {
        skipBlanks();
        boolean there = !atEnd() && peek() == wanted;
        if (there) {
            next();
            skipBlanks();
        }
        return there;
    }

    /** Skips white space, line ends and comments. */
    void skipBlanks() {
        int before = line;
        while (isBlankNext()) {
            if (peek() == '#') {
                skipLine();
            } else {
                next();
            }
        }
        lineBeganBefore = line > before ? at : lineBeganBefore;
    }

    private boolean isBlankNext() {
        char next = peek();
        return !atEnd() && (next == '#' || next == ' ' || next == '\t' || next == '\r' || next == '\n');
    }

    /** Like {@link #skipBlanks}, between statements. */
    void skipLines() {
        skipBlanks();
        while (!atEnd() && (peek() == ';' || peek() == ',')) {
            next();
            skipBlanks();
        }
    }

    void skipLine() {
        while (!atEnd() && peek() != '\n') {
            next();
        }
    }

    /** Whether a statement may end here: at the end of the text, or before a name. */
    boolean atEndOfStatement() {
        return atEnd() || peek() == ';' || peek() == ',' || isNameStart(peek()) && lineBeganBefore == at;
    }

    /** Consumes this word if a blank follows. */
    boolean takeWord(String word) {
        boolean there = text.startsWith(word + " ", at);
        if (there) {
            skip(word.length());
        }
        return there;
    }

    private void skip(int letters) {
        for (int i = 0; i < letters; i++) {
            next();
        }
    }

    /** Consumes a name and the {@code =} after it (not {@code ==}); null, with nothing consumed, if there is none. */
    @Nullable
    String nameBeforeEquals() {
        int end = at;
        while (end < text.length() && isNamePart(text.charAt(end))) {
            end++;
        }
        int equals = end;
        while (equals < text.length() && (text.charAt(equals) == ' ' || text.charAt(equals) == '\t')) {
            equals++;
        }
        boolean there = end > at
                && isNameStart(peek())
                && equals < text.length()
                && text.charAt(equals) == '='
                && !text.startsWith("==", equals);
        if (!there) {
            return null;
        }
        String name = text.substring(at, end);
        skip(equals + 1 - at);
        skipBlanks();
        return name;
    }

    private static boolean isNameStart(char letter) {
        return letter == '_' || Character.isLetter(letter);
    }

    private static boolean isNamePart(char letter) {
        return letter == '_' || letter == '.' || Character.isLetterOrDigit(letter);
    }

    /** A dotted name, as in {@code torch.bfloat16}; empty if there is none. */
    String name() {
        int start = at;
        while (!atEnd() && (at == start ? isNameStart(peek()) : isNamePart(peek()))) {
            next();
        }
        return text.substring(start, at);
    }

    boolean isNumberNext() {
        char first = peek();
        boolean sign = (first == '-' || first == '+' || first == '.') && at + 1 < text.length();
        char second = sign ? text.charAt(at + 1) : first;
        return isDigit(second) || sign && second == '.';
    }

    private static boolean isDigit(char letter) {
        return letter >= '0' && letter <= '9';
    }

    /** A number without Python's underscores. */
    String number() {
        int start = at;
        while (!atEnd() && (isNamePart(peek()) || (peek() == '-' || peek() == '+') && mayBeSign(start))) {
            next();
        }
        return text.substring(start, at).replace("_", "");
    }

    private boolean mayBeSign(int start) {
        return at == start || text.charAt(at - 1) == 'e' || text.charAt(at - 1) == 'E';
    }

    /** Adjacent strings, concatenated as in Python. */
    String texts() {
        StringBuilder all = new StringBuilder();
        while (peek() == '"' || peek() == '\'') {
            quoted(all);
            skipBlanks();
        }
        return all.toString();
    }

    private void quoted(StringBuilder into) {
        Position start = position();
        char quote = next();
        String triple = String.valueOf(quote).repeat(2);
        if (text.startsWith(triple, at)) {
            skip(2);
            body(into, start, String.valueOf(quote).repeat(3));
        } else {
            body(into, start, String.valueOf(quote));
        }
    }

    private void body(StringBuilder into, Position start, String end) {
        while (!text.startsWith(end, at)) {
            if (atEnd() || peek() == '\n' && end.length() == 1) {
                throw new Refused(start, "unterminated string; close it with " + end);
            }
            char letter = next();
            if (letter == '\\' && !atEnd()) {
                escape(into, start);
            } else {
                into.append(letter);
            }
        }
        skip(end.length());
    }

    private void escape(StringBuilder into, Position start) {
        char letter = next();
        int plain = "nrtbf0".indexOf(letter);
        if (plain >= 0) {
            into.append("\n\r\t\b\f\0".charAt(plain));
        } else if (letter == 'u') {
            if (at + 4 > text.length() || !text.substring(at, at + 4).matches("[0-9a-fA-F]{4}")) {
                throw new Refused(start, "a string has \\u without four hexadecimal digits; write four, or \\\\u");
            }
            into.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
            skip(4);
        } else if (letter != '\n') {
            into.append(letter);
        }
    }
}

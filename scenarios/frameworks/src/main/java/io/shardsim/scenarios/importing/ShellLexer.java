package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.importing.LiteralReader.Refused;
import io.shardsim.simulator.yaml.Position;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Splits a shell script into commands and words: quotes, escapes, comments, continued lines, here-documents, assignments and arrays. Variables are
 * expanded if known; every character keeps its offset in the script.
 */
final class ShellLexer {
    /** Maximum number of characters that all variables together may expand to. */
    static final int LETTERS_MAX = 1 << 20;

    private static final String OPERATORS = ";&|()\n";

    private final String script;
    private final int[] lineStarts;
    private final Function<String, @Nullable List<ShellText>> variables;
    private final BiConsumer<String, ShellText> defaults;
    private final IntPredicate doubtful;
    private int at;
    private long letters;
    /** Delimiters of here-documents that begin after this line. */
    private final List<String> hereDocuments = new ArrayList<>();

    private ShellText word = new ShellText();
    private boolean wordBegun;
    private List<Field> fields = new ArrayList<>();

    /**
     * {@code variables} maps a name to its value, or null; {@code defaults} receives assignments by {@code ${NAME:=value}}. A sum with an uncertain
     * character is uncertain.
     */
    ShellLexer(
            String script,
            Function<String, @Nullable List<ShellText>> variables,
            BiConsumer<String, ShellText> defaults,
            IntPredicate doubtful) {
        this.doubtful = doubtful;
        this.script = script.startsWith("\ufeff") ? script.substring(1) : script;
        this.variables = variables;
        this.defaults = defaults;
        int[] starts = new int[16];
        int lines = 1;
        for (int i = 0; i < this.script.length(); i++) {
            if (this.script.charAt(i) == '\n') {
                starts = lines == starts.length ? Arrays.copyOf(starts, 2 * lines) : starts;
                starts[lines++] = i + 1;
            }
        }
        lineStarts = Arrays.copyOf(starts, lines);
    }

    /**
     * A word of a command.
     *
     * @param assigned name that it assigns to; null for a plain word
     * @param appends whether it assigns with {@code +=}
     * @param array words of an array; null for a plain value
     */
    record Field(
            ShellText text,
            @Nullable String assigned,
            boolean appends,
            @Nullable List<ShellText> array) {
        boolean isArray() {
            return array != null;
        }

        List<ShellText> items() {
            return array == null ? List.of() : array;
        }
    }

    boolean atEnd() {
        return at >= script.length();
    }

    int offset() {
        return Math.min(at, Math.max(0, script.length() - 1));
    }

    /** Counts characters copied for variables; throws if there are too many. */
    void charge(int copied) {
        letters += copied;
        if (letters > LETTERS_MAX) {
            throw new Refused(
                    position(offset()),
                    "variables expand to more than " + LETTERS_MAX + " characters; write the values out");
        }
    }

    Position position(int offset) {
        int line = Arrays.binarySearch(lineStarts, offset);
        line = line < 0 ? -line - 2 : line;
        return new Position(line + 1, script.codePointCount(lineStarts[line], Math.min(offset, script.length())) + 1);
    }

    /** The words up to the end of the command. */
    List<Field> command() {
        fields = new ArrayList<>();
        begin();
        while (!atEnd()) {
            char next = script.charAt(at);
            if (next == '\\' && at + 1 < script.length() && isLineEnd(at + 1)) {
                at += script.charAt(at + 1) == '\r' ? 3 : 2;
            } else if (isBlank(next)) {
                endWord();
                at++;
            } else if (next == '#' && !wordBegun) {
                skipLine();
            } else if (next == '(' && assignedName() != null) {
                array();
            } else if (OPERATORS.indexOf(next) >= 0) {
                endWord();
                at++;
                skipHereDocuments(next);
                return fields;
            } else if (next == '<' || next == '>') {
                redirection();
            } else {
                part(next);
            }
        }
        endWord();
        return fields;
    }

    private boolean isLineEnd(int offset) {
        return script.startsWith("\n", offset) || script.startsWith("\r\n", offset);
    }

    static boolean isBlank(char letter) {
        return letter == ' ' || letter == '\t' || letter == '\r';
    }

    private void skipLine() {
        while (!atEnd() && script.charAt(at) != '\n') {
            at++;
        }
    }

    private void begin() {
        word = new ShellText();
        word.beginAt(at);
        wordBegun = false;
    }

    /** The name in a NAME= or NAME+= at the start of the current word; null if there is none. */
    private @Nullable String assignedName() {
        String text = word.toString();
        int equals = text.indexOf('=');
        if (equals <= 0) {
            return null;
        }
        String name = text.substring(0, text.charAt(equals - 1) == '+' ? equals - 1 : equals);
        return name.matches("[A-Za-z_][A-Za-z0-9_]*") ? name : null;
    }

    private void endWord() {
        if (wordBegun) {
            fields.add(field(null));
        }
        begin();
    }

    private Field field(@Nullable List<ShellText> array) {
        String name = assignedName();
        if (name == null) {
            return new Field(word, null, false, null);
        }
        String text = word.toString();
        int equals = text.indexOf('=');
        return new Field(word.from(equals + 1), name, text.charAt(equals - 1) == '+', array);
    }

    /** Reads {@code NAME=( words )}, which may span lines. */
    private void array() {
        ShellText assigned = word;
        List<Field> before = fields;
        fields = new ArrayList<>();
        at++;
        begin();
        while (!atEnd() && script.charAt(at) != ')') {
            char next = script.charAt(at);
            if (next == '#' && !wordBegun) {
                skipLine();
            } else if (isBlank(next) || next == '\n' || next == '\\' && isLineEnd(at + 1)) {
                endWord();
                at++;
            } else {
                part(next);
            }
        }
        endWord();
        at++;
        List<ShellText> items = new ArrayList<>();
        fields.forEach(field -> items.add(whole(field)));
        fields = before;
        word = assigned;
        fields.add(field(items));
        begin();
    }

    /** Inside an array, an item such as {@code a=b} is not an assignment. */
    private static ShellText whole(Field field) {
        if (field.assigned() == null) {
            return field.text();
        }
        String name = field.assigned() + (field.appends() ? "+=" : "=");
        return ShellText.at(field.text().offset(), name).followedBy(field.text());
    }

    private void redirection() {
        if (word.toString().matches("\\d?")) {
            begin();
        }
        endWord();
        boolean here = script.startsWith("<<", at) && !script.startsWith("<<<", at);
        while (!atEnd() && "<>&-".indexOf(script.charAt(at)) >= 0) {
            at++;
        }
        while (!atEnd() && isBlank(script.charAt(at))) {
            at++;
        }
        int start = at;
        while (!atEnd() && !isBlank(script.charAt(at)) && OPERATORS.indexOf(script.charAt(at)) < 0) {
            at++;
        }
        if (here) {
            hereDocuments.add(script.substring(start, at).replaceAll("[\"'\\\\]", ""));
        }
    }

    private void skipHereDocuments(char operator) {
        if (operator != '\n') {
            return;
        }
        for (String end : hereDocuments) {
            boolean ended = false;
            while (!atEnd() && !ended) {
                int start = at;
                skipLine();
                ended = script.substring(start, at).strip().equals(end);
                at++;
            }
        }
        hereDocuments.clear();
    }

    /** Reads a piece of a word: quoted, a variable, or a character. */
    private void part(char next) {
        wordBegun = true;
        if (next == '\'') {
            at++;
            while (!atEnd() && script.charAt(at) != '\'') {
                letter();
            }
            at++;
        } else if (next == '"') {
            at++;
            doubleQuoted();
        } else if (next == '\\') {
            at++;
            if (!atEnd()) {
                letter();
            }
        } else if (next == '$') {
            dollar(false);
        } else if (next == '`') {
            opaque(end('`', at + 1));
        } else {
            letter();
        }
    }

    private void letter() {
        word.add(script.charAt(at), at);
        at++;
    }

    private void doubleQuoted() {
        while (!atEnd() && script.charAt(at) != '"') {
            char next = script.charAt(at);
            if (next == '\\' && at + 1 < script.length()) {
                at++;
                if (isLineEnd(at)) {
                    at += script.charAt(at) == '\r' ? 2 : 1;
                } else {
                    letter();
                }
            } else if (next == '$') {
                dollar(true);
            } else if (next == '`') {
                opaque(end('`', at + 1));
            } else {
                letter();
            }
        }
        at++;
    }

    /** Copies text that only a shell can evaluate, without blanks, so that it stays one word. */
    private void opaque(int end) {
        while (at < end) {
            if (isBlank(script.charAt(at)) || script.charAt(at) == '\n') {
                at++;
            } else {
                letter();
            }
        }
    }

    /** The offset after the next occurrence. */
    private int end(char letter, int from) {
        int end = script.indexOf(letter, from);
        return end < 0 ? script.length() : end + 1;
    }

    /** The offset after the bracket that closes the one before {@code from}. */
    private int closing(char opening, char closing, int from) {
        int depth = 1;
        int i = from;
        while (i < script.length() && depth > 0) {
            char letter = script.charAt(i++);
            depth += letter == opening ? 1 : letter == closing ? -1 : 0;
        }
        return i;
    }

    private void dollar(boolean quoted) {
        int start = at;
        if (script.startsWith("$((", at)) {
            int end = closing('(', ')', at + 2);
            int[] from = {start};
            String value = ShellArithmetic.value(
                    script.substring(Math.min(at + 3, end), Math.max(at + 3, end - 2)), name -> firstOf(name, from));
            if (value == null || end > script.length()) {
                opaque(end);
            } else {
                at = end;
                addAll(value, from[0]);
            }
        } else if (script.startsWith("$(", at)) {
            opaque(closing('(', ')', at + 2));
        } else if (script.startsWith("${", at)) {
            braces(quoted);
        } else {
            int end = at + 1;
            while (end < script.length() && isName(script.charAt(end))) {
                end++;
            }
            variable(script.substring(at + 1, end), end, quoted ? Cut.NOWHERE : Cut.AT_BLANKS, null);
        }
    }

    private static boolean isName(char letter) {
        return letter == '_'
                || letter >= '0' && letter <= '9'
                || letter >= 'a' && letter <= 'z'
                || letter >= 'A' && letter <= 'Z';
    }

    /** The first value of a variable; sets its origin if it is uncertain. */
    private @Nullable String firstOf(String name, int[] from) {
        List<ShellText> value = variables.apply(name);
        if (value == null || value.isEmpty()) {
            return null;
        }
        from[0] = value.get(0).places().filter(doubtful).findFirst().orElse(from[0]);
        return value.get(0).toString();
    }

    private void addAll(String text, int offset) {
        for (int i = 0; i < text.length(); i++) {
            word.add(text.charAt(i), offset);
        }
        charge(text.length());
    }

    /** {@code ${NAME}}, {@code ${NAME:-default}}, {@code ${NAME[@]}}. */
    private void braces(boolean quoted) {
        int end = closing('{', '}', at + 2);
        String inside = script.substring(Math.min(at + 2, end), Math.max(at + 2, end - 1));
        int nameEnd = 0;
        while (nameEnd < inside.length() && isName(inside.charAt(nameEnd))) {
            nameEnd++;
        }
        String name = inside.substring(0, nameEnd);
        String rest = inside.substring(nameEnd);
        if (rest.isEmpty() || rest.equals("[@]") || rest.equals("[*]")) {
            variable(name, end, quoted ? rest.isEmpty() ? Cut.NOWHERE : Cut.BETWEEN_ITEMS : Cut.AT_BLANKS, null);
        } else if (rest.matches("(?s):?[-=].*")) {
            if (rest.matches("(?s):?=.*")) {
                String set = rest.substring(rest.indexOf('=') + 1).replaceAll("^[\"']|[\"']$", "");
                defaults.accept(name, ShellText.at(at, set));
            }
            variable(
                    name,
                    end,
                    quoted ? Cut.NOWHERE : Cut.AT_BLANKS,
                    rest.substring(rest.indexOf(rest.startsWith(":") ? rest.charAt(1) : rest.charAt(0)) + 1));
        } else {
            opaque(end);
        }
    }

    /** Where an expanded variable is split into words. */
    private enum Cut {
        NOWHERE,
        BETWEEN_ITEMS,
        AT_BLANKS
    }

    /** Expands a variable; in an assignment it is never split. */
    private void variable(String name, int end, Cut wanted, @Nullable String otherwise) {
        List<ShellText> value = name.isEmpty() ? null : variables.apply(name);
        if (value == null && otherwise == null) {
            opaque(Math.max(end, at + 1));
            return;
        }
        int start = at;
        at = end;
        if (value == null) {
            addAll(String.valueOf(otherwise).replaceAll("^[\"']|[\"']$", ""), start);
            return;
        }
        Cut cut = assignedName() != null ? Cut.NOWHERE : wanted;
        for (int i = 0; i < value.size(); i++) {
            separate(i > 0, cut);
            List<ShellText> parts = cut == Cut.AT_BLANKS ? value.get(i).split() : List.of(value.get(i));
            for (int part = 0; part < parts.size(); part++) {
                separate(part > 0, cut);
                charge(1 + parts.get(part).length());
                word.add(parts.get(part));
                wordBegun = true;
            }
        }
        // Unquoted, an empty value is not a word.
        wordBegun &= cut != Cut.AT_BLANKS || !word.toString().isEmpty();
    }

    private void separate(boolean wanted, Cut cut) {
        if (wanted && cut == Cut.NOWHERE) {
            word.add(' ', at - 1);
        } else if (wanted) {
            endWord();
        }
    }
}

package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a shell script with the variables that the script sets written out. Nothing is executed: what only a shell can know ({@code $(...)}, variables
 * of the environment) stays as written.
 *
 * <p>A condition that compares values known here is decided by {@link ShellTests}. Other conditions and loops are not
 * decided. What stands in them counts, and {@link #conditional} tells so; a variable that is set to several values in them is {@link #ambiguous}.
 */
final class ShellScript {
    private static final Set<String> KEYWORDS = Set.of(
            "if", "case", "for", "while", "until", "select", "fi", "esac", "done", "then", "else", "elif", "do", "{",
            "}", "!", "time", "exec", "nohup");
    private static final Set<String> DECLARING = Set.of("export", "local", "declare", "readonly", "typeset");

    private final ShellLexer lexer;
    private final Map<String, Variable> variables = new LinkedHashMap<>();
    private final Map<String, Word> exported = new LinkedHashMap<>();
    private final List<List<Word>> commands = new ArrayList<>();
    private final List<int[]> conditions = new ArrayList<>();
    private final ShellTests tests = new ShellTests();
    private int conditionStart;

    /** A word after expansion; {@code offset} is where its first letter stands in the script. */
    record Word(String text, int offset) {}

    /** What a variable stands for: one word, or those of an array. */
    private static final class Variable {
        List<ShellText> values;
        /** Offsets of the assignments that disagree, in conditions. */
        final Set<Integer> assignments = new HashSet<>();

        boolean disagrees;

        Variable(List<ShellText> values) {
            this.values = values;
        }
    }

    private ShellScript(String text) {
        this.lexer = new ShellLexer(text, this::value, this::setDefault);
    }

    /**
     * Reads a script.
     *
     * @throws LiteralReader.Refused when its variables expand to too much
     */
    static ShellScript read(String text) {
        ShellScript script = new ShellScript(text);
        script.run();
        return script;
    }

    /** The commands with their words, assignments left out. */
    List<List<Word>> commands() {
        return commands;
    }

    /** Variables that the script exports, or sets for a command in front of it. */
    Map<String, Word> exported() {
        return exported;
    }

    /** All words of all variables: where a script leaves the last command to another one. */
    List<Word> words() {
        List<Word> words = new ArrayList<>();
        for (Variable variable : variables.values()) {
            for (ShellText value : variable.values) {
                value.split().forEach(part -> words.add(word(part)));
            }
        }
        return words;
    }

    Position position(int offset) {
        return lexer.position(offset);
    }

    /** Whether the place stands in a condition or a loop. */
    boolean conditional(int offset) {
        return conditions.stream().anyMatch(range -> offset >= range[0] && offset < range[1]);
    }

    /** The variable whose assignments disagree and whose last value begins or holds this place; null for none. */
    @Nullable
    String ambiguous(int offset) {
        for (Map.Entry<String, Variable> entry : variables.entrySet()) {
            Variable variable = entry.getValue();
            if (variable.disagrees && variable.values.stream().anyMatch(value -> value.holds(offset))) {
                return entry.getKey();
            }
        }
        return null;
    }

    /** Lines in which a variable is set. */
    String lines(String variable) {
        Variable known = variables.get(variable);
        List<String> lines = new ArrayList<>();
        if (known != null) {
            known.assignments.stream()
                    .map(offset -> position(offset).line())
                    .sorted()
                    .distinct()
                    .forEach(line -> lines.add(String.valueOf(line)));
        }
        return String.join(", ", lines);
    }

    private void run() {
        while (!lexer.atEnd()) {
            interpret(lexer.command());
        }
        if (tests.isOpen()) {
            conditions.add(new int[] {conditionStart, Integer.MAX_VALUE});
        }
    }

    private void interpret(List<ShellLexer.Field> fields) {
        List<Word> words = new ArrayList<>();
        List<ShellLexer.Field> assigned = new ArrayList<>();
        boolean declares = false;
        boolean exports = false;
        for (ShellLexer.Field field : fields) {
            String text = field.text().toString();
            if (words.isEmpty() && field.assigned() != null) {
                if (!tests.skips()) {
                    assign(field, exports);
                    assigned.add(field);
                }
            } else if (words.isEmpty() && DECLARING.contains(text)) {
                declares = true;
                exports |= text.equals("export");
            } else if (!declares
                    && !(words.isEmpty() && isKeyword(text, field.text().offset()))) {
                // What bash -c runs is a command, too.
                boolean inside =
                        !words.isEmpty() && words.get(words.size() - 1).text().equals("-c");
                (inside ? field.text().split() : List.of(field.text())).forEach(part -> words.add(word(part)));
            }
        }
        if (tests.inCondition() && !words.isEmpty()) {
            boolean unsure = words.stream().anyMatch(word -> ambiguous(word.offset()) != null);
            tests.compare(unsure ? List.of() : words.stream().map(Word::text).toList());
        } else if (!words.isEmpty() && !tests.skips()) {
            commands.add(words);
            assigned.forEach(field -> exported.put(String.valueOf(field.assigned()), word(field.text())));
        }
    }

    private boolean isKeyword(String text, int offset) {
        boolean before = tests.isOpen();
        tests.keyword(text);
        if (tests.isOpen() && !before) {
            conditionStart = offset;
        } else if (before && !tests.isOpen()) {
            conditions.add(new int[] {conditionStart, offset});
        }
        return KEYWORDS.contains(text);
    }

    private void assign(ShellLexer.Field field, boolean exports) {
        String name = String.valueOf(field.assigned());
        List<ShellText> values = new ArrayList<>();
        Variable known = variables.get(name);
        if (field.appends() && known != null) {
            known.values.forEach(value -> lexer.charge(1 + value.length()));
            values.addAll(known.values);
        }
        if (field.appends() && !field.isArray() && !values.isEmpty()) {
            values.set(values.size() - 1, values.get(values.size() - 1).followedBy(field.text()));
        } else {
            values.addAll(field.isArray() ? field.items() : List.of(field.text()));
        }
        if (exports) {
            exported.put(name, word(field.text()));
        }
        if (known == null) {
            known = new Variable(values);
            variables.put(name, known);
        } else if (tests.isOpen()
                && !field.appends()
                && !extendsValue(known.values, values)
                && !same(known.values, values)) {
            known.disagrees = true;
        } else if (!tests.isOpen()) {
            known.disagrees = false;
            known.assignments.clear();
        }
        known.values = values;
        known.assignments.add(field.text().offset());
    }

    /** {@code ${NAME:=value}} sets what nothing has set. */
    private void setDefault(String name, ShellText value) {
        if (!tests.skips() && !variables.containsKey(name)) {
            variables.put(name, new Variable(List.of(value)));
        }
    }

    private static boolean extendsValue(List<ShellText> old, List<ShellText> now) {
        return joined(now).contains(joined(old)) && !joined(old).isEmpty();
    }

    private static boolean same(List<ShellText> old, List<ShellText> now) {
        return joined(now).equals(joined(old));
    }

    private static String joined(List<ShellText> values) {
        StringBuilder all = new StringBuilder();
        values.forEach(value -> all.append(value).append(' '));
        return all.toString().strip();
    }

    private @Nullable List<ShellText> value(String name) {
        Variable variable = variables.get(name);
        return variable == null ? null : variable.values;
    }

    private static Word word(ShellText text) {
        return new Word(text.toString(), text.offset());
    }
}

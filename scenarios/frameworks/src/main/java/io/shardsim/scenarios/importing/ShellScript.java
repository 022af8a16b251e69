package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Commands of a shell script, with the variables that it sets expanded. Nothing is executed: text that only a shell can evaluate ({@code $(...)},
 * environment variables) stays as written.
 *
 * <p>{@link ShellTests} decides conditions that compare known values, and loops over known words are run. Other conditions and loops are undecided;
 * their commands count, which {@link #conditional} reports. A value with several candidates from conditions or loops is in {@link #doubt}.
 */
final class ShellScript {
    /** Marks a value that depends on conditions or loops. */
    static final String SEVERAL = ", which is set to ";

    private static final Set<String> KEYWORDS = Set.of(
            "if", "case", "for", "while", "until", "select", "fi", "esac", "done", "then", "else", "elif", "do", "{",
            "}", "!", "time", "exec", "nohup");
    private static final Set<String> DECLARING = Set.of("export", "local", "declare", "readonly", "typeset");

    private static final Pattern SLURM = Pattern.compile(
            "(?m)^#SBATCH\\s+--?([A-Za-z-]+?)[= ]*(?:gpu:)?(?:[A-Za-z]\\w*:)?(\\d+)[ \\t\\r]*(?:#.*)?$");

    private final ShellLexer lexer;
    private final Map<String, Variable> variables = new LinkedHashMap<>();
    private final Map<String, ShellText> exported = new LinkedHashMap<>();
    private final List<List<ShellText>> commands = new ArrayList<>();
    private final List<int[]> conditions = new ArrayList<>();
    private final ShellTests tests = new ShellTests();
    /** Offsets of characters that are one of several values of a variable. */
    private final Map<Integer, Variable> doubtful = new HashMap<>();
    /** Number of commands before each open loop. */
    private final Deque<Integer> loops = new ArrayDeque<>();
    /** Whether this is the head of a counting loop. */
    private boolean counts;

    private int conditionStart;

    /** A variable: one word, or the words of an array. */
    private static final class Variable {
        final String name;
        List<ShellText> values;
        /** Assignments by offset, as long as conditions and loops choose among them. */
        final Map<Integer, String> assignments = new TreeMap<>();

        Variable(String name, List<ShellText> values) {
            this.name = name;
            assign(values);
        }

        void assign(List<ShellText> now) {
            values = now;
            values.stream().limit(1).forEach(value -> assignments.put(value.offset(), joined(values)));
        }
    }

    private ShellScript(String text) {
        this.lexer = new ShellLexer(text, this::value, this::setDefault, doubtful::containsKey);
        // Resources that the script requests from Slurm, as the variables that Slurm sets.
        SLURM.matcher(text)
                .results()
                .forEach(asked -> Known.ofSlurm(asked.group(1))
                        .forEach(name -> setDefault(name, ShellText.at(asked.start(2), asked.group(2)))));
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

    /** The words of each command, without assignments. */
    List<List<ShellText>> commands() {
        return commands;
    }

    /** Variables that the script exports, or sets in front of a command. */
    Map<String, ShellText> exported() {
        return exported;
    }

    /** All words of all variables, for scripts that pass the command to another script. */
    List<ShellText> words() {
        List<ShellText> words = new ArrayList<>();
        for (Variable variable : variables.values()) {
            for (ShellText value : variable.values) {
                words.addAll(value.split());
            }
        }
        return words;
    }

    /** First value of a variable at the end of the script; null if it is not set. */
    @Nullable
    ShellText word(String variable) {
        List<ShellText> values = value(variable);
        return values == null || values.isEmpty() ? null : values.get(0);
    }

    Position position(int offset) {
        return lexer.position(offset);
    }

    /** Whether an offset is in an undecided condition or loop. */
    boolean conditional(int offset) {
        return conditions.stream().anyMatch(range -> offset >= range[0] && offset < range[1]);
    }

    /** Candidates of a word: its variable with the values and their lines; null if the word is certain. */
    @Nullable
    String doubt(ShellText word) {
        Variable variable = word.places()
                .mapToObj(doubtful::get)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (variable == null) {
            return null;
        }
        List<String> lines = variable.assignments.keySet().stream()
                .map(offset -> String.valueOf(position(offset).line()))
                .distinct()
                .toList();
        return "$" + variable.name + SEVERAL
                + String.join(", ", new LinkedHashSet<>(variable.assignments.values()))
                + (lines.size() == 1 ? " in line " : " in lines ") + String.join(", ", lines);
    }

    private void doubt(List<ShellText> values, Variable variable) {
        values.forEach(value -> value.places().forEach(offset -> doubtful.put(offset, variable)));
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
        List<ShellText> words = new ArrayList<>();
        List<ShellLexer.Field> assigned = new ArrayList<>();
        boolean declares = false;
        boolean exports = false;
        for (int i = 0; i < fields.size(); i++) {
            ShellLexer.Field field = fields.get(i);
            String text = field.text().toString();
            if (words.isEmpty() && field.assigned() != null) {
                if (!tests.skips()) {
                    assign(field, exports);
                    assigned.add(field);
                }
            } else if (words.isEmpty() && DECLARING.contains(text)) {
                declares = true;
                exports |= text.equals("export");
            } else if (words.isEmpty() && isKeyword(text, field.text().offset())) {
                if (text.matches("for|select")) {
                    loop(fields.subList(i + 1, fields.size()));
                    return;
                }
            } else if (!declares) {
                // The argument of bash -c is also a command.
                boolean inside = !words.isEmpty()
                        && words.get(words.size() - 1).toString().equals("-c");
                words.addAll(inside ? field.text().split() : List.of(field.text()));
            }
        }
        if (tests.inCondition() && !words.isEmpty()) {
            boolean unsure = words.stream().anyMatch(word -> doubt(word) != null);
            tests.compare(
                    unsure ? List.of() : words.stream().map(ShellText::toString).toList());
        } else if (!words.isEmpty() && !tests.skips()) {
            commands.add(words);
            if (words.get(0).toString().equals("read")) {
                words.forEach(word -> variables.remove(word.toString()));
            }
            assigned.forEach(field -> exported.put(String.valueOf(field.assigned()), field.text()));
        }
    }

    private boolean isKeyword(String text, int offset) {
        boolean before = tests.isOpen();
        tests.keyword(text);
        counts &= !text.equals("do");
        if (text.matches("for|select|while|until")) {
            loops.push(commands.size());
        } else if (text.equals("done")) {
            loops.poll();
        }
        if (tests.isOpen() && !before) {
            conditionStart = offset;
        } else if (before && !tests.isOpen()) {
            conditions.add(new int[] {conditionStart, offset});
        }
        return KEYWORDS.contains(text);
    }

    /** Sets a variable to each word of a list in turn. A loop without a list counts, or iterates over the script's arguments. */
    private void loop(List<ShellLexer.Field> head) {
        if (tests.skips()) {
            return;
        }
        counts = head.isEmpty();
        Variable variable = new Variable(counts ? "" : head.get(0).text().toString(), List.of());
        head.stream().skip(2).forEach(item -> variable.assign(List.of(item.text())));
        variables.remove(variable.name);
        if (!variable.values.isEmpty()) {
            variables.put(variable.name, variable);
        }
        boolean known = variable.assignments.values().stream().noneMatch(value -> value.matches("(?s).*[$`*?{].*"));
        if (known && !variable.values.isEmpty()) {
            tests.runs();
        }
        if (!known || Set.copyOf(variable.assignments.values()).size() > 1) {
            doubt(variable.values, variable);
        }
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
            exported.put(name, field.text());
        }
        boolean changes = known != null
                && !field.appends()
                && !joined(values).equals(joined(known.values))
                && (joined(known.values).isEmpty() || !joined(values).contains(joined(known.values)));
        Variable now = known == null || !tests.isOpen() ? new Variable(name, values) : known;
        if (known != null && changes && isUsedInLoop(known)) {
            now.assignments.putAll(known.assignments);
            doubt(known.values, now);
        }
        now.assign(values);
        variables.put(name, now);
        if (counts || changes && tests.isOpen()) {
            now.assignments.replaceAll((offset, value) -> counts ? value + " and more" : value);
            doubt(values, now);
        }
    }

    /** Whether a command in the innermost loop uses the value, which the loop changes for its next iteration. */
    private boolean isUsedInLoop(Variable variable) {
        return !loops.isEmpty()
                && commands.subList(loops.element(), commands.size()).stream()
                        .flatMap(List::stream)
                        .flatMapToInt(ShellText::places)
                        .anyMatch(place -> variable.values.stream()
                                .anyMatch(value -> value.places().anyMatch(each -> each == place)));
    }

    /** {@code ${NAME:=value}} sets an unset variable. */
    private void setDefault(String name, ShellText value) {
        if (!tests.skips() && !variables.containsKey(name)) {
            variables.put(name, new Variable(name, List.of(value)));
        }
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
}

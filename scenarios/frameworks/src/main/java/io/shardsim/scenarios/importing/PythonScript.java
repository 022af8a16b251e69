package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.importing.PythonExpression.Unreadable;
import io.shardsim.scenarios.importing.PythonTokens.Kind;
import io.shardsim.scenarios.importing.PythonTokens.Token;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Values that a Python script or notebook assigns, from top to bottom: assignments, branches with a known condition, and loops over the items of a
 * dict; function bodies are read where they are defined. Nothing is executed: values that depend on anything else are unknown, and quoted as written.
 */
final class PythonScript {
    private final List<Token> tokens;
    private final Origins origins;
    private final PythonExpression expressions;
    /** Results of {@code parse_args} by the variables and functions that return them; a second pass uses them in functions defined earlier. */
    private final Map<String, Mapping> parsed;
    /** The function whose body is being read. */
    private String function = "";

    private Map<String, YamlNode> set = new LinkedHashMap<>(Map.of("__name__", PythonExpression.text("__main__")));
    /** Tokens of branches that run, and of those that do not. */
    private final BitSet ran = new BitSet();

    private final BitSet skipped = new BitSet();
    /** Calls that may or may not be made. */
    private final List<Token> undecided = new ArrayList<>();

    private int at;
    private int depth;
    private int steps;

    private PythonScript(List<Token> tokens, Origins origins, Map<String, Mapping> parsed) {
        this.tokens = tokens;
        this.origins = origins;
        this.parsed = parsed;
        expressions = new PythonExpression(tokens, origins, new PythonArguments(tokens, origins), this::value);
    }

    /**
     * Result of reading a script.
     *
     * @param calls named arguments of all calls, by function name, in text order
     * @param undecided functions called only under an undetermined condition
     * @param all tokens of the text, without branches that do not run
     * @param set final values of names
     * @param origins origins of all values
     */
    record Outcome(
            List<Map.Entry<String, Mapping>> calls,
            List<Token> undecided,
            List<Token> all,
            Map<String, YamlNode> set,
            Origins origins) {}

    static Outcome read(String text) {
        List<Token> tokens = PythonTokens.of(text);
        Map<String, Mapping> parsed = new LinkedHashMap<>();
        Origins origins = new Origins();
        Outcome outcome = new PythonScript(tokens, origins, parsed).outcome();
        return parsed.isEmpty() ? outcome : new PythonScript(tokens, origins, parsed).outcome();
    }

    private Outcome outcome() {
        List<Map.Entry<String, Mapping>> calls = new ArrayList<>();
        expressions.calls(calls);
        while (token().kind() != Kind.END) {
            block();
            at += token().kind() == Kind.END ? 0 : 1;
        }
        skipped.andNot(ran);
        List<Token> all = IntStream.range(0, tokens.size())
                .filter(i -> !skipped.get(i))
                .mapToObj(tokens::get)
                .toList();
        return new Outcome(calls, undecided, all, set, origins);
    }

    private @Nullable YamlNode value(String name) {
        return name.endsWith("()") ? parsed.get(name) : set.get(name);
    }

    private Token token() {
        return tokens.get(at);
    }

    /** Reads statements up to the end of the block. */
    private void block() {
        depth++;
        while (token().kind() != Kind.OUT && token().kind() != Kind.END) {
            statement();
        }
        depth--;
    }

    private void statement() {
        if (++steps > YamlReader.VALUES_MAX || depth > YamlReader.DEPTH_MAX) {
            at = tokens.size() - 1;
            return;
        }
        if (token().kind() == Kind.IN) {
            at++;
            block();
            at += token().kind() == Kind.OUT ? 1 : 0;
            return;
        }
        switch (token().text()) {
            case "if" -> branches();
            case "for" -> loop();
            case "def", "class", "async" -> inItsPlace();
            case "with", "try" -> {
                forgetNames(at, header(), true);
                body();
            }
            case "while", "except", "else", "finally", "elif" -> {
                header();
                forget();
            }
            default -> simple(lineEnd());
        }
    }

    /** Index of the line's end. */
    private int lineEnd() {
        int end = at;
        while (tokens.get(end).kind() != Kind.LINE && tokens.get(end).kind() != Kind.END) {
            end++;
        }
        return end;
    }

    /** Skips a statement's header; returns the index of its colon. */
    private int header() {
        int open = 0;
        int end = at;
        for (; tokens.get(end).kind() != Kind.LINE && tokens.get(end).kind() != Kind.END; end++) {
            open += tokens.get(end).nesting();
            if (open == 0 && tokens.get(end).is(":")) {
                at = end + 1;
                return end;
            }
        }
        at = end;
        return end;
    }

    /** Reads the rest of a header's line, or the block below it. */
    private void body() {
        if (token().kind() != Kind.LINE) {
            simple(lineEnd());
            return;
        }
        at++;
        if (token().kind() == Kind.IN) {
            statement();
        }
    }

    /** Skips a body; names that it assigns become unknown. */
    private void forget() {
        int start = at;
        int open = 0;
        boolean inBlock = token().kind() == Kind.LINE
                && tokens.get(Math.min(at + 1, tokens.size() - 1)).kind() == Kind.IN;
        if (inBlock) {
            for (at++; token().kind() != Kind.END; at++) {
                open += token().kind() == Kind.IN ? 1 : token().kind() == Kind.OUT ? -1 : 0;
                if (open == 0) {
                    at++;
                    break;
                }
            }
        } else {
            at = Math.min(lineEnd() + 1, tokens.size() - 1);
        }
        for (int i = start; i < at; i++) {
            boolean begins = i == start
                    || tokens.get(i - 1).kind() != Kind.NAME
                            && tokens.get(i - 1).kind() != Kind.SIGN;
            if (begins && tokens.get(i).kind() == Kind.NAME) {
                forgetTarget(i);
            }
            if (tokens.get(i).kind() == Kind.NAME && tokens.get(i + 1).is("(")) {
                undecided.add(tokens.get(i));
            }
        }
    }

    /** Forgets names bound by {@code :=}; in a statement's header, any name may be bound. */
    private void forgetNames(int start, int end, boolean head) {
        for (int i = start; i < end; i++) {
            Token next = tokens.get(i + 1);
            boolean other = tokens.get(i).kind() != Kind.NAME || next.is(".") || next.is("(") || next.is("[");
            if (next.is(":=") || head && !other) {
                set.remove(tokens.get(i).text());
            }
        }
    }

    private void forgetTarget(int target) {
        String name = tokens.get(target).text();
        Token next = tokens.get(target + 1);
        if (next.is("[") && tokens.get(target + 2).kind() == Kind.TEXT && set.get(name) instanceof Mapping block) {
            Token key = tokens.get(target + 2);
            set.put(name, with(block, key.text(), origins.unknown(key.at(), "what a condition decides"), key.at()));
        } else if (next.is("=") || next.is("[") || next.is("+=")) {
            set.remove(name);
        }
    }

    private void branches() {
        boolean done = false;
        boolean decided = true;
        while (token().is("if") || token().is("elif") || token().is("else")) {
            boolean last = token().is("else");
            int start = at + 1;
            int end = header();
            forgetNames(start, end, false);
            Boolean holds = last ? Boolean.TRUE : decided && !done ? condition(start, end) : Boolean.FALSE;
            decided &= holds != null;
            if (!done && decided && Boolean.TRUE.equals(holds)) {
                done = true;
                int body = at;
                body();
                ran.set(body, at);
            } else if (done || decided) {
                skip();
            } else {
                forget();
            }
            if (last) {
                return;
            }
        }
    }

    /** Skips a body that does not run. */
    private void skip() {
        Map<String, YamlNode> before = new LinkedHashMap<>(set);
        int calls = undecided.size();
        int start = at;
        forget();
        skipped.set(start, at);
        set = before;
        undecided.subList(calls, undecided.size()).clear();
    }

    private @Nullable Boolean condition(int start, int end) {
        try {
            YamlNode value = expressions.read(start, end);
            boolean holds = expressions.isTrue(value);
            expressions
                    .defaults()
                    .forEach(flag ->
                            origins.decided.put(flag, tokens.get(start).at().line()));
            return holds;
        } catch (Unreadable unknown) {
            return null;
        }
    }

    /** Reads a loop over the items of a known dict. */
    private void loop() {
        int start = at;
        int end = header();
        boolean items = end - start == 10
                && tokens.get(start + 2).is(",")
                && tokens.get(start + 4).is("in")
                && tokens.get(start + 7).is("items");
        if (!items || !(set.get(tokens.get(start + 5).text()) instanceof Mapping block)) {
            forgetNames(start, end, true);
            forget();
            return;
        }
        int body = at;
        for (Entry entry : block.entries()) {
            at = body;
            set.put(tokens.get(start + 1).text(), new Scalar(entry.keyPosition(), entry.key(), false));
            set.put(tokens.get(start + 3).text(), entry.value());
            body();
        }
        if (block.entries().isEmpty()) {
            skip();
        }
    }

    /** Reads a function or class, which has its own scope. */
    private void inItsPlace() {
        Map<String, YamlNode> outside = new LinkedHashMap<>(set);
        String around = function;
        int head = at;
        int end = header();
        forgetNames(head, end, true);
        if (tokens.get(head).is("def")) {
            function = tokens.get(head + 1).text();
            parameters(head + 1);
        }
        body();
        function = around;
        set = outside;
    }

    /** Sets the parameters that the function's only call leaves at their defaults, or passes results of {@code parse_args} to. */
    private void parameters(int name) {
        List<Integer> uses = IntStream.range(1, tokens.size() - 1)
                .filter(i -> i != name && tokens.get(i).is(function))
                .boxed()
                .toList();
        int use = uses.isEmpty() ? name : uses.get(0);
        if (uses.size() != 1
                || !tokens.get(use + 1).is("(")
                || tokens.get(use - 1).is(".")) {
            return;
        }
        Map<String, int[]> passed = arguments(use + 2, true);
        int place = 0;
        for (Map.Entry<String, int[]> each : arguments(name + 2, false).entrySet()) {
            int[] given = passed.getOrDefault(each.getKey(), passed.get(String.valueOf(place++)));
            int[] range = given == null ? each.getValue() : given;
            YamlNode value = given == null ? read(range[0], range[1]) : passed(range);
            if (value != null && !passed.containsKey("*") && !passed.containsKey("**")) {
                set.put(each.getKey(), value);
            }
        }
    }

    /** Parsed arguments, or one of them. */
    private @Nullable YamlNode passed(int[] range) {
        String written =
                tokens.subList(range[0], range[1]).stream().map(Token::text).collect(Collectors.joining());
        int dot = written.indexOf('.');
        Mapping known = parsed.get(dot < 0 ? written : written.substring(0, dot));
        return dot < 0 ? origins.isParsed(known) ? known : null : origins.attribute(known, written.substring(dot + 1));
    }

    /** Token ranges of argument values, by name, or by position; for a definition, ranges of the defaults. */
    private Map<String, int[]> arguments(int start, boolean call) {
        Map<String, int[]> values = new LinkedHashMap<>();
        int from = start;
        int sign = -1;
        int open = 0;
        for (int i = start; open >= 0 && tokens.get(i).kind() != Kind.END; i++) {
            open += tokens.get(i).nesting();
            sign = open == 0 && tokens.get(i).is("=") ? i : sign;
            if (open < 0 || open == 0 && tokens.get(i).is(",")) {
                String first = tokens.get(from).text();
                boolean named = sign > 0 || !call || first.startsWith("*");
                int value = sign > 0 ? sign + 1 : call ? from : i;
                values.put(named ? first : String.valueOf(values.size()), new int[] {value, i});
                from = i + 1;
                sign = -1;
            }
        }
        return values;
    }

    private @Nullable YamlNode read(int start, int end) {
        try {
            return expressions.read(start, end);
        } catch (Unreadable unknown) {
            return null;
        }
    }

    /** Reads a simple statement: an assignment, a call, or any other. */
    private void simple(int end) {
        int start = at;
        at = Math.min(end + 1, tokens.size() - 1);
        int open = 0;
        int from = start;
        List<Integer> signs = new ArrayList<>();
        for (int i = start; i <= end; i++) {
            Token token = tokens.get(i);
            open += token.nesting();
            if (open == 0 && token.is("=")) {
                signs.add(i);
            }
            if (i == end || open == 0 && token.is(";")) {
                assign(from, signs, i);
                from = i + 1;
                signs.clear();
            }
        }
    }

    private void assign(int start, List<Integer> signs, int end) {
        int valueStart = signs.isEmpty() ? start : signs.get(signs.size() - 1) + 1;
        boolean returns = tokens.get(valueStart).is("return");
        boolean word = returns || tokens.get(valueStart).is("await");
        YamlNode value = read(word ? valueStart + 1 : valueStart, end);
        if (returns && value instanceof Mapping block && origins.isParsed(block)) {
            parsed.put(function + "()", block);
        }
        forgetNames(start, end, false);
        int target = start;
        for (int sign : signs) {
            set(target, sign, value);
            target = sign + 1;
        }
        if (signs.isEmpty() && start + 1 < end && tokens.get(start + 1).text().matches("[-+*/]=")) {
            set.remove(tokens.get(start).text());
        }
        if (signs.isEmpty()
                && end - start > 3
                && tokens.get(start + 2).is("update")
                && set.get(tokens.get(start).text()) instanceof Mapping block
                && value instanceof Mapping more) {
            Mapping all = block;
            for (Entry entry : more.entries()) {
                all = with(all, entry.key(), entry.value(), entry.keyPosition());
            }
            set.put(tokens.get(start).text(), all);
        }
    }

    /** Assigns to {@code name}, {@code name: type} or {@code name[key]}. */
    private void set(int start, int end, @Nullable YamlNode value) {
        String name = tokens.get(start).text();
        if (value instanceof Sequence list
                && tokens.get(start + 1).is(",")
                && end - start == 2 * list.items().size() - 1) {
            for (int i = 0; i < list.items().size(); i++) {
                YamlNode item = list.items().get(i);
                set(start + 2 * i, start + 2 * i + 1, origins.isUnknown(item) ? null : item);
            }
            return;
        }
        if (value instanceof Mapping block && origins.isParsed(block)) {
            parsed.merge(name, block, (before, now) -> origins.isParsed(before) ? now : before);
        } else {
            parsed.computeIfPresent(name, (same, before) -> new Mapping(before.position(), List.of()));
        }
        boolean plain =
                end == start + 1 || end > start + 1 && tokens.get(start + 1).is(":");
        if (plain && value != null) {
            set.put(name, value);
        } else if (plain) {
            set.remove(name);
        } else if (!tokens.get(start + 1).is("[") && !tokens.get(start + 1).is(".")) {
            forgetNames(start, end, true);
        } else if (tokens.get(start + 1).is("[") && set.get(name) instanceof Mapping block) {
            try {
                if (expressions.read(start + 2, end - 1) instanceof Scalar key) {
                    set.put(
                            name,
                            with(block, key.text(), value, tokens.get(start).at()));
                }
            } catch (Unreadable unknown) {
                set.remove(name);
            }
        }
    }

    /** The mapping with a key set to a value, or removed if the value is unknown. */
    private static Mapping with(Mapping block, String key, @Nullable YamlNode value, Position place) {
        List<Entry> entries = new ArrayList<>(block.entries());
        entries.removeIf(entry -> entry.key().equals(key));
        if (value != null) {
            entries.add(new Entry(key, place, value));
        }
        return new Mapping(block.position(), entries);
    }
}

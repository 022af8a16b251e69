package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.importing.PythonTokens.Kind;
import io.shardsim.scenarios.importing.PythonTokens.Token;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A script's declared arguments, with the values they have when none are passed (docs.python.org/3/library/argparse.html). */
final class PythonArguments {
    /** An assignment to an attribute, or a statement that starts with one. */
    private static final Pattern SETS = Pattern.compile(
            "(?m)(?:(?<=\\. )\\w+(?= (?:(?:[%&|^@]|//|\\*\\*) )?[-+*/]?= )|(?<=^\\w{1,99} \\. )\\w+ (?!\\())");

    private static final Pattern SETS_ANY = Pattern.compile("setattr|__dict__|set_defaults");

    private final Origins origins;
    /** Statements that may set any argument. */
    private final List<String> setAny;

    private final Map<String, Entry> declared = new LinkedHashMap<>();
    private final Set<String> set;

    PythonArguments(List<Token> tokens, Origins origins) {
        this.origins = origins;
        setAny = tokens.stream()
                .filter(token -> token.kind() == Kind.NAME
                        && SETS_ANY.matcher(token.text()).matches())
                .map(token ->
                        " after " + token.text() + " in line " + token.at().line())
                .collect(Collectors.toCollection(ArrayList::new));
        String text = tokens.stream()
                .map(token -> token.kind() == Kind.NAME || token.kind() == Kind.SIGN
                        ? token.text() + " "
                        : token.kind() == Kind.TEXT || token.kind() == Kind.NUMBER ? "0 " : "\n")
                .collect(Collectors.joining());
        set = SETS.matcher(text).results().map(each -> each.group().strip()).collect(Collectors.toSet());
    }

    /** Handles {@code add_argument}. */
    void declare(Position place, List<YamlNode> names, Mapping options) {
        List<String> flags = names.stream()
                .filter(name -> name instanceof Scalar && !origins.isUnknown(name))
                .map(name -> ((Scalar) name).text())
                .toList();
        if (flags.isEmpty()) {
            return;
        }
        String flag =
                flags.stream().filter(each -> each.startsWith("--")).findFirst().orElse(flags.get(0));
        String name = word(options, "dest", flag.replaceFirst("^-+", "").replace('-', '_'));
        boolean optional = flag.startsWith("-")
                ? word(options, "required", "false").equals("false")
                : word(options, "nargs", "").matches("[?*]");
        YamlNode value = optional ? otherwise(place, options) : origins.unknown(place, flag + " of the command line");
        Entry before = declared.put(name, new Entry(name, place, value));
        if (before != null && !before.keyPosition().equals(place)) {
            set.add(name);
        }
        origins.assume(value, flag);
    }

    /** Handles {@code set_defaults}; literals override earlier defaults. */
    void preset(Position place, List<Entry> defaults) {
        if (defaults.stream().allMatch(each -> declared.containsKey(each.key()) && !origins.isUnknown(each.value()))) {
            defaults.forEach(each -> declared.replace(each.key(), each));
            defaults.forEach(each -> origins.assume(each.value(), each.key()));
            setAny.remove(" after set_defaults in line " + place.line());
        }
    }

    private YamlNode otherwise(Position place, Mapping options) {
        Entry given = options.entry("default");
        String action = word(options, "action", "");
        String type = word(options, "type", "str");
        if (given == null) {
            String none = action.equals("store_true") ? "false" : action.equals("store_false") ? "true" : "null";
            return new Scalar(place, none, true);
        }
        boolean made = !type.equals("str") && given.value() instanceof Scalar text && !text.plain();
        String text = word(options, "default", "").strip();
        Scalar number = new Scalar(place, text, true);
        boolean converts = type.matches("int|float") && number.isNumber();
        return !made ? given.value() : converts ? number : origins.unknown(place, type + "(" + text + ")");
    }

    private static String word(Mapping options, String key, String otherwise) {
        Entry entry = options.entry(key);
        return entry != null && entry.value() instanceof Scalar word ? word.text() : otherwise;
    }

    /** The result of {@code parse_args}; null if no arguments are declared. */
    @Nullable
    Mapping parsed(Position place) {
        return declared.isEmpty() ? null : parsed(place, declared.values());
    }

    /** The parsed attributes, except for those that the script assigns later. */
    Mapping parsed(Position place, Collection<Entry> attributes) {
        return origins.parsed(
                new Mapping(place, attributes.stream().map(this::unlessSet).toList()));
    }

    private Entry unlessSet(Entry entry) {
        String how =
                set.contains(entry.key()) ? " after the script sets it again" : setAny.isEmpty() ? "" : setAny.get(0);
        Position place = entry.keyPosition();
        return how.isEmpty() || origins.isUnknown(entry.value())
                ? entry
                : new Entry(entry.key(), place, origins.unknown(place, entry.key(), how));
    }
}

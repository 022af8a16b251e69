package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.yaml.Position;
import io.shardsim.scenarios.yaml.Problems;
import io.shardsim.scenarios.yaml.YamlNode;
import io.shardsim.scenarios.yaml.YamlNode.Mapping;
import io.shardsim.scenarios.yaml.YamlReader;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file of a framework into a block of values with places. Its name says whether it is YAML, JSON, Python or a shell script, else its first letters do.
 */
final class ForeignReader {
    private static final Pattern SHEBANG = Pattern.compile("\\s*#!.*");
    private static final Pattern ASSIGNMENT = Pattern.compile("\\s*[A-Za-z_][\\w.]* *= *[^=].*", Pattern.DOTALL);
    private static final Pattern ARGUMENTS = Pattern.compile("(^|[\\s\"'(])--[a-z][a-z0-9]");

    private ForeignReader() {}

    /** The block of the file, or null after a problem. */
    static @Nullable Mapping read(String file, String text, Problems problems) {
        if (text.isBlank()) {
            problems.add(Position.START, "is empty; name a configuration of a framework");
            return null;
        }
        int before = problems.size();
        YamlNode root = root(file.toLowerCase(Locale.ROOT), text, problems);
        if (root instanceof Mapping block) {
            return block;
        }
        if (problems.size() == before) {
            problems.add(
                    Position.START,
                    root == null ? Importers.unknown() : "is " + root.kind() + "; " + Importers.unknown());
        }
        return null;
    }

    private static @Nullable YamlNode root(String file, String text, Problems problems) {
        String start = text.substring(0, Math.min(4096, text.length()));
        if (file.endsWith(".json") || file.endsWith(".py")) {
            return LiteralReader.read(text, problems);
        }
        if (file.endsWith(".yaml") || file.endsWith(".yml")) {
            return YamlReader.readText(text, problems);
        }
        if (file.endsWith(".sh")
                || file.endsWith(".bash")
                || file.endsWith(".slurm")
                || SHEBANG.matcher(start).lookingAt()) {
            return ArgumentReader.read(text, Importers.argumentNames(), problems);
        }
        String first = withoutComments(text);
        if (first.startsWith("{")) {
            return LiteralReader.read(text, problems);
        }
        Mapping arguments =
                looksLikeArguments(text) ? ArgumentReader.read(text, Importers.argumentNames(), problems) : null;
        if (arguments != null) {
            return arguments;
        }
        return ASSIGNMENT
                        .matcher(first.substring(0, Math.min(400, first.length())))
                        .matches()
                ? LiteralReader.read(text, problems)
                : YamlReader.readText(text, problems);
    }

    private static boolean looksLikeArguments(String text) {
        return text.lines()
                .limit(2000)
                .anyMatch(
                        line -> line.length() < 2000 && ARGUMENTS.matcher(line).find());
    }

    /** From the first letter on that stands in no comment. */
    private static String withoutComments(String text) {
        int at = 0;
        while (at < text.length()
                && (Character.isWhitespace(text.charAt(at)) || text.charAt(at) == '#' || text.charAt(at) == '\ufeff')) {
            int end = text.indexOf('\n', at);
            at = text.charAt(at) != '#' ? at + 1 : end < 0 ? text.length() : end;
        }
        return text.substring(at);
    }
}

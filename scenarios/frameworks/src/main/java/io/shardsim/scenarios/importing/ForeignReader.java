package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a framework's file into nested values with positions. The file name tells whether it is YAML, JSON, Python or a shell script, else its first
 * characters do.
 */
final class ForeignReader {
    private static final Pattern SHEBANG = Pattern.compile("\\s*#!.*");
    private static final Pattern ASSIGNMENT = Pattern.compile("\\s*[A-Za-z_][\\w.]* *= *[^=].*", Pattern.DOTALL);
    private static final Pattern ARGUMENTS = Pattern.compile("(^|[\\s\"'(])--[a-z][a-z0-9]");

    private static final Pattern SECTION = Pattern.compile("(?m)^\\[+[A-Za-z_][\\w.-]*+]+[ \\t\\r]*$");

    /** Statements that scripts have but pasted snippets do not. */
    private static final Pattern STATEMENT =
            Pattern.compile("(?m)^(import|from|def|class|for|while|with|if|try|async|@|[\\w.]+\\()|^\\w+ *, *\\w+.*=");

    private ForeignReader() {}

    /**
     * Content of a file.
     *
     * @param arguments whether it is the arguments of a command
     * @param more further configurations in the same script
     * @param origins origins of the values
     */
    record Content(Mapping root, boolean arguments, List<Mapping> more, Origins origins) {
        Content(Mapping root, boolean arguments, Origins origins) {
            this(root, arguments, List.of(), origins);
        }
    }

    /** The file's content; null after a problem. */
    static @Nullable Content read(String file, String text, Problems problems) {
        if (text.isBlank()) {
            return problems.refuse(Position.START, "is empty; pass a framework config");
        }
        int before = problems.size();
        String name = file.toLowerCase(Locale.ROOT);
        boolean shell = isShell(name, text);
        Mapping command = shell ? null : Manifest.command(text, problems);
        if (command != null) {
            return new Content(command, true, new Origins());
        }
        boolean likely =
                shell || !hasLanguage(name) && !withoutComments(text).startsWith("{") && looksLikeArguments(text);
        Mapping arguments = likely ? arguments(text, problems) : null;
        if (arguments != null) {
            return new Content(arguments, true, new Origins());
        }
        Content called = shell ? null : called(name, text, problems);
        if (called != null || problems.size() > before) {
            return called;
        }
        String unread = shell
                ? Known.unread(new Mapping(Position.START, List.of()), text.toLowerCase(Locale.ROOT))
                : Known.unread(text, name.endsWith(".py"));
        if (unread != null) {
            return problems.refuse(Position.START, unread);
        }
        Origins origins = new Origins();
        YamlNode root = shell ? null : values(name, text, origins, problems);
        if (root instanceof Mapping block) {
            return new Content(block, false, origins);
        }
        if (problems.size() == before) {
            problems.add(
                    Position.START,
                    shell
                            ? "is a shell script without a training command; pass the script that has its arguments"
                            : root == null
                                    ? Importers.unknown(false)
                                    : "is " + root.kind() + "; " + Importers.unknown(false));
        }
        return null;
    }

    /** Configurations in the calls of a Python script or notebook; null for other files, and for a script that is only a pasted snippet. */
    private static @Nullable Content called(String file, String text, Problems problems) {
        boolean script = file.endsWith(".py") && Known.unread(text, true) == null;
        if (!script && !file.endsWith(".ipynb")) {
            return null;
        }
        Problems literal = new Problems(file);
        Origins origins = new Origins();
        YamlNode root = LiteralReader.read(text, origins, literal);
        int before = problems.size();
        String code = root == null || script ? text : PythonNotebook.code(root, problems);
        if (script
                && literal.size() == 0
                && root instanceof Mapping block
                && !text.contains("set_hyperparameters")
                && Importers.recognize(block, false) != null) {
            return new Content(block, false, origins);
        }
        if (code == null) {
            return null;
        }
        PythonScript.Outcome outcome = PythonScript.read(code);
        List<Mapping> blocks = PythonCalls.in(outcome, problems);
        if (script
                && blocks.isEmpty()
                && problems.size() == before
                && STATEMENT.matcher(text).find()) {
            problems.add(
                    Position.START,
                    "is a Python script without an estimator or TrainingArguments; pass the training arguments "
                            + "as JSON, YAML or a shell script");
        }
        return blocks.isEmpty()
                ? null
                : new Content(blocks.get(0), false, blocks.subList(1, blocks.size()), outcome.origins());
    }

    private static boolean isToml(String file, String text) {
        return file.endsWith(".toml")
                || !hasLanguage(file)
                        && SECTION.matcher(text).find()
                        && !withoutComments(text).startsWith("{");
    }

    private static boolean isShell(String file, String text) {
        return file.endsWith(".sh")
                || file.endsWith(".bash")
                || file.endsWith(".slurm")
                || SHEBANG.matcher(text.substring(0, Math.min(4096, text.length())))
                        .lookingAt();
    }

    private static boolean hasLanguage(String file) {
        return file.endsWith(".json") || file.endsWith(".py") || file.endsWith(".yaml") || file.endsWith(".yml");
    }

    private static @Nullable YamlNode values(String file, String text, Origins origins, Problems problems) {
        if (isToml(file, text)) {
            return TomlReader.read(text, problems);
        }
        String first = withoutComments(text);
        String start = first.substring(0, Math.min(400, first.length()));
        boolean literals = hasLanguage(file)
                ? !file.endsWith("ml")
                : first.startsWith("{") || ASSIGNMENT.matcher(start).matches();
        return literals ? LiteralReader.read(text, origins, problems) : YamlReader.readText(text, problems);
    }

    static @Nullable Mapping arguments(String text, Problems problems) {
        return ArgumentReader.read(text, Importers.dashedNames(), Importers.underscoredNames(), problems);
    }

    private static boolean looksLikeArguments(String text) {
        return text.lines()
                .limit(2000)
                .anyMatch(
                        line -> line.length() < 2000 && ARGUMENTS.matcher(line).find());
    }

    /** The text from its first character outside comments. */
    private static String withoutComments(String text) {
        int at = 0;
        while (at < text.length()
                && (Character.isWhitespace(text.charAt(at)) || text.charAt(at) == '#' || text.charAt(at) == '\ufeff')) {
            int end = text.charAt(at) == '#' ? text.indexOf('\n', at) : at + 1;
            at = end < 0 ? text.length() : end;
        }
        return text.substring(at);
    }
}

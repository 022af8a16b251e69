import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.cli.ShardsimCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Writes a manual page of each command, from the model that its {@code --help} is made of. Started by {@code Stage}, with the runnable jar. */
final class Manual {
    private final StringBuilder page = new StringBuilder();

    private Manual() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        CommandLine root = ShardsimCommand.commandLine(Main.services());
        write(folder, root, arguments[1]);
        for (CommandLine command : root.getSubcommands().values()) {
            write(folder, command, arguments[1]);
        }
    }

    private static void write(Path folder, CommandLine command, String version) throws IOException {
        String name = name(command);
        Files.writeString(folder.resolve(name + ".1"), new Manual().page(command, name, version));
    }

    private static String name(CommandLine command) {
        return command.getCommandSpec().qualifiedName("-");
    }

    private String page(CommandLine command, String name, String version) {
        CommandSpec spec = command.getCommandSpec();
        UsageMessageSpec usage = spec.usageMessage();
        page.append(".TH ").append(name.toUpperCase(Locale.ROOT)).append(" 1 \"\" \"shardsim ").append(version).append("\"\n");
        section("Name");
        line(name + " - " + summary(command));
        section("Synopsis");
        page.append(".nh\n.ad l\n");
        line(command.getHelp().synopsis(0).replaceAll("\\s+", " ").strip());
        page.append(".ad\n");
        section("Description");
        text(usage.description());
        if (!command.getSubcommands().isEmpty()) {
            section("Commands");
            command.getSubcommands().forEach((each, line) -> item(each, summary(line)));
        }
        section("Options");
        spec.positionalParameters().stream().filter(each -> !each.hidden()).forEach(each -> item(each.paramLabel(), each.description()));
        spec.options().stream().filter(each -> !each.hidden()).forEach(each -> item(
                Stream.of(each.names()).collect(Collectors.joining(", ")) + (each.arity().max() > 0 ? "=" + each.paramLabel() : ""),
                each.description()));
        if (!usage.exitCodeList().isEmpty()) {
            section("Exit status");
            usage.exitCodeList().forEach((status, meaning) -> item(status, meaning));
        }
        if (usage.footer().length > 0) {
            section("Notes");
            text(usage.footer());
        }
        section("See also");
        CommandLine parent = command.getParent();
        line((parent == null ? command.getSubcommands().values().stream() : Stream.of(parent))
                .map(each -> name(each) + "(1)")
                .collect(Collectors.joining(", ")));
        return page.toString();
    }

    private static String summary(CommandLine command) {
        String about = String.join(" ", command.getCommandSpec().usageMessage().description());
        return about.replaceFirst("(?s)(?<=[.:;]) .*", "").replaceFirst("[.:;]$", "");
    }

    private void section(String title) {
        page.append(".SH ").append(title.toUpperCase(Locale.ROOT)).append('\n');
    }

    private void item(String term, String... about) {
        page.append(".TP\n.B ");
        line(term);
        line(String.join(" ", about));
    }

    /** Paragraphs; lines that begin with a blank stand as they are. */
    private void text(String... lines) {
        for (String each : lines) {
            if (each.isBlank()) {
                page.append(".PP\n");
            } else if (each.startsWith(" ")) {
                page.append(".nf\n");
                line(each);
                page.append(".fi\n");
            } else {
                line(each);
            }
        }
    }

    /** A line of which no character means something to the formatter; a hyphen is one that can be copied. */
    private void line(String text) {
        String safe = text.replace("%n", " ").replace("%%", "%").replace("\\", "\\e").replace("-", "\\-");
        page.append(safe.startsWith(".") || safe.startsWith("'") ? "\\&" : "").append(safe).append('\n');
    }
}

package io.shardsim.scenarios.cli;

import io.shardsim.reports.MessageCode;
import io.shardsim.reports.MessagePage;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.simulator.Nearest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** {@code help [COMMAND|CODE]}: describes a command or a message code. */
@Command(name = "help", description = "Shows the help of a command, or what a message code means.")
final class HelpCommand extends Speaking {
    @Parameters(
            arity = "0..1",
            paramLabel = "COMMAND|CODE",
            description = "Command or message code, for example " + "run or memory-edge.")
    private @Nullable String topic;

    @Override
    int answer() {
        CommandLine root = line().getParent();
        CommandLine command = topic == null ? root : root.getSubcommands().get(topic);
        if (command != null) {
            command.usage(out());
            if (topic == null) {
                print("", "Message codes, for shardsim help CODE: " + String.join(", ", MessageCode.ids()));
            }
            return ExitStatus.DONE;
        }
        String name = String.valueOf(topic);
        MessagePage page =
                MessageCode.of(name).orElseThrow(() -> unknown(name, root)).page();
        print(name + ": " + page.headline());
        page.paragraphs().forEach(paragraph -> print("", paragraph));
        return ExitStatus.DONE;
    }

    private ParameterException unknown(String name, CommandLine root) {
        List<String> known = new ArrayList<>(root.getSubcommands().keySet());
        known.addAll(MessageCode.ids());
        return refused(name + " is neither a command nor a message code; " + Nearest.remedy(name, known));
    }

    private void print(String... paragraphs) {
        Paragraphs text = new Paragraphs(Terminal.width());
        for (String paragraph : paragraphs) {
            text.line(paragraph, "");
        }
        out().print(text);
        out().flush();
    }
}

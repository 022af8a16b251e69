package io.shardsim.scenarios.fuzz;

import io.shardsim.scenarios.evaluation.RandomScenario;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Whole commands with their options on a file. The first line of an input has the arguments, which call the rest of the input FILE. */
final class CommandTarget implements Target {
    private static final List<String> COMMANDS = List.of(
            "run FILE --json",
            "run FILE -v",
            "run FILE --json --set training.micro_batch=VALUE",
            "run FILE --json --set cluster.nodes=VALUE",
            "run FILE --json --set strategy={kind:VALUE}",
            "run FILE --json --tokens VALUE",
            "critical-path FILE",
            "critical-path FILE#VALUE",
            "import FILE",
            "import FILE --nodes VALUE --json",
            "validate FILE",
            "catalog VALUE",
            "catalog instances VALUE",
            "compare FILE FILE#VALUE",
            "what-if FILE --json",
            "explain FILE --measured VALUE");
    private static final List<String> VALUES = List.of(
            "1",
            "2",
            "0",
            "-1",
            "1.5",
            "[1,2]",
            "[",
            "{",
            "]",
            "1e9",
            "99999999999999999999",
            "NaN",
            "mics",
            "zero3",
            "models",
            "gpus",
            "kind=mics",
            "a=b,",
            "100B",
            "1e400 tokens/s",
            "training.micro_batch",
            "strategy",
            "\u00e9",
            "\"",
            "&a",
            "*a",
            "!!int");

    private final FuzzShell shell = new FuzzShell();

    CommandTarget() throws IOException {}

    @Override
    public byte[] input(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String command = COMMANDS.get(random.nextInt(COMMANDS.size()));
        while (command.contains("VALUE")) {
            command = command.replaceFirst(
                    "VALUE",
                    VALUES.get(random.nextInt(VALUES.size())).replace(' ', '_').replace("\\", ""));
        }
        String file = RandomScenario.text(random.nextLong());
        return (command + "\n" + (random.nextInt(3) == 0 ? new Damage(random).text(file) : file))
                .getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Outcome outcome(byte[] input) throws IOException {
        String whole = new String(input, StandardCharsets.UTF_8);
        String command = whole.lines().findFirst().orElse("");
        String file = shell.file("fuzzed.yaml").toString();
        Files.writeString(shell.file("fuzzed.yaml"), whole.substring(Math.min(whole.length(), command.length() + 1)));
        List<String> arguments = new ArrayList<>();
        for (String word : command.split(" ")) {
            arguments.add(word.replace("FILE", file).replace('_', ' '));
        }
        if (command.startsWith("run")) {
            arguments.addAll(List.of("-o", shell.file("report").toString()));
        }
        return shell.outcome(arguments, whole);
    }
}

package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.scenario.Task;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Usage, help and what else needs no simulation. */
class CommandUsageTest extends WithoutSimulation {
    @Test
    void whatIsWrongWithASetValueIsToldAtItsNumber() throws IOException {
        assertThat(shell.shardsim(
                        "run",
                        file("a.yaml", TRAINING),
                        "--set",
                        "training.micro_batch=many",
                        "--set",
                        "slow_nic=50 Gbit/s",
                        "--set",
                        "training.atention=flash",
                        "--set",
                        "nonsense",
                        "--set",
                        "model.layers=3",
                        "--set",
                        "sweep.cluster.nodes=[1,4]",
                        "--set",
                        "search.cluster.nodes=2",
                        "--set",
                        "training.precision=[bf16"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err().lines())
                .startsWith(
                        "--set 1: micro_batch many is a string; write a whole number from 1 to 65536",
                        "--set 2: key slow_nic is in several blocks; write cluster.slow_nic or faults.slow_nic=...",
                        "--set 3: unknown key atention; did you mean attention?",
                        "--set 4: nonsense is not KEY=VALUE with a dotted scenario key; write for example "
                                + "training.micro_batch=4",
                        "--set 5: model.layers needs a block, but model is a string; set model itself",
                        "--set 6: sweep.cluster.nodes=[1,4] is not KEY=VALUE with a dotted scenario key; write "
                                + "cluster.nodes=[1,4]",
                        "--set 7: search.cluster.nodes=2 is not KEY=VALUE with a dotted scenario key; write "
                                + "cluster.nodes=2")
                .hasSize(8)
                .last()
                .asString()
                .startsWith("--set 8: ");
        assertThat(created).isEmpty();
    }

    @Test
    void whatCannotBeSetIsToldAsSuch() throws IOException {
        assertThat(shell.shardsim(
                        "run",
                        file("a.yaml", TRAINING),
                        "--set",
                        "training.micro_batch=",
                        "--set",
                        "scenario=zz",
                        "--set",
                        "foo=1",
                        "--set",
                        "trainin=1"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err().lines().toList())
                .hasSize(4)
                .contains(
                        "--set 1: training.micro_batch has no value; write training.micro_batch=VALUE",
                        "--set 2: scenario is the name of the whole file and cannot be set; write it in the file",
                        "--set 4: unknown key trainin; did you mean training?")
                .anySatisfy(line -> assertThat(line)
                        .startsWith("--set 3: unknown key foo; ")
                        .contains("model", "cluster", "training")
                        .doesNotContain("scenario", "sweep", "search"));
    }

    /** A command is a client: there is nothing to forget. */
    @Test
    void runOfAClusterHasNoHostToForget() throws IOException {
        assertThat(shell.shardsim("run", file("a.yaml", TRAINING), "--cluster", "127.0.0.1:1", "--host", "here"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("--host");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--host", "--bind"})
    void workerBeyondLoopbackNeedsTlsOrAnOptionThatSaysWithout(String option) {
        assertThat(shell.shardsim("worker", "--seed", option, "0.0.0.0")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .contains("would listen on 0.0.0.0 without TLS, so anyone who reaches the port can join")
                .contains("pass --without-tls");
    }

    @Test
    void helpExplainsCommandsAndCodes() {
        assertThat(shell.shardsim("help", "run")).isZero();
        assertThat(shell.out()).contains("--set=KEY=VALUE", "stdin");
        assertThat(shell.shardsim("help", "memory-edge")).isZero();
        assertThat(shell.out()).contains("memory-edge: Memory nearly full: may not fit");
        assertThat(shell.shardsim("completion", "--help")).isZero();
        assertThat(shell.out()).contains("source <(shardsim completion)").doesNotContain("generate-completion");
        assertThat(shell.shardsim("help", "memory-egde")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .startsWith("shardsim help: memory-egde is neither a command nor a message code; did you mean "
                        + "memory-edge?");
    }

    /** In the words of fish: options without dashes, each text in quotes that end where it ends. */
    @Test
    void completionForFishHasEveryCommandAndOption() {
        assertThat(shell.shardsim("completion", "--fish")).isZero();
        List<String> lines = shell.out().lines().toList();
        assertThat(lines)
                .allMatch(line -> line.matches("complete -c shardsim -n (\\w+|'[^']*')"
                        + "( -f| -r| -x| -[las] [\\w-]+| -[ad] '([^'\\\\]|\\\\.)+')+"));
        CommandLine root = ShardsimCommand.commandLine(shell.services());
        root.getSubcommands().forEach((name, command) -> {
            assertThat(lines).anyMatch(line -> line.contains(" -n __fish_use_subcommand -a " + name + " -d '"));
            command.getCommandSpec().options().stream()
                    .filter(option -> !option.hidden())
                    .forEach(option -> assertThat(lines)
                            .anyMatch(line -> line.contains("seen_subcommand_from " + name + "' -")
                                    && line.contains(
                                            " -l " + option.longestName().substring(2))));
        });
        assertThat(lines)
                .contains(
                        "complete -c shardsim -n '__fish_seen_subcommand_from plan' -l objective -x -a 'fastest cheapest'"
                                + " -d 'Objective'");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"run", "plan", "compare", "what-if", "explain", "doctor", "critical-path", "validate", "demo"})
    void theHelpOfWhatRunsLongHasEveryStatusOfAnInterruption(String command) {
        assertThat(shell.shardsim(command, "--help")).isZero();
        assertThat(shell.out()).containsPattern("129, 130, 143 +interrupted by SIGHUP, SIGINT \\(Ctrl-C\\), SIGTERM");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rnu | shardsim: unknown command rnu; did you mean run?",
                "'' | shardsim: a command is missing",
                "plen x.yaml | shardsim: unknown command plen; did you mean plan?",
                "run | shardsim run: Missing required parameter: 'FILE'",
                "run --jsn x | shardsim run: unknown option --jsn; did you mean --json?",
                "run --threads 0 x | shardsim run: Invalid value for option '--threads': '0' is not between 1 "
                        + "and 1024; leave it out for one per core",
                "run --threads many x | shardsim run: Invalid value for option '--threads': 'many' is not "
                        + "between 1 and 1024; leave it out for one per core",
                "run --out  x | shardsim run: Invalid value for option '--out': it is empty; name a folder, or leave it out",
                "import x.json --instance p4d | shardsim import: --instance p4d is not in the catalog; did you mean p4d.24xlarge or p4de.24xlarge?",
                "import x.json --nodes 0 | shardsim import: --nodes 0 is not from 1 to 65536",
                "catalog modles | shardsim catalog: no kind or entry modles in the catalog; did you mean models?",
                "catalog zzzzzz | shardsim catalog: no kind or entry zzzzzz in the catalog; kinds: models, instances, gpus, storage, collectives, strategies, schedules, releases, frameworks, modules, compilers, toolchains, optimizer-libraries, optimizers, fp8, architectures, compute, nccl, networks, tuners, smddp, faults, library",
                "catalog modles x | shardsim catalog: no kind modles in the catalog; did you mean models?",
                "catalog instances p4d | shardsim catalog: no p4d among the instances; did you mean p4d.24xlarge or p4de.24xlarge?",
                "catalog smddp gpt5 | shardsim catalog: no gpt5 among the smddp; known: smddp"
            })
    void wrongUsageIsToldInOneLineWithTheNearestThing(String arguments, String message) {
        String[] words = arguments == null || arguments.isEmpty() ? new String[0] : arguments.split(" ");
        assertThat(shell.shardsim(words)).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err().lines().findFirst()).hasValue(message);
        assertThat(shell.err().lines()).hasSize(2);
        assertThat(shell.out()).isEmpty();
    }

    @ParameterizedTest
    @Tag("slow")
    @CsvSource({
        "--help",
        "run --help",
        "catalog --help",
        "import --help",
        "--version",
        "version",
        "help",
        "help run",
        "help out-of-memory",
        "completion",
        "completion --fish",
        "catalog",
        "catalog models",
        "catalog instances",
        "catalog gpus",
        "catalog collectives",
        "catalog strategies",
        "catalog storage",
        "catalog library",
        "catalog schedules",
        "catalog tuners",
        "catalog smddp",
        "catalog gpus h200"
    })
    void helpVersionAndCatalogNeedNoSimulator(String arguments) {
        assertThat(shell.shardsim(arguments.split(" "))).isZero();
        assertThat(shell.out()).isNotBlank();
        assertThat(shell.err()).isEmpty();
        assertThat(created).isEmpty();
    }

    @Test
    void importPrintsAScenarioThatRunTakes() throws IOException {
        Path config = Files.writeString(
                folder.resolve("ds_config.json"),
                "{\"train_micro_batch_size_per_gpu\": 1, \"bf16\": {\"enabled\": true}, \"zero_optimization\": {\"stage\": 3}, \"odd\": 1}");
        assertThat(shell.shardsim("import", config.toString())).isZero();
        assertThat(shell.err()).startsWith("4 keys: 1 not modelled, 0 approximated, 3 modelled, 0 irrelevant to speed");
        assertThat(shell.err()).contains("assumed cluster.nodes: 1 (not in any file; --nodes N changes it)");
        assertThat(shell.out()).contains("#   not modelled: odd = 1: unknown key; ");
        Path scenario = Files.writeString(folder.resolve("imported.yaml"), shell.out());
        shell.shardsim("run", scenario.toString());
        assertThat(ran).hasSize(1);
        assertThat(ran.get(0).task()).isInstanceOf(Task.Training.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "--version", "-x"})
    void anUnknownCommandIsWrongUsageWhateverFollows(String option) {
        assertThat(ShardsimCommand.run(new String[] {"nosuch", option}, shell.services()))
                .isEqualTo(ExitStatus.USAGE);
    }

    /** ESC and CSI, a mark that turns the direction, one that is not seen, halves of characters and line separators. */
    @Test
    void namesOfFilesDoNotSteerTheTerminal() {
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        new PlainWriter(seen)
                .println(
                        "\u001b[31mred\u009b2J \u202ecod.exe\u2066 a\u200bb \ud83d x\u2028y: no such file\nm\u00f6del");
        assertThat(seen.toString(StandardCharsets.UTF_8))
                .isEqualTo("?[31mred?2J ?cod.exe? a?b ? x?y: no such file\nm\u00f6del" + System.lineSeparator());
        assertThat(ShardsimCommand.commandLine(shell.services()).getErr()).isInstanceOf(PlainWriter.class);
    }

    @Test
    void progressIsDrawnOverAndGoneInTheEnd() throws Exception {
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        try (ProgressBarLine line = ProgressBarLine.open(new PrintStream(seen, true, StandardCharsets.UTF_8), 60)) {
            line.show(0.25, "1 of 4 points");
            while (seen.size() == 0) {
                Thread.sleep(10);
            }
        }
        String drawn = seen.toString(StandardCharsets.UTF_8);
        assertThat(drawn).startsWith("\r1 of 4 points").doesNotContain("\n").endsWith(" \r");
    }

    @Test
    void progressSaysHowLongAndFitsTheTerminal() {
        Duration elapsed = Duration.ofSeconds(41);
        assertThat(ProgressBarLine.render(400, elapsed, "3 of 15 points", 80))
                .isEqualTo("3 of 15 points [============                  ]  40 %, 0:41 so far, 1:01 left");
        assertThat(ProgressBarLine.render(400, elapsed, "3 of 15 points", 50))
                .isEqualTo("3 of 15 points  40 %, 0:41 so far, 1:01 left");
        assertThat(ProgressBarLine.line(400, elapsed, "3 of 15 points"))
                .isEqualTo("3 of 15 points, 40 %, 0:41 so far, 1:01 left");
        assertThat(ProgressBarLine.render(0, Duration.ofHours(3), "0 of 15 points", 100))
                .endsWith("  0 %, 3:00:00 so far, time left unknown");
        for (int width = 40; width < 130; width++) {
            assertThat(ProgressBarLine.render(999, elapsed, "14 of 15 points", width))
                    .hasSizeLessThan(width);
        }
    }
}

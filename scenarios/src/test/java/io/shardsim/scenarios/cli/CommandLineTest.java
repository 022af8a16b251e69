package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.TextStyle;
import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.evaluation.ReportWriter;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.Batch;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.MemoryOwner;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options, exit statuses and streams of the command line, with a runner that does not simulate. */
class CommandLineTest {
    private static final String COLLECTIVE = """
            scenario: gather
            cluster: {instance: p4d.24xlarge, nodes: 2}
            workload: {collective: all_gather, size: 1 GiB}
            sweep: {cluster.nodes: [2, 4, 8]}
            """;
    private static final String TRAINING = """
            scenario: train
            model: gpt2-1.5b
            cluster: {instance: p4d.24xlarge, nodes: 1}
            training: {sequence_length: 1024, global_batch: 64}
            strategy: {kind: fsdp}
            """;

    @TempDir
    Path folder;

    private final List<RunOptions> created = Collections.synchronizedList(new ArrayList<>());
    private final List<ScenarioPoint> ran = Collections.synchronizedList(new ArrayList<>());
    private final Shell shell = new Shell(new Services(
            options -> {
                created.add(options);
                return new Runner();
            },
            new Reports(),
            Main::demo));
    private Function<ScenarioPoint, RunResult> answer = CommandLineTest::finished;

    private boolean failsToWrite;

    private final class Runner implements ScenarioRunner {
        @Override
        public RunResult run(ScenarioPoint point) {
            ran.add(point);
            return answer.apply(point);
        }

        @Override
        public void close() {}
    }

    private final class Reports implements ReportWriter {
        @Override
        public List<Path> write(Path directory, ScenarioResult result) throws IOException {
            if (failsToWrite) {
                throw new IOException("No space left on device");
            }
            Path file = directory.resolve("report.txt");
            Files.writeString(file, points(result));
            return List.of(file);
        }

        @Override
        public int writeFigures(Path directory, ScenarioResult result) throws IOException {
            Files.writeString(directory.resolve("curve.svg"), points(result));
            return 1;
        }

        @Override
        public String text(ScenarioResult result, TextStyle style) {
            return "table of " + result.scenario();
        }

        @Override
        public String json(List<ScenarioResult> results) {
            return "{" + results.stream().map(ScenarioResult::scenario).collect(Collectors.joining(",")) + "}\n";
        }

        private static String points(ScenarioResult result) {
            return result.runs().stream()
                    .map(run -> String.valueOf(run.facts().point()))
                    .collect(Collectors.joining("\n"));
        }
    }

    private static RunResult finished(ScenarioPoint point) {
        Task.Collective task = (Task.Collective) point.task();
        RunFacts facts = RunFacts.of(
                point.scenario(),
                point.values(),
                point.cluster(),
                new RunFacts.Collective(CollectiveKind.ALL_GATHER, task.totalBytes(), "ring", "nccl"),
                new RunFacts.Remarks(List.of(), List.of(), List.of()));
        return RunResult.of(facts, new StepObservation(1_000_000, List.of(), List.of(), List.of(), 1, 1, 1, "d"), 0.1);
    }

    private static RunResult tooLarge(ScenarioPoint point) {
        Task.Training task = (Task.Training) point.task();
        RunFacts facts = RunFacts.of(
                point.scenario(),
                point.values(),
                point.cluster(),
                new RunFacts.Sharded(
                        new RunFacts.Strategy("fsdp", "FSDP", 8),
                        new RunFacts.Training(
                                "m",
                                1,
                                1,
                                task.globalBatch(),
                                new Batch(1, 1, 1),
                                RunFacts.Recomputation.ALL,
                                new RunFacts.Peak("bf16", 1)),
                        new RunFacts.Memory(Map.of(MemoryOwner.PARAMETERS, 50L << 30), 40L << 30)),
                new RunFacts.Remarks(List.of(), List.of(), List.of()));
        return RunResult.outOfMemory(facts, "2 nodes fit");
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private String outFolder() {
        return folder.resolve("out").toString();
    }

    @Test
    void everyPointIsRunAndReportedInTheOrderOfTheFile() throws IOException {
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--threads", "2"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(ran).hasSize(3);
        assertThat(created).containsExactly(new RunOptions(2, true));
        assertThat(Path.of(outFolder(), "report.txt"))
                .hasContent("{cluster.nodes=2}\n{cluster.nodes=4}\n{cluster.nodes=8}");
        assertThat(shell.out()).contains("table of gather").contains("report: " + Path.of(outFolder(), "report.txt"));
        assertThat(shell.err()).isEmpty();
    }

    @Test
    void threadsThatHaveNoPointOfTheirOwnShareOne() throws IOException {
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--threads", "7"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(created).as("three points").containsExactly(new RunOptions(7, 2, true, RunOptions.TooLarge.REFUSED));
    }

    @Test
    void jsonIsAllThatStandardOutputGets() throws IOException {
        assertThat(shell.shardsim(
                        "run", "--json", "--no-fast-forward", file("a.yaml", COLLECTIVE), "--out", outFolder()))
                .isZero();
        assertThat(shell.out()).isEqualTo("{gather}\n");
        assertThat(created.get(0).fastForward()).isFalse();
    }

    @Test
    void aScenarioOfTheLibraryRunsByItsName() {
        assertThat(shell.shardsim("run", "all-reduce-1gib", "-o", outFolder())).isEqualTo(ExitStatus.DONE);
        assertThat(ran).extracting(ScenarioPoint::scenario).containsExactly("all-reduce-1gib");
        assertThat(shell.shardsim("run", "all-redcue-1gib")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err().strip())
                .isEqualTo("all-redcue-1gib: no such file, and none of the library; did you mean all-reduce-1gib?");
    }

    @Test
    void aScenarioIsReadFromStandardInput() {
        InputStream before = System.in;
        try {
            System.setIn(new ByteArrayInputStream(COLLECTIVE.getBytes(StandardCharsets.UTF_8)));
            assertThat(shell.shardsim("run", "-", "-o", outFolder())).isEqualTo(ExitStatus.DONE);
            System.setIn(new ByteArrayInputStream("scenario: x".getBytes(StandardCharsets.UTF_8)));
            assertThat(shell.shardsim("run", "-")).isEqualTo(ExitStatus.USAGE);
        } finally {
            System.setIn(before);
        }
        assertThat(ran).hasSize(3);
        assertThat(shell.err()).startsWith("standard input:1:1: scenario file has no cluster");
    }

    @Test
    void setReplacesAValueEndsItsSweepOrBeginsOne() throws IOException {
        String file = file("a.yaml", COLLECTIVE);
        shell.shardsim(
                "run", file, "-o", outFolder(), "--set", "cluster.nodes=16", "--set", "workload.size=[1 MiB, 2 MiB]");
        assertThat(ran)
                .extracting(point -> point.cluster().nodes() + " " + ((Task.Collective) point.task()).totalBytes())
                .containsExactlyInAnyOrder("16 1048576", "16 2097152");
        assertThat(ran.get(0).values()).containsOnlyKeys("workload.size");
        ran.clear();
        shell.shardsim("run", file, "-o", outFolder(), "--set", "cluster.nodes=[2, 16]");
        assertThat(ran).extracting(point -> point.cluster().nodes()).containsExactlyInAnyOrder(2, 16);
    }

    @Test
    void setGoesIntoTheBlocksOfASweep() throws IOException {
        answer = CommandLineTest::tooLarge;
        String swept = TRAINING.replace("strategy: {kind: fsdp}", "sweep: {strategy: [{kind: fsdp}, {kind: zero3}]}");
        shell.shardsim("run", file("a.yaml", swept), "-o", outFolder(), "--set", "strategy.prefetch_bucket_size=0");
        assertThat(ran).hasSize(2);
        assertThat(ran)
                .filteredOn(point ->
                        ((Task.Training) point.task()).strategy().kind().equals("zero3"))
                .allSatisfy(point -> assertThat(
                                ((Task.Training) point.task()).strategy().given())
                        .containsEntry("prefetch_bucket_size", "0"));
    }

    @Test
    void whatIsWrongWithASetValueIsToldAtItsNumber() throws IOException {
        assertThat(shell.shardsim(
                        "run",
                        file("a.yaml", TRAINING),
                        "--set",
                        "training.micro_batch=many",
                        "--set",
                        "micro_batch=3",
                        "--set",
                        "training.atention=flash",
                        "--set",
                        "nonsense",
                        "--set",
                        "model.layers=3",
                        "--set",
                        "training.precision=[bf16"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err().lines())
                .startsWith(
                        "--set 1: micro_batch many is a text; write a whole number from 1 to 65536",
                        "--set 2: key micro_batch stands in a block; write training.micro_batch=...",
                        "--set 3: unknown key atention; did you mean attention?",
                        "--set 4: nonsense is no KEY=VALUE with a dotted key of a scenario; write for example training.micro_batch=4",
                        "--set 5: model.layers asks for a block, but model is a text; set model itself")
                .hasSize(6)
                .last()
                .asString()
                .startsWith("--set 6: ");
        assertThat(created).isEmpty();
    }

    @Test
    void jsonNeedsNoFolderThatCanBeWritten() throws IOException {
        String file = file("a.yaml", COLLECTIVE);
        Path blocked = Files.writeString(folder.resolve("report"), "a file");
        assertThat(shell.shardsim("run", file, "--json", "--out", blocked.toString()))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(ReportFolder.isWritable(blocked.toString())).isFalse();
        assertThat(ReportFolder.isWritable(folder.resolve("other").toString())).isTrue();
    }

    @Test
    void quietPrintsNothing() throws IOException {
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "-o", outFolder(), "-q"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).isEmpty();
        assertThat(shell.err()).isEmpty();
        assertThat(Path.of(outFolder(), "report.txt")).exists();
    }

    @Test
    void helpExplainsCommandsAndCodes() {
        assertThat(shell.shardsim("help", "run")).isZero();
        assertThat(shell.out()).contains("--set=KEY=VALUE", "standard input");
        assertThat(shell.shardsim("help", "memory-edge")).isZero();
        assertThat(shell.out()).contains("memory-edge: Memory is more than 93 % full");
        assertThat(shell.shardsim("help", "memory-egde")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .startsWith(
                        "shardsim help: memory-egde is no command and no code of a message; did you mean memory-edge?");
    }

    @Test
    void figuresGoIntoAFolderOfTheirOwn() throws IOException {
        String figures = folder.resolve("figures").toString();
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--svg", figures))
                .isZero();
        assertThat(Path.of(figures, "curve.svg")).exists();
        assertThat(shell.out()).contains("figures: 1 in " + figures);
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--svg", file("taken", "")))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("cannot be written; name another with --svg");
    }

    @Test
    void severalScenariosGetAFolderEach() throws IOException {
        String second = COLLECTIVE.replace("gather\n", "other\n");
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), file("b.yaml", second), "--out", outFolder()))
                .isZero();
        assertThat(Path.of(outFolder(), "gather", "report.txt")).exists();
        assertThat(Path.of(outFolder(), "other", "report.txt")).exists();
    }

    @Test
    void scenariosOfTheSameNameAreRefused() throws IOException {
        String a = file("a.yaml", COLLECTIVE);
        String b = file("b.yaml", COLLECTIVE);
        assertThat(shell.shardsim("run", a, b, "--out", outFolder())).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err().strip())
                .isEqualTo(b + ":1:1: scenario gather is also the name in " + a
                        + "; rename one, their reports would share a folder");
        assertThat(created).isEmpty();
    }

    @Test
    void problemsOfAllFilesAreToldAndNothingIsRun() throws IOException {
        String bad = file("bad.yaml", COLLECTIVE.replace("2, 4, 8", "0"));
        assertThat(shell.shardsim("run", bad, folder.resolve("missing.yaml").toString(), file("ok.yaml", COLLECTIVE)))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err().lines())
                .containsExactly(
                        bad + ":4:25: nodes 0 < 1; write a whole number from 1 to 65536",
                        folder.resolve("missing.yaml") + ":1:1: no such file; check the path");
        assertThat(created).isEmpty();
        assertThat(shell.out()).isEmpty();
    }

    @Test
    void aGigabyteIsRefusedWithoutBeingRead() throws IOException {
        Path huge = folder.resolve("huge.yaml");
        try (var file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(1L << 30);
        }
        long before = System.nanoTime();
        assertThat(shell.shardsim("run", huge.toString())).isEqualTo(ExitStatus.USAGE);
        assertThat(System.nanoTime() - before).isLessThan(5_000_000_000L);
        assertThat(shell.err().strip())
                .isEqualTo(huge
                        + ":1:1: is larger than 1048576 bytes, the most that is read; split it into several files");
    }

    @Test
    void filesThatAreNoTextAreRefused() throws IOException {
        Path binary = folder.resolve("binary.yaml");
        Files.write(binary, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
        assertThat(shell.shardsim("run", binary.toString(), folder.toString(), "a\0b"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .contains("binary.yaml:1:1: is not UTF-8 text; save it as UTF-8")
                .contains(folder + ":1:1: is a directory; name a YAML file")
                .doesNotContain("Exception");
    }

    @Test
    void aFailedSimulationIsToldWithoutAStackTraceAndLeavesTheOtherPoints() throws IOException {
        answer = point -> {
            if (point.cluster().nodes() == 2) {
                throw new IllegalStateException("Node[3].Nic[2]: completed chunk 17 while chunk 16 is on the wire");
            }
            return finished(point);
        };
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--threads", "1"))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(shell.err().strip())
                .isEqualTo(
                        "simulation failed: gather {cluster.nodes=2}: Node[3].Nic[2]: completed chunk 17 while chunk 16 is on the wire");
        assertThat(Path.of(outFolder(), "report.txt")).hasContent("{cluster.nodes=4}\n{cluster.nodes=8}");
    }

    @Test
    void aSimulatorWithoutMemorySaysWhatToDo() throws IOException {
        answer = point -> {
            throw new OutOfMemoryError("Java heap space");
        };
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--json"))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(shell.err())
                .contains("the simulator itself ran out of memory")
                .doesNotContain("\tat ");
    }

    @Test
    void timesBeyondWhatCanBeCountedSaySo() throws IOException {
        answer = point -> {
            throw TooLargeException.ofTime();
        };
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder()))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .contains("a.yaml:3:", "more than 13 days of virtual time (2^60 ps)", "write smaller sizes");
    }

    @Test
    void aFullDiskIsToldWithoutTheNameOfAClass() throws IOException {
        failsToWrite = true;
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--json"))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(shell.err())
                .contains("cannot read or write: No space left on device")
                .doesNotContain("IOException");
        assertThat(shell.out()).as("printed before files are written").startsWith("{");
    }

    @Test
    void aSweepThatLostItsReportGoesOnFromThePointsThatWereDone() throws IOException {
        failsToWrite = true;
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder()))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(ran).hasSize(3);
        failsToWrite = false;
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--resume"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(ran).as("kept").hasSize(3);
        assertThat(shell.err()).contains("resumed: 3 runs were kept and did not run again");
        assertThat(Path.of(outFolder(), ".points")).doesNotExist();
        assertThat(Path.of(outFolder(), "report.txt")).exists();
    }

    @Test
    void whatDoesNotFitSaysByHowMuchAndWhatDoes() throws IOException {
        answer = CommandLineTest::tooLarge;
        assertThat(shell.shardsim("run", file("a.yaml", TRAINING), "--out", outFolder(), "--quiet"))
                .isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(shell.out()).isEmpty();
        assertThat(shell.err().strip())
                .isEqualTo(
                        "train does not fit in memory: FSDP on 8 GPUs needs 50.0 of 40.0 GiB per GPU: 10.0 GiB too much; 2 nodes fit");
        assertThat(Path.of(outFolder(), "report.txt")).exists();
    }

    @Test
    void aFolderThatCannotBeWrittenIsToldBeforeAnythingRuns() throws IOException {
        String blocked = file("blocked", "a file");
        assertThat(shell.shardsim("run", file("a.yaml", COLLECTIVE), "--out", blocked))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err())
                .startsWith(
                        "shardsim run: the report folder " + blocked + " cannot be written; name another with --out");
        assertThat(created).isEmpty();
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
                "run --threads 0 x | shardsim run: Invalid value for option '--threads': '0' is not between 1 and 1024; leave it out for one a core",
                "run --threads many x | shardsim run: Invalid value for option '--threads': 'many' is not between 1 and 1024; leave it out for one a core",
                "run --out  x | shardsim run: Invalid value for option '--out': it is empty; name a folder, or leave it out",
                "import x.json --instance p4d | shardsim import: --instance p4d is not in the catalog; did you mean p4d.24xlarge or p4de.24xlarge?",
                "import x.json --nodes 0 | shardsim import: --nodes 0 is not from 1 to 65536",
                "catalog modles | shardsim catalog: no kind or entry modles in the catalog; did you mean models?",
                "catalog zzzzzz | shardsim catalog: no kind or entry zzzzzz in the catalog; kinds: models, instances, gpus, storage, collectives, strategies, schedules, releases, frameworks, modules, compilers, toolchains, optimizers, fp8, compute, nccl, networks, tuners, smddp, faults, library",
                "catalog modles x | shardsim catalog: no kind modles in the catalog; did you mean models?",
                "catalog instances p4d | shardsim catalog: no p4d among the instances; did you mean p4d.24xlarge or p4de.24xlarge?",
                "catalog models gpt5 | shardsim catalog: no gpt5 among the models; known: gpt2-1.5b, gpt2-10b, gpt2-30b, gpt3-13b, gpt3-175b, gpt3-1t, llama-7b, llama2-13b, llama2-70b, llama2-7b, llama3-70b, llama3-8b"
            })
    void wrongUsageIsToldInOneLineWithTheNearestThing(String arguments, String message) {
        String[] words = arguments == null || arguments.isEmpty() ? new String[0] : arguments.split(" ");
        assertThat(shell.shardsim(words)).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err().lines().findFirst()).hasValue(message);
        assertThat(shell.err().lines()).hasSize(2);
        assertThat(shell.out()).isEmpty();
    }

    @ParameterizedTest
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
        assertThat(shell.err()).contains("assumed cluster.nodes: 1 (no file says how many; --nodes N changes it)");
        assertThat(shell.out()).contains("#   not modelled: odd = 1: unknown key; ");
        Path scenario = Files.writeString(folder.resolve("imported.yaml"), shell.out());
        shell.shardsim("run", scenario.toString());
        assertThat(ran).hasSize(1);
        assertThat(ran.get(0).task()).isInstanceOf(Task.Training.class);
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
                .endsWith("  0 %, 3:00:00 so far, time left not known yet");
        for (int width = 40; width < 130; width++) {
            assertThat(ProgressBarLine.render(999, elapsed, "14 of 15 points", width))
                    .hasSizeLessThan(width);
        }
    }
}

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
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
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
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

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

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<RunOptions> created = Collections.synchronizedList(new ArrayList<>());
    private final List<ScenarioPoint> ran = Collections.synchronizedList(new ArrayList<>());
    private Function<ScenarioPoint, RunResult> answer = CommandLineTest::finished;

    private boolean failsToWrite;

    private int shardsim(String... arguments) {
        CommandLine commandLine = ShardsimCommand.commandLine(new Services(
                options -> {
                    created.add(options);
                    return new Runner();
                },
                new Reports(),
                Main::demo));
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        return commandLine.execute(arguments);
    }

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
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--threads", "2"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(ran).hasSize(3);
        assertThat(created).containsExactly(new RunOptions(2, true));
        assertThat(Path.of(outFolder(), "report.txt"))
                .hasContent("{cluster.nodes=2}\n{cluster.nodes=4}\n{cluster.nodes=8}");
        assertThat(out.toString())
                .contains("table of gather")
                .contains("report: " + Path.of(outFolder(), "report.txt"));
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void threadsThatHaveNoPointOfTheirOwnShareOne() throws IOException {
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--threads", "7"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(created).as("three points").containsExactly(new RunOptions(7, 2, true, RunOptions.TooLarge.REFUSED));
    }

    @Test
    void jsonIsAllThatStandardOutputGets() throws IOException {
        assertThat(shardsim("run", "--json", "--no-fast-forward", file("a.yaml", COLLECTIVE), "--out", outFolder()))
                .isZero();
        assertThat(out.toString()).isEqualTo("{gather}\n");
        assertThat(created.get(0).fastForward()).isFalse();
    }

    @Test
    void aScenarioOfTheLibraryRunsByItsName() {
        assertThat(shardsim("run", "all-reduce-1gib", "-o", outFolder())).isEqualTo(ExitStatus.DONE);
        assertThat(ran).extracting(ScenarioPoint::scenario).containsExactly("all-reduce-1gib");
        assertThat(shardsim("run", "all-redcue-1gib")).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString().strip())
                .isEqualTo("all-redcue-1gib: no such file, and none of the library; did you mean all-reduce-1gib?");
    }

    @Test
    void aScenarioIsReadFromStandardInput() {
        InputStream before = System.in;
        try {
            System.setIn(new ByteArrayInputStream(COLLECTIVE.getBytes(StandardCharsets.UTF_8)));
            assertThat(shardsim("run", "-", "-o", outFolder())).isEqualTo(ExitStatus.DONE);
            System.setIn(new ByteArrayInputStream("scenario: x".getBytes(StandardCharsets.UTF_8)));
            assertThat(shardsim("run", "-")).isEqualTo(ExitStatus.USAGE);
        } finally {
            System.setIn(before);
        }
        assertThat(ran).hasSize(3);
        assertThat(err.toString()).startsWith("standard input:1:1: scenario file has no cluster");
    }

    @Test
    void setReplacesAValueEndsItsSweepOrBeginsOne() throws IOException {
        String file = file("a.yaml", COLLECTIVE);
        shardsim("run", file, "-o", outFolder(), "--set", "cluster.nodes=16", "--set", "workload.size=[1 MiB, 2 MiB]");
        assertThat(ran)
                .extracting(point -> point.cluster().nodes() + " " + ((Task.Collective) point.task()).totalBytes())
                .containsExactlyInAnyOrder("16 1048576", "16 2097152");
        assertThat(ran.get(0).values()).containsOnlyKeys("workload.size");
        ran.clear();
        shardsim("run", file, "-o", outFolder(), "--set", "cluster.nodes=[2, 16]");
        assertThat(ran).extracting(point -> point.cluster().nodes()).containsExactlyInAnyOrder(2, 16);
    }

    @Test
    void setGoesIntoTheBlocksOfASweep() throws IOException {
        answer = CommandLineTest::tooLarge;
        String swept = TRAINING.replace("strategy: {kind: fsdp}", "sweep: {strategy: [{kind: fsdp}, {kind: zero3}]}");
        shardsim("run", file("a.yaml", swept), "-o", outFolder(), "--set", "strategy.prefetch_bucket_size=0");
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
        assertThat(shardsim(
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
        assertThat(err.toString().lines())
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
        assertThat(shardsim("run", file, "--json", "--out", blocked.toString())).isEqualTo(ExitStatus.USAGE);
        assertThat(ReportFolder.isWritable(blocked.toString())).isFalse();
        assertThat(ReportFolder.isWritable(folder.resolve("other").toString())).isTrue();
    }

    @Test
    void quietPrintsNothing() throws IOException {
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), "-o", outFolder(), "-q"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString()).isEmpty();
        assertThat(Path.of(outFolder(), "report.txt")).exists();
    }

    @Test
    void helpExplainsCommandsAndCodes() {
        assertThat(shardsim("help", "run")).isZero();
        assertThat(out.toString()).contains("--set=KEY=VALUE", "standard input");
        assertThat(shardsim("help", "memory-edge")).isZero();
        assertThat(out.toString()).contains("memory-edge: Memory is more than 93 % full");
        assertThat(shardsim("help", "memory-egde")).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString())
                .startsWith(
                        "shardsim help: memory-egde is no command and no code of a message; did you mean memory-edge?");
    }

    @Test
    void figuresGoIntoAFolderOfTheirOwn() throws IOException {
        String figures = folder.resolve("figures").toString();
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--svg", figures))
                .isZero();
        assertThat(Path.of(figures, "curve.svg")).exists();
        assertThat(out.toString()).contains("figures: 1 in " + figures);
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--svg", file("taken", "")))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString()).contains("cannot be written; name another with --svg");
    }

    @Test
    void severalScenariosGetAFolderEach() throws IOException {
        String second = COLLECTIVE.replace("gather\n", "other\n");
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), file("b.yaml", second), "--out", outFolder()))
                .isZero();
        assertThat(Path.of(outFolder(), "gather", "report.txt")).exists();
        assertThat(Path.of(outFolder(), "other", "report.txt")).exists();
    }

    @Test
    void scenariosOfTheSameNameAreRefused() throws IOException {
        String a = file("a.yaml", COLLECTIVE);
        String b = file("b.yaml", COLLECTIVE);
        assertThat(shardsim("run", a, b, "--out", outFolder())).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString().strip())
                .isEqualTo(b + ":1:1: scenario gather is also the name in " + a
                        + "; rename one, their reports would share a folder");
        assertThat(created).isEmpty();
    }

    @Test
    void problemsOfAllFilesAreToldAndNothingIsRun() throws IOException {
        String bad = file("bad.yaml", COLLECTIVE.replace("2, 4, 8", "0"));
        assertThat(shardsim("run", bad, folder.resolve("missing.yaml").toString(), file("ok.yaml", COLLECTIVE)))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString().lines())
                .containsExactly(
                        bad + ":4:25: nodes 0 < 1; write a whole number from 1 to 65536",
                        folder.resolve("missing.yaml") + ":1:1: no such file; check the path");
        assertThat(created).isEmpty();
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aGigabyteIsRefusedWithoutBeingRead() throws IOException {
        Path huge = folder.resolve("huge.yaml");
        try (var file = new RandomAccessFile(huge.toFile(), "rw")) {
            file.setLength(1L << 30);
        }
        long before = System.nanoTime();
        assertThat(shardsim("run", huge.toString())).isEqualTo(ExitStatus.USAGE);
        assertThat(System.nanoTime() - before).isLessThan(5_000_000_000L);
        assertThat(err.toString().strip())
                .isEqualTo(huge
                        + ":1:1: is larger than 1048576 bytes, the most that is read; split it into several files");
    }

    @Test
    void filesThatAreNoTextAreRefused() throws IOException {
        Path binary = folder.resolve("binary.yaml");
        Files.write(binary, new byte[] {(byte) 0xff, (byte) 0xfe, 0, 1});
        assertThat(shardsim("run", binary.toString(), folder.toString(), "a\0b"))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString())
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
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--threads", "1"))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(err.toString().strip())
                .isEqualTo(
                        "simulation failed: gather {cluster.nodes=2}: Node[3].Nic[2]: completed chunk 17 while chunk 16 is on the wire");
        assertThat(Path.of(outFolder(), "report.txt")).hasContent("{cluster.nodes=4}\n{cluster.nodes=8}");
    }

    @Test
    void aSimulatorWithoutMemorySaysWhatToDo() throws IOException {
        answer = point -> {
            throw new OutOfMemoryError("Java heap space");
        };
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--json"))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(err.toString())
                .contains("the simulator itself ran out of memory")
                .doesNotContain("\tat ");
    }

    @Test
    void timesBeyondWhatCanBeCountedSaySo() throws IOException {
        answer = point -> {
            throw TooLargeException.ofTime();
        };
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder()))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString())
                .contains("a.yaml:3:", "more than 13 days of virtual time (2^60 ps)", "write smaller sizes");
    }

    @Test
    void aFullDiskIsToldWithoutTheNameOfAClass() throws IOException {
        failsToWrite = true;
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--json"))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(err.toString())
                .contains("cannot read or write: No space left on device")
                .doesNotContain("IOException");
        assertThat(out.toString()).as("printed before files are written").startsWith("{");
    }

    @Test
    void aSweepThatLostItsReportGoesOnFromThePointsThatWereDone() throws IOException {
        failsToWrite = true;
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder()))
                .isEqualTo(ExitStatus.FAILED);
        assertThat(ran).hasSize(3);
        failsToWrite = false;
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), "--out", outFolder(), "--resume"))
                .isEqualTo(ExitStatus.DONE);
        assertThat(ran).as("kept").hasSize(3);
        assertThat(err.toString()).contains("resumed: 3 runs were kept and did not run again");
        assertThat(Path.of(outFolder(), ".points")).doesNotExist();
        assertThat(Path.of(outFolder(), "report.txt")).exists();
    }

    @Test
    void whatDoesNotFitSaysByHowMuchAndWhatDoes() throws IOException {
        answer = CommandLineTest::tooLarge;
        assertThat(shardsim("run", file("a.yaml", TRAINING), "--out", outFolder(), "--quiet"))
                .isEqualTo(ExitStatus.OUT_OF_MEMORY);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString().strip())
                .isEqualTo(
                        "train does not fit in memory: FSDP on 8 GPUs needs 50.0 of 40.0 GiB per GPU: 10.0 GiB too much; 2 nodes fit");
        assertThat(Path.of(outFolder(), "report.txt")).exists();
    }

    @Test
    void aFolderThatCannotBeWrittenIsToldBeforeAnythingRuns() throws IOException {
        String blocked = file("blocked", "a file");
        assertThat(shardsim("run", file("a.yaml", COLLECTIVE), "--out", blocked))
                .isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString())
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
        assertThat(shardsim(words)).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString().lines().findFirst()).hasValue(message);
        assertThat(err.toString().lines()).hasSize(2);
        assertThat(out.toString()).isEmpty();
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
        assertThat(shardsim(arguments.split(" "))).isZero();
        assertThat(out.toString()).isNotBlank();
        assertThat(err.toString()).isEmpty();
        assertThat(created).isEmpty();
    }

    @Test
    void importPrintsAScenarioThatRunTakes() throws IOException {
        Path config = Files.writeString(
                folder.resolve("ds_config.json"),
                "{\"train_micro_batch_size_per_gpu\": 1, \"bf16\": {\"enabled\": true}, \"zero_optimization\": {\"stage\": 3}, \"odd\": 1}");
        assertThat(shardsim("import", config.toString())).isZero();
        assertThat(err.toString())
                .startsWith("4 keys: 1 not modelled, 0 approximated, 3 modelled, 0 irrelevant to speed");
        assertThat(err.toString()).contains("assumed cluster.nodes: 1 (no file says how many; --nodes N changes it)");
        assertThat(out.toString()).contains("#   not modelled: odd = 1: unknown key; ");
        Path scenario = Files.writeString(folder.resolve("imported.yaml"), out.toString());
        shardsim("run", scenario.toString());
        assertThat(ran).hasSize(1);
        assertThat(ran.get(0).task()).isInstanceOf(Task.Training.class);
    }

    @Test
    void importAsJsonHasTheScenarioAndEveryKey() throws IOException {
        Path config = Files.writeString(
                folder.resolve("ds_config.json"),
                "{\"train_batch_size\": 8, \"zero_optimization\": {\"stage\": 2}, \"x\": [1, null]}");
        assertThat(shardsim("import", config.toString(), "--json")).isZero();
        assertThat(err.toString()).isEmpty();
        JsonNode document = JsonMapper.builder().build().readTree(out.toString());
        assertThat(document.at("/scenario/strategy/kind").asString()).isEqualTo("zero2");
        assertThat(document.at("/scenario/training/global_batch").asLong()).isEqualTo(8);
        assertThat(document.get("keys")).hasSize(3);
        JsonNode stage = document.get("keys").get(1);
        assertThat(stage.get("file").asString()).isEqualTo(config.toString());
        assertThat(stage.get("key").asString()).isEqualTo("zero_optimization.stage");
        assertThat(stage.get("value").asInt()).isEqualTo(2);
        assertThat(stage.get("verdict").asString()).isEqualTo("modelled");
        assertThat(stage.get("note").asString()).isEqualTo("strategy.kind");
        assertThat(document.get("keys").get(2).get("value").toString()).isEqualTo("[1,null]");
    }

    @Test
    void runAndImportTellEachOthersFiles() throws IOException {
        Path config = Files.writeString(folder.resolve("ds.json"), "{\"zero_optimization\": {\"stage\": 3}}");
        assertThat(shardsim("run", config.toString())).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString())
                .isEqualToIgnoringNewLines(
                        config + ":1:1: this is a DeepSpeed configuration, not a scenario; shardsim import " + config
                                + " makes a scenario of it");
        Path scenario = Files.writeString(folder.resolve("s.yaml"), COLLECTIVE);
        assertThat(shardsim("import", scenario.toString())).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString()).contains("s.yaml:1:1: is a scenario already; run it with shardsim run ");
    }

    @Test
    void catalogShowsEveryFigureWithItsSource() {
        shardsim("catalog", "instances", "p4d.24xlarge");
        assertThat(out.toString().replaceAll("\\s+", " "))
                .contains("nic: 100 Gbit/s")
                .contains("nic_effective:")
                .contains("p4d.24xlarge: Amazon EC2 p4d.24xlarge");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "compute | matmul_wave: 447.3 ns, prologue of one wave of tiles [CalibrateMatmul on gemm_h100.csv",
                "nccl | base_simple: 25.9 us, from a rank's stream to the first step, Simple [CalibrateNccl",
                "networks | step_simple: 90 us, from the last bit leaving the NIC",
                "frameworks | modules: transformers, an entry of modules [",
                "modules | loss_forward: 38 B, 8 kernels, cross entropy, of a logit",
                "toolchains | flash_rate_ratio: {others 1.0, hopper 1.62}",
                "optimizers | optimizer: 28 B, 1 kernel, Adam, of a parameter",
                "smddp | message: 1 MiB, largest message (not published",
                "schedules | 1f1b: pipeline schedule [arXiv:2104.04473",
                "collectives | all_gather [NCCL"
            })
    void catalogShowsTheConstantsBehindIt(String kind, String shown) {
        assertThat(shardsim("catalog", kind)).isZero();
        assertThat(out.toString().replaceAll("\\s+", " ")).contains(shown);
    }

    @Test
    void catalogFindsEntriesByTheirName() {
        assertThat(shardsim("catalog", "hopper")).isZero();
        assertThat(out.toString().lines().filter(line -> !line.startsWith(" ")))
                .containsExactly(
                        "compute",
                        "hopper: NVIDIA H100 and H200, kernel times",
                        "nccl",
                        "hopper: NCCL on NVIDIA H100 and H200");
    }

    @Test
    void catalogTellsASourceOnceThatAllFiguresShare() {
        shardsim("catalog", "models", "llama2-7b");
        assertThat(out.toString().replaceAll("\\s+", " "))
                .containsOnlyOnce("arXiv:2307.09288")
                .contains("hidden: 4096 layers: 32");
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

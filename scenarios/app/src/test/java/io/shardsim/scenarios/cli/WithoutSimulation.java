package io.shardsim.scenarios.cli;

import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.SummaryTable;
import io.shardsim.reports.writing.TextStyle;
import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.evaluation.ReportWriter;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.Batch;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.StateHolders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;

/** A command line with a runner that does not simulate and writes reports of a line for each point. */
abstract class WithoutSimulation {
    static final String COLLECTIVE = """
            scenario: gather
            cluster: {instance: p4d.24xlarge, nodes: 2}
            workload: {collective: all_gather, size: 1 GiB}
            sweep: {cluster.nodes: [2, 4, 8]}
            """;
    static final String TRAINING = """
            scenario: train
            model: gpt2-1.5b
            cluster: {instance: p4d.24xlarge, nodes: 1}
            training: {sequence_length: 1024, global_batch: 64}
            strategy: {kind: fsdp}
            """;

    @TempDir
    Path folder;

    final List<RunOptions> created = Collections.synchronizedList(new ArrayList<>());
    final List<ScenarioPoint> ran = Collections.synchronizedList(new ArrayList<>());
    final Shell shell = new Shell(new Services(
            options -> {
                created.add(options);
                return new Runner();
            },
            new Reports(),
            Main::demo));
    Function<ScenarioPoint, RunResult> answer = WithoutSimulation::finished;

    /** What comes of writing a report. */
    Writing writing = () -> {};

    interface Writing {
        void begin() throws IOException;
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
        public List<String> files() {
            return List.of("report.txt");
        }

        @Override
        public List<Path> write(Path directory, ScenarioResult result) throws IOException {
            writing.begin();
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
        public String text(ScenarioResult result, TextStyle style, SummaryTable.Part part) {
            return part.name().toLowerCase(Locale.ROOT) + " of " + result.scenario();
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

    static RunResult finished(ScenarioPoint point) {
        Task.Collective task = (Task.Collective) point.task();
        RunFacts facts = RunFacts.of(
                point.scenario(),
                point.values(),
                point.cluster(),
                new RunFacts.Collective(CollectiveKind.ALL_GATHER, task.totalBytes(), "ring", "nccl"),
                new RunFacts.Remarks(List.of(), List.of(), List.of()));
        return RunResult.of(facts, new StepObservation(1_000_000, List.of(), List.of(), List.of(), 1, 1, 1, "d"), 0.1);
    }

    static RunResult tooLarge(ScenarioPoint point) {
        Task.Training task = (Task.Training) point.task();
        RunFacts facts = RunFacts.of(
                point.scenario(),
                point.values(),
                point.cluster(),
                new RunFacts.Sharded(
                        new RunFacts.Strategy("fsdp", "FSDP", 8, new StateHolders(8, 8), RunFacts.Split.NONE, ""),
                        new RunFacts.Training(
                                "m",
                                RunFacts.Parameters.of(1),
                                1,
                                task.globalBatch(),
                                new Batch(1, 1, 1),
                                RunFacts.Recomputation.ALL,
                                new RunFacts.Peak("bf16", 1)),
                        new RunFacts.Memory(Map.of(MemoryOwner.PARAMETERS, 50L << 30), 40L << 30)),
                new RunFacts.Remarks(List.of(), List.of(), List.of()));
        return RunResult.outOfMemory(facts, "2 nodes fit");
    }

    String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    String outFolder() {
        return folder.resolve("out").toString();
    }
}

package io.shardsim.scenarios.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import example.ScalingCurve;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program can do what {@code docs/embedding.md} says. */
class EmbeddingTest {
    private static Scenario.Builder small(String strategy) {
        return Scenario.named("small")
                .set("model", "gpt2-1.5b")
                .set("cluster", Map.of("instance", "p4d.24xlarge", "nodes", 1))
                .set("training.sequence_length", 512)
                .set("training.global_batch", 16)
                .set("training.micro_batch", 1)
                .set("strategy.kind", strategy);
    }

    @Test
    @Tag("slow")
    void theExampleOfTheDocumentRuns() throws Exception {
        PrintStream terminal = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        try {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            ScalingCurve.main(new String[0]);
        } finally {
            System.setOut(terminal);
        }
        String document = Files.readString(Path.of("../docs/embedding.md"));
        assertThat(document)
                .as("the example")
                .contains(Files.readString(Path.of("core/src/test/java/example/ScalingCurve.java")));
        assertThat(document).as("what it prints").contains(printed.toString(StandardCharsets.UTF_8));
    }

    @Test
    @Tag("slow")
    void aScenarioBuiltInJavaIsTheOneReadFromYaml() throws Exception {
        String yaml = """
                scenario: small
                model: gpt2-1.5b
                cluster: {instance: p4d.24xlarge, nodes: 1}
                training: {sequence_length: 512, global_batch: 16, micro_batch: 1}
                strategy: {kind: fsdp, limit_all_gathers: false}
                """;
        Simulator simulator = Simulator.onThreads(1);
        PointResult built = simulator
                .run(small("fsdp").set("strategy.limit_all_gathers", false).build())
                .points()
                .get(0);
        PointResult read =
                simulator.run(Scenario.parse("small.yaml", yaml)).points().get(0);
        assertThat(built).isEqualTo(read);
        assertThat(built.digest()).isNotNull();
        assertThat(built.memory()).matches(PointResult.Memory::fits);
    }

    @Test
    void aCollectiveTakesASizeWithItsUnit() throws Exception {
        Scenario scenario = Scenario.named("all-reduce")
                .set("cluster", Map.of("instance", "p5.48xlarge", "nodes", 2))
                .set("workload", Map.of("collective", "all_reduce", "size", "64 MiB"))
                .build();
        PointResult point = Simulator.onThreads(1).run(scenario).points().get(0);
        assertThat(point.training()).isNull();
        assertThat(point.memory()).isNull();
        assertThat(point.collective()).satisfies(figures -> {
            double algorithm = (64L << 20) / figures.seconds();
            assertThat(figures.busBytesPerSecond() / algorithm).isEqualTo(2 * 15 / 16.0);
        });
    }

    @Test
    void everyProblemOfAScenarioIsTold() {
        assertThatThrownBy(() -> small("fsdb").set("training.global_batch", 0).build())
                .isInstanceOfSatisfying(
                        InvalidScenarioException.class,
                        refused -> assertThat(refused.problems())
                                .hasSize(2)
                                .anyMatch(problem -> problem.contains("did you mean fsdp"))
                                .anyMatch(problem -> problem.contains("global_batch")));
        assertThatThrownBy(() -> Scenario.named("x").set("model", "llama2-7b").set("model.layers", 2))
                .hasMessageContaining("model was set to llama2-7b");
    }

    @Test
    @Tag("slow")
    void progressIsToldAndWhatIsDoneIsKeptWhenCancelled(@TempDir Path folder) throws Exception {
        Scenario scenario = small("zero3")
                .sweep("cluster.nodes", List.of(1, 2, 4, 8, 16, 32))
                .set("training.global_batch", 4096)
                .build();
        assertThat(scenario.points()).isEqualTo(6);
        List<Progress> told = Collections.synchronizedList(new ArrayList<>());
        Execution[] execution = new Execution[1];
        synchronized (execution) {
            execution[0] = Simulator.onThreads(1).start(scenario, progress -> {
                told.add(progress);
                if (progress.share() > 0) {
                    synchronized (execution) {
                        execution[0].cancel();
                    }
                }
            });
        }
        Results results = execution[0].results();
        assertThat(execution[0].isDone()).isTrue();
        assertThat(results.complete()).isFalse();
        assertThat(results.points()).hasSizeBetween(1, 5);
        assertThat(results.fastest()).isPresent();
        assertThat(told).isNotEmpty().allMatch(progress -> progress.share() >= 0 && progress.share() <= 1);
        List<Path> files = results.write(folder.resolve("report"));
        assertThat(files).allMatch(EmbeddingTest::isWritten).hasSize(3);
        assertThat(results.toJson()).contains("\"scenario\" : \"small\"");
    }

    private static boolean isWritten(Path file) {
        try {
            return Files.size(file) > 0;
        } catch (IOException missing) {
            return false;
        }
    }
}

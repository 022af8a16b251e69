package io.shardsim.scenarios.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.strategy.LargestMicroBatch.Found;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whether a run fits does not depend on whether its micro-batch is given or chosen. */
@Tag("slow")
class OneAnswerTest {
    private static final List<String> STRATEGIES =
            List.of("{kind: zero3}", "{kind: fsdp, no_sync: true}", "{kind: mics, shard_group: 16}");
    private static final List<String> MODELS = List.of("gpt2-10b", "gpt3-13b", "llama3-8b", "llama2-7b");
    /** Samples per GPU and step. */
    private static final int SAMPLES = 4;

    private static final List<Integer> NODES = List.of(2, 4, 8);

    /** Micro-batch that fits only without fragmentation. */
    private static final String TIGHT = scenario("{kind: fsdp, no_sync: true}", "llama3-8b", 8);

    private static String scenario(String strategy, String model, int nodes) {
        return """
                scenario: asked-twice
                model: %s
                cluster: {instance: p4d.24xlarge, nodes: %d}
                training: {attention: standard, sequence_length: SEQUENCE, global_batch: %d}
                strategy: %s
                """.formatted(model, nodes, SAMPLES * 8 * nodes, strategy)
                .replace("SEQUENCE", model.startsWith("llama3") ? "8192" : "2048");
    }

    private static List<String> scenarios() {
        List<String> scenarios = new ArrayList<>();
        for (String strategy : STRATEGIES) {
            for (String model : MODELS) {
                NODES.forEach(nodes -> scenarios.add(scenario(strategy, model, nodes)));
            }
        }
        return scenarios;
    }

    private static String with(String scenario, int microBatch) {
        return scenario.replace("training: {", "training: {micro_batch: " + microBatch + ", ");
    }

    private static ScenarioPoint point(String text) throws InputException {
        return ScenarioReader.readText("a.yaml", text).points().get(0);
    }

    private static RunResult run(String text) throws InputException, InterruptedException {
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            return simulation.run(point(text));
        }
    }

    @Test
    void leftOutAndWrittenAreOneAnswer() throws InputException {
        Map<String, Integer> answers = new HashMap<>();
        for (String leftOut : scenarios()) {
            Found chosen = TrainingPoint.of(point(leftOut)).found();
            Found written = TrainingPoint.of(point(with(leftOut, chosen.job().microBatch())))
                    .found();
            assertThat(written.fit()).as(leftOut).isEqualTo(chosen.fit());
            assertThat(written.ledger().atPeak())
                    .as(leftOut)
                    .isEqualTo(chosen.ledger().atPeak());
            boolean anyFits = false;
            boolean anyIsRoomy = false;
            for (int microBatch = 1; microBatch <= SAMPLES; microBatch *= 2) {
                MemoryFit fit = TrainingPoint.of(point(with(leftOut, microBatch)))
                        .found()
                        .fit();
                anyFits |= fit.fits();
                anyIsRoomy |= fit.isRoomy();
            }
            assertThat(chosen.fits()).as(leftOut).isEqualTo(anyFits);
            assertThat(chosen.fit().isRoomy()).as(leftOut).isEqualTo(anyIsRoomy);
            answers.merge(MemoryWords.verdict(chosen.fit()).replaceAll(" \\(.*", ""), 1, Integer::sum);
        }
        assertThat(answers).containsOnlyKeys("fits", "fits tightly", "does not fit");
        assertThat(answers.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(36);
    }

    @Test
    void whatFitsTightlyRunsWithOneWarning() throws Exception {
        RunResult leftOut = run(TIGHT);
        RunResult written = run(with(TIGHT, leftOut.facts().model().microBatch()));
        assertThat(leftOut.facts().ledger().fit().isTight()).isTrue();
        assertThat(leftOut.fits()).isTrue();
        assertThat(written.digest()).isEqualTo(leftOut.digest());
        assertThat(leftOut.facts().warnings())
                .isEqualTo(written.facts().warnings())
                .anyMatch(warning -> warning.startsWith("memory is tight: the run needs "));
        assertThat(leftOut.facts().notes()).anyMatch(note -> note.endsWith("None fits with fragmentation."));
    }
}

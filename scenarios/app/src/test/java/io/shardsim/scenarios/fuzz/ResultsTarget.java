package io.shardsim.scenarios.fuzz;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.ReportFiles;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Files of results read by {@code compare}, together with an intact one. */
final class ResultsTarget implements Target {
    private static final String TRAINING = """
            scenario: results
            model: {hidden: 512, layers: 4, heads: 8, vocab: 4096}
            cluster: {instance: p4d.24xlarge, nodes: 1}
            training: {sequence_length: 128, global_batch: 16, micro_batch: 1}
            strategy: {kind: zero3}
            sweep: {training.activation_checkpointing: [none, full]}
            """;

    private final FuzzShell shell = new FuzzShell();
    private final String results;

    ResultsTarget() throws Exception {
        List<RunResult> runs = new ArrayList<>();
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            for (ScenarioPoint point :
                    ScenarioReader.readText("results.yaml", TRAINING).points()) {
                runs.add(simulation.run(point));
            }
        }
        // Wall times differ from run to run.
        results = new ReportFiles()
                .json(List.of(ScenarioResult.of("results", runs)))
                .replaceAll("\"wall_seconds\" ?: ?[^,\n]+", "\"wall_seconds\": 1.0");
        Files.writeString(shell.file("whole.json"), results);
    }

    @Override
    public byte[] input(long seed) {
        return new Damage(new SplittableRandom(seed)).encoded(results);
    }

    @Override
    public Outcome outcome(byte[] input) throws Exception {
        Files.write(shell.file("fuzzed.json"), input);
        String one = shell.file("fuzzed.json") + "#1";
        String other = shell.file("whole.json") + "#2";
        String text = new String(input, StandardCharsets.UTF_8);
        Outcome outcome = shell.outcome(List.of("compare", one, other), text);
        return outcome.isFault() ? outcome : shell.outcome(List.of("compare", one, other, "--json"), text);
    }
}

package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.evaluation.Benchmark;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

class BenchCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String... arguments) {
        CommandLine commandLine = ShardsimCommand.commandLine(Main.services());
        commandLine.setOut(new PrintWriter(out, true));
        commandLine.setErr(new PrintWriter(err, true));
        commandLine.getSubcommands().values().forEach(command -> {
            command.setOut(new PrintWriter(out, true));
            command.setErr(new PrintWriter(err, true));
        });
        return commandLine.execute(arguments);
    }

    @Test
    void countsEveryEventOfTheRingThoughItExecutesFew() {
        assertThat(execute("bench", "astra-all-gather-1024", "--repeat", "1", "--json"))
                .isZero();

        JsonNode workload =
                new ObjectMapper().readTree(out.toString()).get("workloads").get(0);
        assertThat(workload.get("workload").asString()).isEqualTo("astra-all-gather-1024");
        // Of 128 nodes one is executed, and of its 1,023 steps a few.
        assertThat(workload.get("simulated_events").asLong())
                .isEqualTo(23_049_216)
                .isGreaterThan(128 * 50 * workload.get("executed_events").asLong());
        assertThat(workload.get("wall_seconds").asDouble()).isPositive();
    }

    @Test
    void namesWhatThereIsWhenAskedForWhatThereIsNot() {
        assertThat(execute("bench", "fold")).isEqualTo(ExitStatus.USAGE);
        assertThat(err.toString()).contains("no workload fold; there are phold, ring-256");
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = Benchmark.class, names = "PHOLD", mode = EnumSource.Mode.EXCLUDE)
    void everyWorkloadIsAScenarioOfItsName(Benchmark workload) throws Exception {
        String file = "bench/" + workload.id() + ".yaml";
        try (InputStream in = Benchmark.class.getClassLoader().getResourceAsStream(file)) {
            assertThat(in).as(file).isNotNull();
            assertThat(ScenarioReader.readText(file, new String(in.readAllBytes(), StandardCharsets.UTF_8))
                            .name())
                    .isEqualTo(workload.id());
        }
    }

    @Test
    @Tag("slow")
    void growthExecutesEveryEvent() throws Exception {
        assertThat(execute("bench", "--growth", "--repeat", "1", "--json")).isZero();

        JsonNode rows = new ObjectMapper().readTree(out.toString()).get("workloads");
        assertThat(rows.size()).isEqualTo(16);
        for (JsonNode row : rows) {
            assertThat(row.get("simulated_events").asLong())
                    .isEqualTo(row.get("executed_events").asLong());
            assertThat(row.get("cpu_seconds").asDouble()).isPositive();
        }
        assertThat(rows.get(15).get("executed_events").asLong())
                .as("chunks of a sixteenth")
                .isGreaterThan(10 * rows.get(11).get("executed_events").asLong());
    }
}

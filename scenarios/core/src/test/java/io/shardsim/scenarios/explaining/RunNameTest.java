package io.shardsim.scenarios.explaining;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.yaml.InputException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names of runs of a file. */
class RunNameTest {
    private static final List<Map<String, Object>> RUNS = List.of(
            Map.of("cluster.nodes", 2L, "strategy", Map.of("kind", "zero3")),
            Map.of("cluster.nodes", 2L, "strategy", Map.of("kind", "mics", "shard_group", 8L)),
            Map.of("cluster.nodes", 4L, "strategy", Map.of("kind", "mics", "shard_group", 8L)));

    @ParameterizedTest
    @CsvSource({
        "my.yaml#1, 0",
        "my.yaml#3, 2",
        "my.yaml#kind=zero3, 0",
        "'my.yaml#kind=mics,nodes=2', 1",
        "'my.yaml#strategy.kind=mics, cluster.nodes=4', 2"
    })
    void oneIsMeant(String written, int place) throws Exception {
        RunName name = RunName.of(written);
        assertThat(name.file()).isEqualTo("my.yaml");
        assertThat(name.place(RUNS)).isEqualTo(place);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "my.yaml | holds 3 runs; name one, such as my.yaml#1",
                "my.yaml#0 | #0 is not from 1 to 3",
                "my.yaml#4 | #4 is not from 1 to 3",
                "my.yaml#kind=fsdp | no run has kind=fsdp; write #N or #KEY=VALUE",
                "my.yaml#mics | no run has mics; write #N or #KEY=VALUE",
                "my.yaml#kind=mics | 2 runs have kind=mics; add a value, or write #N"
            })
    void elseTheRunsAreListed(String written, String message) {
        assertThatThrownBy(() -> RunName.of(written).place(RUNS))
                .isInstanceOf(InputException.class)
                .hasMessageStartingWith("my.yaml: " + message)
                .hasMessageContaining("my.yaml#3: ");
    }

    @Test
    void theOnlyRunNeedsNoNumber() throws Exception {
        assertThat(RunName.of("my.yaml").place(List.of(Map.of()))).isZero();
    }
}

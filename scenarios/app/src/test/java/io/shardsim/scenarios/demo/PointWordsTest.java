package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PointWordsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            gpt2-30b-on-p4d        | 1 | nodes 2, fsdp
            mics-ablation-30b      | 0 | mics
            mics-ablation-30b      | 3 | mics, without coalesced gathers
            llama2-13b-checkpointing | 1 | checkpointed layers 20
            zeropp-slow-network    | 2 | NIC 25 Gbit/s, zeropp, without quantized gradients, without quantized weights
            """)
    void pointIsNamedByWhatTellsItFromTheOthers(String scenario, int index, String words) throws Exception {
        List<ScenarioPoint> points =
                DemoScenario.open("library/" + scenario + ".yaml").points();
        List<String> all =
                PointWords.distinct(points.stream().map(ScenarioPoint::values).toList());
        assertThat(all.get(index)).isEqualTo(words);
        assertThat(new HashSet<>(all)).hasSameSizeAs(all);
    }
}

package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunNamesTest {
    private static List<String> names(ScenarioResult sweep) {
        RunNames names = sweep.names();
        return sweep.runs().stream().map(names::of).toList();
    }

    @Test
    void aSweepOverInstancesIsNamedByStrategyAndInstance() {
        ScenarioResult sweep = SampleRuns.instances("s");
        assertThat(names(sweep))
                .doesNotHaveDuplicates()
                .startsWith("DeepSpeed ZeRO-3, p4d.24xlarge", "MiCS (shard group 16), p4d.24xlarge")
                .endsWith("MiCS (shard group 16), p5.48xlarge");
        assertThat(sweep.series().keySet()).containsExactlyElementsOf(names(sweep));
        assertThat(sweep.names().strategyOf(sweep.runs().get(1))).isEqualTo("MiCS (shard group 16)");
    }

    @Test
    void whatAllRunsShareIsInNoName() {
        List<Map<String, ?>> points = new ArrayList<>();
        for (String checkpointing : List.of("full", "none")) {
            for (boolean offload : new boolean[] {false, true}) {
                Map<String, Object> training = new LinkedHashMap<>();
                training.put("sequence_length", 2048);
                training.put("activation_checkpointing", checkpointing);
                training.put("activation_offload", offload);
                points.add(Map.of("training", training));
            }
        }
        assertThat(names(SampleRuns.points("s", points)))
                .containsExactly(
                        "full checkpointing, activation offload off",
                        "full checkpointing, activation offload",
                        "no checkpointing, activation offload off",
                        "no checkpointing, activation offload");
    }

    /** The plain strategy of an ablation is named by its own label only. */
    @Test
    void strategiesOfOneNameAreToldApartByTheirSettings() {
        assertThat(names(SampleRuns.points(
                        "s",
                        List.of(
                                Map.of("strategy", Map.of("kind", "mics")),
                                Map.of("strategy", Map.of("kind", "mics", "coalesced_gathers", false)),
                                Map.of("strategy", Map.of("kind", "mics", "prefetch_bucket_size", 0))))))
                .containsExactly("MiCS (shard group 16)", "coalesced gathers off", "prefetch bucket size 0");
    }

    @Test
    void aGroupOfAllRanksIsNamedBesideSmallerOnes() {
        assertThat(SampleRuns.shardGroups("s", 8, 32).series().keySet())
                .containsExactly("MiCS (shard group 8)", "MiCS (shard group 32)");
    }
}

package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DemoScenarioTest {
    private static ScenarioPoint point(String file, String... choice) throws InputException {
        Map<String, String> choices = new HashMap<>();
        for (int i = 0; i < choice.length; i += 2) {
            choices.put(choice[i], choice[i + 1]);
        }
        return DemoScenario.open("library/" + file + ".yaml").point(choices);
    }

    private static Task.Training task(ScenarioPoint point) {
        return (Task.Training) point.task();
    }

    @Test
    void pointIsAsTheFileHasItUntilSomethingIsTurned() throws Exception {
        DemoScenario scenario = DemoScenario.open("library/gpt2-30b-on-p4d.yaml");
        for (int i = 0; i < scenario.points().size(); i++) {
            assertThat(scenario.point(Map.of("point", String.valueOf(i))))
                    .isSameAs(scenario.points().get(i));
        }
        assertThat(task(scenario.point(Map.of("point", "3"))).microBatch()).isNull();
        assertThatThrownBy(() -> scenario.point(Map.of("point", "15")))
                .isInstanceOf(InputException.class)
                .hasMessageContaining("choose 0 to 14");
    }

    /** Every knob of every lesson at each of its values: a point's name matches its settings. */
    @Test
    void namesOfPointsSayWhatKnobsMakeOfThem() throws Exception {
        for (Lesson lesson : Lessons.load().all()) {
            if (lesson.shown().watch().isEmpty()) {
                continue;
            }
            DemoScenario scenario = Lessons.scenario(lesson);
            FirstSides sides = Lessons.sides(lesson, scenario);
            Map<String, Object> offer = scenario.offer(sides);
            assertThat(offer).containsEntry("scenario", lesson.scenario()).containsEntry("title", lesson.title());
            for (Object each : (List<?>) offer.get("knobs")) {
                Knob knob = (Knob) each;
                for (String value : knob.values()) {
                    Map<String, String> choice = Map.of("point", String.valueOf(sides.second()), knob.id(), value);
                    ScenarioPoint point = scenario.point(choice);
                    String words = scenario.words(choice).get(sides.second());
                    if (!value.equals(knob.chosen()) && knob.id().equals("nodes")) {
                        assertThat(words).contains("nodes " + point.cluster().nodes());
                        assertThat(point.cluster().nodes()).isEqualTo(Integer.parseInt(value));
                    }
                    assertThat(words).doesNotContain("{");
                }
            }
        }
    }

    @Test
    void shardGroupBelongsToTheStrategyThatHasOne() throws Exception {
        // The file has a shard group for mics, and also sweeps over zero3.
        ScenarioPoint zero3 = point("zero3-against-mics", "point", "0", "link_rate", "50 Gbit/s");
        assertThat(task(zero3).strategy().kind()).isEqualTo("zero3");
        assertThat(task(zero3).strategy().given()).isEmpty();
        ScenarioPoint mics = point("zero3-against-mics", "point", "1", "link_rate", "50 Gbit/s");
        assertThat(task(mics).strategy().given()).containsEntry("shard_group", "64");
        ScenarioPoint switched = point("zero3-against-mics", "point", "0", "strategy", "mics");
        assertThat(task(switched).strategy().given()).containsEntry("shard_group", "64");
    }

    @Test
    void everyGpuKeepsItsSamplesWhenNodesAreTurned() throws Exception {
        ScenarioPoint fewer = point("zero3-against-mics", "point", "1", "nodes", "4");
        assertThat(fewer.cluster().nodes()).isEqualTo(4);
        assertThat(task(fewer).globalBatch()).isEqualTo(512);
        assertThat(task(fewer).strategy().given()).as("capped to the cluster").containsEntry("shard_group", "32");
        ScenarioPoint stages = point("activation-offload", "point", "1", "nodes", "4");
        assertThat(task(stages).globalBatch()).isEqualTo(128);
        assertThat(task(stages).strategy().given()).containsEntry("pipeline_schedule", "1f1b");
    }

    @Test
    void accumulationCountsTheMicroBatchesOfAReplica() throws Exception {
        ScenarioPoint more = point("activation-offload", "accumulation", "8");
        assertThat(task(more).microBatch()).isEqualTo(8);
        assertThat(task(more).globalBatch()).isEqualTo(64);
        ScenarioPoint open = point("gpt2-30b-on-p4d", "point", "3", "accumulation", "4");
        assertThat(task(open).microBatch()).isEqualTo(1);
        assertThat(task(open).globalBatch()).isEqualTo(4 * 32);
    }

    @Test
    void bareCollectiveIsTurnedLikeItsNetwork() throws Exception {
        ScenarioPoint point = point("all-reduce-1gib", "nodes", "4", "latency", "5 us");
        assertThat(point.cluster().worldSize()).isEqualTo(32);
        assertThat(point.cluster().instance().nic().latencyPs()).isEqualTo(5_000_000);
        assertThat(DemoScenario.open("library/all-reduce-1gib.yaml").offer(new FirstSides(List.of(point), any -> true)))
                .containsEntry("subject", "all_reduce on p4de.24xlarge")
                .containsEntry("strategies", List.of());
    }
}

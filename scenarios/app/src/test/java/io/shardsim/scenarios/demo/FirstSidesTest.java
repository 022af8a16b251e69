package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import java.util.List;
import org.junit.jupiter.api.Test;

class FirstSidesTest {
    private static List<ScenarioPoint> library(String name) throws InputException {
        return DemoScenario.open("library/" + name + ".yaml").points();
    }

    private static List<String> words(List<ScenarioPoint> points, FirstSides sides) {
        String first = PointWords.of(points.get(sides.first()).values());
        return sides.second() == null
                ? List.of(first)
                : List.of(first, PointWords.of(points.get(sides.second()).values()));
    }

    @Test
    void strategiesOfTheLargestClusterStandSideBySide() throws Exception {
        List<ScenarioPoint> points = library("gpt2-30b-on-p4d");
        FirstSides sides = new FirstSides(points, point -> point.cluster().nodes() >= 8);
        assertThat(words(points, sides)).containsExactly("nodes 32, zero3", "nodes 32, fsdp");
        assertThat(sides.knownNotToFit(0)).isTrue();
        assertThat(sides.knownNotToFit(points.size() - 1)).isFalse();
    }

    @Test
    void withoutTwoStrategiesOneValueOfTheSweepDiffers() throws Exception {
        List<ScenarioPoint> points = library("all-gather-on-p4d");
        assertThat(words(points, new FirstSides(points, point -> true)))
                .containsExactly("nodes 2, 1 MiB, ring", "nodes 2, 1 MiB, hierarchical");
    }

    @Test
    void whatFitsAloneStandsAlone() throws Exception {
        List<ScenarioPoint> points = library("zero3-against-mics");
        assertThat(words(points, new FirstSides(points, point -> point.equals(points.get(3)))))
                .containsExactly("nodes 16, mics");
        assertThat(words(points, new FirstSides(points, point -> false))).containsExactly("nodes 8, zero3");
    }
}

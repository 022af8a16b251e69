package io.shardsim.scenarios.demo;

import io.shardsim.reports.GapWords;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.writing.ResultsJson;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs of one training step under several strategies, shown together. A strategy's loss to the fastest is split as in {@code run} and
 * {@code compare}.
 */
final class Race {
    /** Parts of an outline that a lane does not show. */
    private static final List<String> UNUSED = List.of("timeline", "overview", "labels");

    private final List<Lane> lanes;

    /** One strategy: its point, that point's index in the scenario, and the run without chunks. */
    record Lane(int place, ScenarioPoint point, Replay replay) {
        private RunResult result() {
            return replay.result();
        }
    }

    Race(List<Lane> lanes) {
        this.lanes = List.copyOf(lanes);
    }

    /** Returns the page's data, in lane order. */
    Map<String, Object> document() {
        Optional<RunResult> fastest = lanes.stream()
                .map(Lane::result)
                .filter(RunResult::fits)
                .min(Comparator.comparingDouble(run -> run.step().stepSeconds()));
        List<Map<String, @Nullable Object>> all = new ArrayList<>();
        for (Lane lane : lanes) {
            Map<String, @Nullable Object> one = document(lane);
            if (fastest.isPresent() && lane.result().fits() && !lane.result().is(fastest.get())) {
                one.put("gap", GapWords.gap(lane.result(), fastest.get()));
                one.put("blocks", GapWords.blocks(lane.result(), fastest.get()));
            }
            all.add(one);
        }
        return Map.of("lanes", all);
    }

    private Map<String, @Nullable Object> document(Lane lane) {
        Map<String, @Nullable Object> out = new LinkedHashMap<>();
        out.put("point", lane.place());
        String name = name(lane.result());
        boolean alone = lanes.stream()
                        .filter(other -> name(other.result()).equals(name))
                        .count()
                == 1;
        out.put("name", alone ? name : name + " (" + PointWords.of(lane.point().values()) + ")");
        out.put("kind", DemoScenario.kind(lane.point()));
        out.put("kernels", lane.result().facts().sharding().kernels());
        out.put("colours", Strategies.colours(DemoScenario.kind(lane.point())));
        Map<String, Object> outline = lane.replay().outline();
        if (outline == null) {
            out.put("result", ResultsJson.page(lane.result()));
        } else {
            out.putAll(outline);
            out.keySet().removeAll(UNUSED);
        }
        return out;
    }

    private static String name(RunResult run) {
        return run.facts().sharding().shortLabel(run.gpus());
    }
}

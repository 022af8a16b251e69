package io.shardsim.scenarios.planning;

import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.StrategySpec;
import io.shardsim.scenarios.scenario.Task;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One configuration.
 *
 * @param settings what is chosen in it, by dotted key, as a scenario file writes it
 * @param asked the same resolved, its micro-batch included
 * @param point what runs: the same, or what is left of it in a framework's files, where DeepSpeed's do not name their release
 */
public record Candidate(Map<String, String> settings, ScenarioPoint asked, ScenarioPoint point) {
    Candidate(Map<String, String> settings, ScenarioPoint point) {
        this(settings, point, point);
    }

    public Candidate {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    /** The same from a framework's files. */
    public Candidate carriedAs(ScenarioPoint carried) {
        return new Candidate(settings, asked, carried);
    }

    Task.Training task() {
        return (Task.Training) point.task();
    }

    StrategySpec strategy() {
        return ((Task.Training) asked.task()).strategy();
    }

    /** Of the strategy that is asked for, as scenarios write it. */
    public String kind() {
        return strategy().kind();
    }

    /** The same for people. */
    String title() {
        return strategy().descriptor().title();
    }

    /** Splits and what waits in host memory: each asks for care that a small gain does not pay. */
    long extras() {
        return settings.entrySet().stream()
                .filter(each -> each.getKey().matches(".*(_parallel|offload.*)")
                        && !each.getValue().matches("1|false"))
                .count();
    }

    /** What a table shows of it: the software, and what is chosen. */
    Map<String, String> shown() {
        Map<String, String> shown = new LinkedHashMap<>(settings);
        shown.put("software", Strategies.software(kind()).title());
        return shown;
    }

    /** 1 where it is left to the run. */
    int microBatch() {
        Integer written = task().microBatch();
        return written == null ? 1 : written;
    }

    int nodes() {
        return point.cluster().nodes();
    }

    /** Tokens of a training step. */
    double tokens() {
        return (double) task().globalBatch() * task().sequenceLength();
    }
}

package io.shardsim.scenarios.planning;

import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.StrategySpec;
import io.shardsim.scenarios.scenario.Task;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A configuration that a plan considers.
 *
 * @param settings chosen settings by dotted key, as written in a scenario file
 * @param asked the resolved point, including its micro-batch
 * @param point the point that runs: equal, or as read from a framework's files, which may say less (DeepSpeed's do not name their release)
 */
public record Candidate(Map<String, String> settings, ScenarioPoint asked, ScenarioPoint point) {
    Candidate(Map<String, String> settings, ScenarioPoint point) {
        this(settings, point, point);
    }

    public Candidate {
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
    }

    /** Returns this candidate as it runs from a framework's files. */
    public Candidate carriedAs(ScenarioPoint carried) {
        return new Candidate(settings, asked, carried);
    }

    Task.Training task() {
        return (Task.Training) point.task();
    }

    StrategySpec strategy() {
        return ((Task.Training) asked.task()).strategy();
    }

    /** Returns the kind of the requested strategy. */
    public String kind() {
        return strategy().kind();
    }

    /** Returns the title of the requested strategy. */
    String title() {
        return strategy().descriptor().title();
    }

    /** Returns the number of parallel dimensions and offloads: each needs care that a small gain does not justify. */
    long extras() {
        return settings.entrySet().stream()
                .filter(each -> each.getKey().matches(".*(_parallel|offload.*)")
                        && !each.getValue().matches("1|false"))
                .count();
    }

    /** Returns its entry in a table: the software, and the chosen settings. */
    Map<String, String> shown() {
        Map<String, String> shown = new LinkedHashMap<>(settings);
        shown.put("software", Strategies.software(kind()).title());
        return shown;
    }

    /** Returns the micro-batch; 1 if it is left to the run. */
    int microBatch() {
        Integer written = task().microBatch();
        return written == null ? 1 : written;
    }

    int nodes() {
        return point.cluster().nodes();
    }

    /** Returns tokens per training step. */
    double tokens() {
        return (double) task().globalBatch() * task().sequenceLength();
    }
}

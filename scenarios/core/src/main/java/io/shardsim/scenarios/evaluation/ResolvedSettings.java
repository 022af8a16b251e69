package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.Setting;
import io.shardsim.reports.Setting.Origin;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.workload.Adapters;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A scenario's settings as resolved for one run: each value, and whether it was given, is the default, or was chosen here. */
final class ResolvedSettings {
    /** Blocks in the order of scenario files. */
    private static final List<String> BLOCKS = List.of(
            "accepted",
            "model",
            "cluster",
            "training",
            "lora",
            "strategy",
            "workload",
            "collectives",
            "storage",
            "checkpoint",
            "failures",
            "faults",
            "money");

    private final ScenarioPoint point;
    private final Map<String, Setting> settings = new LinkedHashMap<>();

    private ResolvedSettings(ScenarioPoint point) {
        this.point = point;
    }

    /** Returns settings of a training run. */
    static List<Setting> of(TrainingPoint training) {
        ResolvedSettings resolved = new ResolvedSettings(training.point());
        Task.Training task = training.task();
        resolved.put("model", task.modelName());
        resolved.addCluster();
        task.settings(training.job())
                .forEach((path, value) -> resolved.put(
                        path, value, path.equals(TriedSettings.MICRO_BATCH) ? Origin.CHOSEN : Origin.DEFAULT));
        resolved.addAdapters(task.model().adapters());
        resolved.addStrategy(training);
        resolved.addCollectives();
        return resolved.list();
    }

    /** Returns settings of a bare collective. */
    static List<Setting> ofCollective(ScenarioPoint point, Task.Collective task) {
        ResolvedSettings resolved = new ResolvedSettings(point);
        resolved.addCluster();
        resolved.put("workload.collective", task.kind().id());
        resolved.put("workload.size", task.totalBytes() + " B");
        resolved.addCollectives();
        return resolved.list();
    }

    private void addCluster() {
        put("cluster.instance", point.cluster().instance().name());
        put("cluster.nodes", point.cluster().nodes());
    }

    private void addAdapters(Adapters adapters) {
        if (!adapters.isNone()) {
            put("lora.r", adapters.rank());
            put("lora.target_modules", String.join(", ", adapters.modules()));
            put("lora.frozen_bits", adapters.frozenBits());
        }
    }

    private void addStrategy(TrainingPoint training) {
        put("strategy.kind", training.task().strategy().kind());
        StrategyParameters settings = training.strategy().settings();
        training.task().strategy().parameters().forEach((name, written) -> {
            if (name.equals(StrategyDescriptor.SHARD_GROUP) && settings.isZeroByDefault(name)) {
                put(
                        "strategy." + name,
                        training.strategy().shardGroups(training.job()).size(),
                        Origin.CHOSEN);
            } else {
                put("strategy." + name, written);
            }
        });
    }

    private void addCollectives() {
        put("collectives.library", point.collectives().library());
        put("collectives.algorithm", point.collectives().algorithm());
    }

    private void put(String path, Object value) {
        put(path, value, Origin.DEFAULT);
    }

    /** @param otherwise origin of the value if the file does not set it */
    private void put(String path, Object value, Origin otherwise) {
        boolean given = point.given().containsKey(path);
        settings.put(path, new Setting(path, String.valueOf(value), given ? Origin.GIVEN : otherwise));
    }

    /** Returns the settings; those given in the file but not resolved above are kept as written. */
    private List<Setting> list() {
        point.given().forEach((path, value) -> {
            if (BLOCKS.contains(block(path))) {
                settings.computeIfAbsent(path, key -> new Setting(key, String.valueOf(value), Origin.GIVEN));
            }
        });
        List<Setting> ordered = new ArrayList<>(settings.values());
        ordered.sort(Comparator.comparingInt(setting -> BLOCKS.indexOf(block(setting.path()))));
        return ordered;
    }

    private static String block(String path) {
        int dot = path.indexOf('.');
        return dot < 0 ? path : path.substring(0, dot);
    }
}

package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.KnownSetting;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.settings.ParameterForm;
import io.shardsim.simulator.strategy.settings.Setting;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Every training setting moved one notch up and down: switches flipped, numbers doubled and halved, checkpointing and micro-batches set to the next
 * value. Excludes settings that {@link AdvisedSettings} already try, and settings that describe a framework, such as its process memory.
 */
final class SettingSensitivity {
    private static final int FACTOR = 2;

    private final ScenarioPoint point;
    private final Task.Training task;
    private final int microBatch;
    private final ShardingStrategy strategy;
    private final List<TriedSettings> notches = new ArrayList<>();

    private SettingSensitivity(ScenarioPoint point, Task.Training task, int microBatch) {
        this.point = point;
        this.task = task;
        this.microBatch = microBatch;
        strategy = task.strategy().create();
    }

    /**
     * Returns all notches of a run that fits.
     *
     * @param microBatch micro-batch of the run, set or chosen
     * @param known settings that are already tried
     */
    static List<TriedSettings> of(ScenarioPoint point, Task.Training task, int microBatch, List<TriedSettings> known) {
        SettingSensitivity of = new SettingSensitivity(point, task, microBatch);
        of.addTraining();
        of.addParameters();
        Set<Map<String, String>> tried = new HashSet<>();
        known.forEach(lever -> tried.add(lever.settings()));
        of.notches.removeIf(lever -> !tried.add(lever.settings()));
        return of.notches;
    }

    private void addTraining() {
        int samples = PointBounds.samplesOfReplica(point);
        for (boolean up : List.of(true, false)) {
            int next = microBatch;
            do {
                next += up ? 1 : -1;
            } while (next > 0 && next <= samples && samples % next != 0);
            if (next > 0 && next <= samples) {
                String value = String.valueOf(next);
                TriedSettings.of(
                                named(TriedSettings.MICRO_BATCH, value),
                                point,
                                Map.of(TriedSettings.MICRO_BATCH, value))
                        .filter(lever -> PointSimulation.fits(lever.point()))
                        .ifPresent(notches::add);
            }
        }
        Map<String, Object> inForce = task.settings(task.job(point.cluster(), strategy));
        for (KnownSetting known : KnownSetting.all()) {
            if (known.hasNotch()) {
                List<String> values = known.values();
                int now = values.indexOf(String.valueOf(inForce.get(known.path())));
                IntStream.of(now - 1, now + 1)
                        .filter(next -> next >= 0 && next < values.size())
                        .forEach(next -> add(known.path(), values.get(next)));
            }
        }
    }

    private static String named(String key, String value) {
        return key.substring(key.indexOf('.') + 1) + ": " + value;
    }

    private void add(String key, String value) {
        TriedSettings.of(named(key, value), point, Map.of(key, value)).ifPresent(notches::add);
    }

    private void addParameters() {
        StrategyParameters inForce = strategy.settings();
        for (Setting parameter : task.strategy().descriptor().parameters()) {
            String name = parameter.name();
            switch (ParameterForm.of(parameter.written())) {
                case FLAG -> {
                    if (KnownSetting.of("strategy." + name).isSwitch()) {
                        add("strategy." + name, String.valueOf(!inForce.flag(name)));
                    }
                }
                case ELEMENTS, RANKS, STAGES -> addFactors(name, inForce.whole(name), "");
                case SIZE -> {
                    if (name.endsWith("bucket_size")) {
                        addFactors(name, inForce.whole(name), " B");
                    }
                }
                case LAYERS, PERCENT, TIME, RATE, NAME -> {
                    // Not the user's to set, or, like algorithms, tried by name.
                }
            }
        }
    }

    private void addFactors(String name, long value, String unit) {
        if (value > 0) {
            add("strategy." + name, FACTOR * value + unit);
        }
        if (value >= FACTOR) {
            add("strategy." + name, value / FACTOR + unit);
        }
    }
}

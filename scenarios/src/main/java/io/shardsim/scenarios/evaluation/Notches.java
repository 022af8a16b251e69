package io.shardsim.scenarios.evaluation;

import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.StrategySpec;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.job.ActivationPolicy;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.settings.ParameterForm;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.workload.Checkpointing;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Every setting of a training turned by one notch, up and down: switches are turned, numbers doubled and halved, checkpointing and micro-batches go to the next value. What
 * {@link Levers} try already is left out, and so are settings that describe a framework rather than steer it, such as what its process costs.
 */
final class Notches {
    private static final int FACTOR = 2;

    private final ScenarioPoint point;
    private final Task.Training task;
    private final int microBatch;
    private final ShardingStrategy strategy;
    private final List<Lever> notches = new ArrayList<>();

    private Notches(ScenarioPoint point, Task.Training task, int microBatch) {
        this.point = point;
        this.task = task;
        this.microBatch = microBatch;
        strategy = task.strategy().create();
    }

    /**
     * Those of a run that fits.
     *
     * @param microBatch what it runs with, given or found
     * @param known what is tried already
     */
    static List<Lever> of(ScenarioPoint point, Task.Training task, int microBatch, List<Lever> known) {
        Notches of = new Notches(point, task, microBatch);
        of.addTraining();
        of.addParameters();
        Set<Map<String, String>> tried = new HashSet<>();
        known.forEach(lever -> tried.add(lever.settings()));
        of.notches.removeIf(lever -> !tried.add(lever.settings()));
        return of.notches;
    }

    private void addTraining() {
        Task.Execution execution = task.execution();
        int samples = Prospect.samplesOfReplica(point);
        for (boolean up : List.of(true, false)) {
            int next = microBatch;
            do {
                next += up ? 1 : -1;
            } while (next > 0 && next <= samples && samples % next != 0);
            Task.Training other = task.with(task.strategy(), execution.withMicroBatch(next));
            if (next > 0 && next <= samples && Trials.fits(point, other)) {
                add("training.micro_batch", String.valueOf(next), other);
            }
        }
        ActivationPolicy kept = execution.kept();
        for (Checkpointing other : Checkpointing.values()) {
            if (Math.abs(other.ordinal() - kept.checkpointing().ordinal()) == 1) {
                add(
                        "training.activation_checkpointing",
                        other.name().toLowerCase(Locale.ROOT),
                        task.with(
                                task.strategy(),
                                execution.withKept(
                                        kept.withCheckpoints(other, task.model().layers()))));
            }
        }
        add(
                "training.activation_offload",
                String.valueOf(!kept.offload()),
                task.with(task.strategy(), execution.withKept(kept.withOffload(!kept.offload()))));
    }

    private void add(String key, String value, Task.Training other) {
        Task.Training open = other.with(other.strategy(), other.execution().withMicroBatch(null));
        for (Task.Training possible : List.of(other, open)) {
            if (possible.problems(point.cluster()).isEmpty()) {
                String name = key.substring(key.indexOf('.') + 1);
                notches.add(new Lever(name + ": " + value, Map.of(key, value), point.cluster(), possible));
                return;
            }
        }
    }

    private void addParameters() {
        StrategyParameters inForce = strategy.settings();
        for (StrategyDescriptor.Parameter parameter :
                task.strategy().descriptor().parameters()) {
            String name = parameter.name();
            switch (ParameterForm.of(parameter.defaultText())) {
                case FLAG -> {
                    if (Levers.isSwitch(name)) {
                        add(name, String.valueOf(!inForce.flag(name)));
                    }
                }
                case ELEMENTS, RANKS, STAGES -> addFactors(name, inForce.whole(name), "");
                case SIZE -> {
                    if (name.endsWith("bucket_size")) {
                        addFactors(name, inForce.whole(name), " B");
                    }
                }
                case LAYERS, PERCENT, TIME, RATE, NAME -> {
                    // Not the user's to set, or, as algorithms, tried by name.
                }
            }
        }
    }

    private void addFactors(String name, long value, String unit) {
        if (value > 0) {
            add(name, FACTOR * value + unit);
        }
        if (value >= FACTOR) {
            add(name, value / FACTOR + unit);
        }
    }

    private void add(String name, String value) {
        Map<String, String> given = new LinkedHashMap<>(task.strategy().given());
        given.put(name, value);
        add(
                "strategy." + name,
                value,
                task.with(new StrategySpec(task.strategy().descriptor(), given), task.execution()));
    }
}

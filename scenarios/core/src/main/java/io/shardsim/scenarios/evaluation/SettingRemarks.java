package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.scenario.CollectiveSettings;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.StrategySpec;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.run.TransformerWorkTimes;
import io.shardsim.simulator.strategy.LargestMicroBatch;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.settings.ParameterForm;
import io.shardsim.simulator.strategy.settings.Setting;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ExpertLoad;
import io.shardsim.simulator.workload.Recomputed;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Remarks on the settings of a training run: the version a strategy models, names that mean something else elsewhere, settings without effect, and
 * what sharding cannot reduce.
 *
 * <p>Whether a setting has an effect is tested, not looked up: a step is planned with its value and with another one. If operations, memory and all
 * work times are equal, so are the runs.
 */
final class SettingRemarks {
    private static final String OVERLAP_IN_BACKWARD = "overlap_in_backward";

    /** Memory held per sample or layer, however the states are sharded. */
    private static final Set<MemoryOwner> NOT_SHARDED =
            Set.of(MemoryOwner.ACTIVATIONS, MemoryOwner.WORKING_SET, MemoryOwner.GATHERED_UNITS, MemoryOwner.BUCKETS);

    private final ScenarioPoint point;
    private final Task.Training task;
    private final StrategySpec spec;
    private final ShardingStrategy strategy;
    private final LargestMicroBatch.Found found;
    private final TrainingJob job;
    private final Cluster cluster;

    SettingRemarks(TrainingPoint training) {
        point = training.point();
        task = training.task();
        spec = task.strategy();
        strategy = training.strategy();
        found = training.found();
        job = training.job();
        cluster = training.cluster();
    }

    /** Returns the remarks, one sentence each. */
    List<String> sentences() {
        List<String> sentences = new ArrayList<>();
        addVersion(sentences);
        addMeanings(sentences);
        sentences.addAll(strategy.remarks(job));
        addLoad(sentences);
        addIdle(sentences);
        addLimits(sentences);
        return sentences;
    }

    private void addVersion(List<String> sentences) {
        if (spec.descriptor().version().isEmpty()) {
            return;
        }
        StringBuilder sentence =
                new StringBuilder(spec.kind() + " models " + spec.descriptor().version());
        for (String kind : Strategies.kinds()) {
            StrategyDescriptor other = Strategies.descriptor(kind);
            if (other != null && other.isLaterThan(spec.descriptor())) {
                sentence.append("; for ")
                        .append(other.version())
                        .append(" write kind: ")
                        .append(kind);
            }
        }
        sentences.add(sentence.toString());
    }

    private void addMeanings(List<String> sentences) {
        if (job.checkpointing() == Checkpointing.SELECTIVE
                && job.kept().recomputed().equals(Recomputed.CORE_ATTENTION)) {
            sentences.add("activation_checkpointing selective recomputes the attention core, as Megatron-LM does; for"
                    + " torchtitan's selective op write operator, for every second layer write full with"
                    + " checkpointed_layers " + task.model().layers() / 2);
        }
        boolean byDefault =
                task.learning().dropout() == task.model().operators().hasDropout();
        if (!byDefault
                && FrameworkProfile.named(job.kernels()).dropout()
                        != task.learning().dropout()) {
            sentences.add("dropout " + task.learning().dropout()
                    + " changes mask memory but not time: the kernels of " + job.kernels() + " run "
                    + (task.learning().dropout() ? "without" : "with") + " dropout");
        }
        if (!strategy.settings().flagOr(OVERLAP_IN_BACKWARD, true) && job.dataParallel() > 1) {
            sentences.add("gathers and reductions do not overlap with the backward, despite overlap_comm: "
                    + "overlap_in_backward is false");
        }
    }

    /** Adds the load of the fullest ranks under a drawn expert load, and {@code recompute} without effect. */
    private void addLoad(List<String> sentences) {
        if (job.checkpointing() != Checkpointing.SELECTIVE && point.given().containsKey("training.recompute")) {
            sentences.add("recompute has no effect here: activation_checkpointing is " + Names.id(job.checkpointing()));
        }
        ExpertLoad load = job.model().mixture().load();
        if (load.isDrawn()) {
            DoubleSummaryStatistics fullest = job.model().fullestRanks();
            sentences.add("expert_load " + load.words() + ": of " + load.ranks()
                    + " ranks with different experts the fullest has " + Quantities.significant(fullest.getMin())
                    + " to " + Quantities.significant(fullest.getMax()) + " times an even share, "
                    + Quantities.significant(fullest.getAverage()) + " on average of the layers, and the others wait");
        }
    }

    /** Adds settings that the strategy itself reports as having no effect, with the reason. */
    private void addIdle(List<String> sentences) {
        Set<String> told = strategy.idle(job).keySet();
        Step step = null;
        for (Setting parameter : spec.descriptor().parameters()) {
            String name = parameter.name();
            String other = told.contains(name) ? null : otherValue(parameter);
            if (other != null) {
                step = step == null ? step(Map.of()) : step;
                if (step != null && step.isSame(step(Map.of("strategy." + name, other)))) {
                    sentences.add(name + " has no effect here: " + spec.given().get(name) + " and " + other
                            + " give the same step");
                }
            }
        }
    }

    /**
     * Returns a value to compare a given setting with: a switch flipped, or the default of anything else. Null if the comparison shows nothing: the
     * setting is not given, at its default or the collective library, or the default represents one of the other values.
     */
    private @Nullable String otherValue(Setting parameter) {
        String name = parameter.name();
        String byDefault = parameter.written();
        if (!spec.given().containsKey(name) || name.equals(StrategyDescriptor.COLLECTIVE_LIBRARY)) {
            return null;
        }
        if (ParameterForm.of(byDefault) == ParameterForm.FLAG) {
            return String.valueOf(!strategy.settings().flag(name));
        }
        boolean standsForOthers =
                byDefault.equals(CollectiveSettings.AUTO) || strategy.settings().isZeroByDefault(name);
        return strategy.settings().isChanged(name) && !standsForOthers ? byDefault : null;
    }

    /** Returns the step with some settings changed; null if it cannot run with them. */
    private @Nullable Step step(Map<String, String> changes) {
        Map<String, String> settings = new LinkedHashMap<>(changes);
        settings.put(TriedSettings.MICRO_BATCH, String.valueOf(job.microBatch()));
        return TriedSettings.of("", point, settings)
                .map(lever -> step((Task.Training) lever.point().task()))
                .orElse(null);
    }

    private @Nullable Step step(Task.Training other) {
        ShardingStrategy planner = other.strategy().create();
        TrainingJob one = other.job(cluster, planner);
        int few = one.parallel().microBatchesToPeak(one.accumulationSteps());
        TrainingJob shown = one.withMicroBatch(one.microBatch(), few);
        return planner.problems(shown).isEmpty() ? new Step(shown, planner.plan(shown)) : null;
    }

    /** A training step with just enough micro-batches to reach its memory peak. */
    private final class Step {
        private final String kernels;
        private final StepPlan plan;
        private final TransformerWorkTimes times;

        Step(TrainingJob shown, StepPlan plan) {
            kernels = shown.kernels();
            this.plan = plan;
            times = new TransformerWorkTimes(shown, cluster);
        }

        boolean isSame(@Nullable Step other) {
            return other != null && kernels.equals(other.kernels) && plan.equals(other.plan) && takesAsLong(other);
        }

        private boolean takesAsLong(Step other) {
            Set<Work> works = new HashSet<>();
            for (int i = 0; i < plan.size(); i++) {
                if (plan.operation(i) instanceof Operation.Compute compute) {
                    works.add(compute.work());
                }
            }
            return works.stream().allMatch(work -> times(work).equals(other.times(work)));
        }

        private List<Long> times(Work work) {
            return List.of(
                    times.ps(work), times.waitPs(work, job.worldSize()), (long) times.memoryPerMille(work), (long)
                            times.productsPerMille(work));
        }
    }

    /** Adds what sharding does not split. */
    private void addLimits(List<String> sentences) {
        long notSharded = found.ledger().atPeak().entrySet().stream()
                .filter(entry -> NOT_SHARDED.contains(entry.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
        if (!found.fits()
                && job.microBatch() == 1
                && notSharded > found.ledger().usedBytes() / 2) {
            sentences.add(Quantities.gib(notSharded)
                    + " of memory are activations and buffers of one sample. Sharding does not split them; "
                    + "tensor, context and pipeline parallelism do");
        } else if (found.fits() && job.microBatch() * job.accumulationSteps() == 1 && cluster.nodes() > 1) {
            sentences.add("each GPU has one sample per step, so data parallelism alone cannot use more GPUs with this"
                    + " global batch");
        }
    }
}

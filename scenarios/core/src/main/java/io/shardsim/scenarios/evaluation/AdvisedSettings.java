package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.Advice;
import io.shardsim.reports.KnownSetting;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.StepBreakdown;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.StrategySpec;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.job.ActivationPolicy;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.GpuMemory;
import io.shardsim.simulator.strategy.LargestMicroBatch;
import io.shardsim.simulator.strategy.ShardGroupRule;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.settings.Setting;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Settings worth trying for a run, largest effect first; in a tight run, settings that free memory come before all others. They change its compute,
 * its unused memory, or the communication that it waits for. Skips settings that the strategy lacks or refuses for this job, and communication
 * settings if communication takes less of the step than advice must gain. A micro-batch that the scenario leaves open is chosen anew for each
 * setting; a given one is kept if it fits.
 *
 * <p>Excludes changes to the training itself (model, batch, precision), to the cluster, and to strategies of other kinds, except kinds that can shard
 * over fewer ranks where this one cannot; those are tried with this run's kernels.
 */
final class AdvisedSettings {
    private static final String EXPERTS = "expert_parallel";
    private static final String PROFILE = "framework_profile";
    private static final String KERNELS = "training.kernels";
    private static final String OFFLOAD = "training.activation_offload";
    private static final long PREFETCH_FACTOR = 10;
    private static final long REPLICATED_PARAMETERS_MAX = 1_000_000_000L;

    private final ScenarioPoint point;
    private final Task.Training task;
    private final Task.Execution execution;
    private final ActivationPolicy kept;
    private final StrategySpec spec;
    private final ShardingStrategy strategy;
    private final StrategyParameters inForce;
    private final TrainingJob job;
    private final RunResult run;
    private final List<TriedSettings> levers = new ArrayList<>();

    private AdvisedSettings(ScenarioPoint point, Task.Training task, RunResult run) {
        this.point = point;
        this.task = task;
        this.run = run;
        execution = task.execution();
        kept = execution.kept();
        spec = task.strategy();
        strategy = spec.create();
        inForce = strategy.settings();
        job = task.job(point.cluster(), strategy)
                .withMicroBatch(
                        run.facts().model().microBatch(), run.facts().model().accumulationSteps());
    }

    /** Returns the settings worth trying for a run that fits. */
    static List<TriedSettings> of(ScenarioPoint point, Task.Training task, RunResult run) {
        AdvisedSettings of = new AdvisedSettings(point, task, run);
        if (run.isTight()) {
            new NearestFit(TrainingPoint.of(point)).room().ifPresent(of.levers::add);
        }
        of.addKernels();
        of.addMemory();
        of.addSwitches();
        of.addInterleaved();
        of.addSplits();
        of.addExperts();
        if (of.communicates()) {
            of.addShardGroups();
            of.addKinds();
            of.addPrefetch();
        }
        return of.levers;
    }

    /** Returns whether communication and the idle time it causes take as much as advice must gain. */
    private boolean communicates() {
        StepBreakdown step = run.step().breakdown();
        return job.worldSize() > 1
                && step.stepSeconds() - step.totalWorkSeconds() >= Advice.GAIN_MIN * step.totalWorkSeconds();
    }

    private void addKernels() {
        if (execution.attention() == AttentionKind.STANDARD && job.precision() != Precision.FP32) {
            add("Flash attention", Map.of("training.attention", "flash"));
        }
        String compiled = job.kernels() + "-compile";
        String own = own();
        String ownCompiled = FrameworkProfile.compiled(own);
        boolean plain = List.of("eager", "fused", own + "-fused-norm").contains(job.kernels());
        if (plain && execution.kernels() != null && ownCompiled != null) {
            add("Compiled kernels", Map.of(KERNELS, "compiled"));
        } else if (plain && spec.given().containsKey(PROFILE) && ownCompiled != null) {
            add("torch.compile", Map.of("strategy." + PROFILE, ownCompiled));
        } else if (FrameworkProfile.names().contains(compiled)) {
            add("torch.compile", Map.of(execution.kernels() == null ? "strategy." + PROFILE : KERNELS, compiled));
        }
    }

    /** Returns the kernels of the strategy's own software, the default. */
    private String own() {
        Setting profile = spec.descriptor().parameter(PROFILE);
        return profile == null ? "" : profile.written();
    }

    /** Adds recomputation, offload and micro-batches. */
    private void addMemory() {
        if (kept.offload()) {
            add("No activation offload", Map.of(OFFLOAD, "false"));
        }
        if (kept.checkpointing() != Checkpointing.NONE && kept.checkpointedLayers() > 0) {
            addFewerCheckpoints();
        }
        if (execution.microBatch() != null) {
            String open = job.parallel().stages() > 1 ? "Fastest micro-batch" : "Largest micro-batch";
            TriedSettings.ofOpen(open, point, Map.of()).ifPresent(levers::add);
        }
    }

    private void addFewerCheckpoints() {
        for (Checkpointing fewer : Checkpointing.values()) {
            if (fewer != kept.checkpointing() && fewer != Checkpointing.FULL) {
                Map<String, String> settings = new LinkedHashMap<>();
                String name = fewer.name().toLowerCase(Locale.ROOT);
                settings.put("training.activation_checkpointing", name);
                String title = fewer == Checkpointing.NONE ? "No recomputation" : "Activation checkpointing " + name;
                if (!add(title, Map.copyOf(settings)) && kept.offload()) {
                    settings.put(OFFLOAD, "false");
                    add(title + ", no activation offload", settings);
                }
            }
        }
        if (kept.checkpointing().startsFromInput() && !kept.offload()) {
            int fewest = fewestCheckpoints();
            if (fewest > 0 && fewest < kept.checkpointedLayers()) {
                add(
                        "Recomputation in " + fewest + " of " + task.model().layers() + " layers",
                        Map.of("training.checkpointed_layers", String.valueOf(fewest)));
            }
        }
    }

    private int fewestCheckpoints() {
        GpuMemory memory = TrainingPoint.memory(point);
        return LargestMicroBatch.withFewestCheckpoints(strategy, LargestMicroBatch.given(strategy, job, memory), memory)
                .job()
                .kept()
                .checkpointedLayers();
    }

    private void addSwitches() {
        boolean communicates = communicates();
        Set<String> idle = strategy.idle(job).keySet();
        for (KnownSetting one : KnownSetting.all()) {
            if (one.isSwitch()
                    && inForce.flagOr(one.name(), one.tried()) != one.tried()
                    && !idle.contains(one.name())
                    && (communicates || one.savesWork())) {
                add(one.title(), Map.of(one.path(), String.valueOf(one.tried())));
            }
        }
    }

    /** Adds interleaved pipeline stages, which shrink the bubble. */
    private void addInterleaved() {
        String interleaved = "interleaved";
        if (job.parallel().stages() > 1 && !job.parallel().pipeline().schedule().equals(interleaved)) {
            add(
                    "Interleaved stages of 2 pieces",
                    Map.of("strategy.pipeline_schedule", interleaved, "strategy.model_chunks", "2"));
        }
    }

    /** Adds half of each parallel size. Without tensor parallelism, there is no sequence parallelism either. */
    private void addSplits() {
        List<KnownSetting> splits = KnownSetting.all().stream()
                .filter(known -> !known.isSwitch() && !known.title().isEmpty() && count(known.name()) > 1)
                .sorted(Comparator.comparing(KnownSetting::path))
                .toList();
        for (KnownSetting split : splits) {
            String parameter = split.name();
            int ranks = (int) count(parameter);
            Map<String, String> settings = new LinkedHashMap<>();
            settings.put(split.path(), String.valueOf(ranks / 2));
            if (parameter.equals(StrategyDescriptor.TENSOR) && ranks == 2) {
                for (String within : StrategyDescriptor.WITHIN_TENSOR) {
                    if (inForce.flagOr(within, false)) {
                        settings.put("strategy." + within, "false");
                    }
                }
            }
            String title = split.title().formatted(ranks / 2);
            add(ranks == 2 ? "No " + parameter.replace('_', ' ').replace("parallel", "parallelism") : title, settings);
        }
    }

    /**
     * Adds expert parallelism within a node, if each GPU holds all experts; whole experts, if they are split; and an even expert load, which shows
     * the cost of the fullest rank.
     */
    private void addExperts() {
        int number = job.model().mixture().experts().number();
        int ranks = BigInteger.valueOf(number)
                .gcd(BigInteger.valueOf(Math.min(job.gpusPerNode(), job.worldSize())))
                .intValue();
        boolean whole = job.parallel().tensor() > 1 && !job.parallel().sequence();
        if (inForce.names().contains(EXPERTS) && job.parallel().experts() == 1 && ranks > 1 && !whole) {
            add("Expert parallelism over " + ranks, Map.of("strategy." + EXPERTS, String.valueOf(ranks)));
        }
        if (job.parallel().expertTensor() > 1) {
            int wider = number % job.parallel().experts() == 0
                    ? job.parallel().experts()
                    : job.parallel().expertParallel();
            add(
                    "Whole experts, expert parallelism over " + wider,
                    Map.of("strategy." + EXPERTS, String.valueOf(wider), "strategy.expert_tensor_parallel", "1"));
        }
        if (job.model().mixture().load().isDrawn()) {
            add("Even load of the experts", Map.of("training.expert_load", "even"));
        }
    }

    /** Adds shard groups: one node, half and twice the current size, and the rule of thumb. */
    private void addShardGroups() {
        if (spec.descriptor().parameter(StrategyDescriptor.SHARD_GROUP) == null) {
            return;
        }
        int now = strategy.shardGroups(job).size();
        Set<Integer> sizes = new LinkedHashSet<>(List.of(job.dataParallelPerNode(), now / 2, 2 * now, advised()));
        for (int size : sizes) {
            if (size > 1 && size != now && size <= job.dataParallel()) {
                add(
                        "Shard group of " + size,
                        Map.of("strategy." + StrategyDescriptor.SHARD_GROUP, String.valueOf(size)));
            }
        }
    }

    private int advised() {
        return ShardGroupRule.ranks(job.model().parameters(), job.dataParallelPerNode(), job.dataParallel());
    }

    /** Adds later versions; kinds that can shard over fewer ranks where this one cannot; and no sharding if a replica fits. */
    private void addKinds() {
        int ranks = strategy.shardGroups(job).size();
        boolean wide = ranks > job.dataParallelPerNode()
                && spec.descriptor().parameter(StrategyDescriptor.SHARD_GROUP) == null;
        boolean replicated = ranks == 1;
        for (String kind : Strategies.kinds()) {
            StrategyDescriptor other = Strategies.descriptor(kind);
            if (other == null || kind.equals(spec.kind())) {
                continue;
            }
            if (other.isLaterThan(spec.descriptor())) {
                addKind(other, other.title(), Map.of());
            } else if (wide && advised() < ranks && other.parameter(StrategyDescriptor.SHARD_GROUP) != null) {
                addKind(
                        other,
                        other.title() + " with shard group " + advised(),
                        Map.of(StrategyDescriptor.SHARD_GROUP, String.valueOf(advised())));
            } else if (!replicated && replicates(other)) {
                // With the same kernels, all such kinds are alike.
                addKind(other, other.title(), Map.of());
                replicated = true;
            }
        }
    }

    /** Returns whether another strategy is plain data parallelism and the model small enough for it. */
    private boolean replicates(StrategyDescriptor other) {
        return job.model().parameters() < REPLICATED_PARAMETERS_MAX
                && other.parameter(StrategyDescriptor.COLLECTIVE_LIBRARY) == null
                && Strategies.create(other.kind(), Map.of()).shardGroups(job).size() == 1;
    }

    /**
     * Adds another kind with this one's parameters and kernels, so that nothing else differs. Skips it if it lacks a given parameter, unless that
     * parameter changes nothing or sets the shard group.
     */
    private void addKind(StrategyDescriptor other, String title, Map<String, String> changed) {
        Map<String, String> settings = new LinkedHashMap<>(spec.given());
        boolean someGo = settings.keySet()
                .removeIf(name -> other.parameter(name) == null
                        && (name.equals(StrategyDescriptor.SHARD_GROUP) || !inForce.isChanged(name)));
        settings.putAll(changed);
        Setting profile = other.parameter(PROFILE);
        if (execution.kernels() == null && profile != null && !profile.written().equals(job.kernels())) {
            settings.put(PROFILE, job.kernels());
        }
        if (other.parameterNames().containsAll(settings.keySet())) {
            add(title, written(other, settings, someGo));
        }
    }

    /** Returns changes that turn the file's strategy into another: single keys, or the whole block if some must be removed. */
    private Map<String, String> written(StrategyDescriptor other, Map<String, String> settings, boolean whole) {
        if (whole) {
            return Map.of(
                    "strategy",
                    settings.entrySet().stream()
                            .map(setting -> ", " + setting.getKey() + ": " + setting.getValue())
                            .collect(Collectors.joining("", "{kind: " + other.kind(), "}")));
        }
        Map<String, String> written = new LinkedHashMap<>();
        written.put("strategy.kind", other.kind());
        settings.forEach((name, value) -> {
            if (!value.equals(spec.given().get(name))) {
                written.put("strategy." + name, value);
            }
        });
        return written;
    }

    private void addPrefetch() {
        String bucket = "prefetch_bucket_size";
        if (spec.descriptor().parameter(bucket) != null) {
            add(
                    "Larger prefetch",
                    Map.of("strategy." + bucket, String.valueOf(PREFETCH_FACTOR * Math.max(1, count(bucket)))));
        }
    }

    /** Returns a number of ranks or elements; 0 if the strategy has no such parameter. */
    private long count(String parameter) {
        return inForce.names().contains(parameter) ? inForce.whole(parameter) : 0;
    }

    /** Adds a setting; returns whether it can be tried. */
    private boolean add(String title, Map<String, String> settings) {
        Optional<TriedSettings> lever = TriedSettings.of(title, point, settings);
        lever.ifPresent(levers::add);
        return lever.isPresent();
    }
}

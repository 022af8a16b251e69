package io.shardsim.reports;

import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.topology.InstanceSpec;
import java.util.ArrayList;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The question of a scenario, in words: what its runs share, and what varies between them. */
public final class Subject {
    private static final String SHARD_GROUP = "strategy.shard_group";
    /** Maximum number of values listed; more are counted. */
    private static final int LISTED_MAX = 4;
    /** Swept keys that {@link #of} describes by their effect on the runs. */
    private static final Set<String> TOLD_OTHERWISE = Set.of(
            "model",
            "cluster.instance",
            "training.sequence_length",
            "training.global_batch",
            "workload.collective",
            "workload.size");

    private final List<RunResult> runs;
    private final SweptKeys keys;

    private Subject(ScenarioResult result) {
        runs = result.runs();
        keys = SweptKeys.of(runs);
    }

    /** Describes everything: what all runs share, and the range of the rest. */
    public static List<String> of(ScenarioResult result) {
        Subject subject = new Subject(result);
        List<String> parts = new ArrayList<>(subject.leftOut());
        parts.addAll(subject.work());
        parts.add(subject.cluster());
        parts.addAll(subject.faults());
        subject.varied(parts);
        return parts;
    }

    /**
     * Describes only what all runs share, as the title of a table whose columns show the rest. Marks what the tool chose, and mentions it even if it
     * varies.
     */
    public static List<String> resolved(ScenarioResult result) {
        Subject subject = new Subject(result);
        List<String> parts = new ArrayList<>();
        if (subject.first().facts().training() == null) {
            parts.add(subject.collectives(false));
            parts.addAll(subject.sharedCluster());
            parts.addAll(subject.faults());
            return parts;
        }
        parts.addAll(subject.leftOut());
        subject.addIfShared(parts, run -> modelInBrief(run.facts().model()));
        subject.addIfShared(parts, run -> sequence(run.facts().model().sequenceLength()));
        subject.addIfShared(parts, run -> "batch " + run.facts().model().globalBatch());
        subject.addIfShared(parts, run -> setting(run, "training.precision", "%s"));
        subject.addIfShared(parts, run -> setting(run, "training.attention", "%s attention"));
        subject.addIfShared(parts, run -> setting(run, "training.optimizer", "%s"));
        subject.addIfShared(parts, Subject::checkpointing);
        subject.addStrategy(parts);
        subject.addShardGroup(parts);
        parts.addAll(subject.sharedCluster());
        String chosen = subject.microBatch();
        if (!chosen.isEmpty()) {
            parts.add(chosen);
        }
        parts.addAll(subject.faults());
        return parts;
    }

    /** Returns the keys of imported files that the run ignores although they affect the answer. */
    private List<String> leftOut() {
        List<String> keys = first().facts().accepted();
        return keys.isEmpty()
                ? List.of()
                : List.of("Not the job as imported: left out are " + String.join(" and ", keys));
    }

    /** Adds the only strategy, with its model parallelism if that is the same in all runs. */
    private void addStrategy(List<String> parts) {
        if (distinct(run -> run.facts().sharding().kind()).size() == 1) {
            List<String> splits = distinct(run -> run.facts().sharding().split().words());
            parts.add(first().facts().sharding().shortName() + (splits.size() == 1 ? splits.get(0) : ""));
        }
    }

    /** Returns whether the title includes the shard group: the scenario sets it, and the sweep does not vary it. */
    public static boolean isGroupInTitle(RunResult run) {
        Setting group = run.facts().setting(SHARD_GROUP);
        return group != null && group.origin() == Setting.Origin.GIVEN;
    }

    /** Adds the shard group that is set, or shared by all runs; small clusters cap it. */
    private void addShardGroup(List<String> parts) {
        if (keys.paths().contains(SHARD_GROUP)) {
            return;
        }
        OptionalInt given = runs.stream()
                .filter(Subject::isGroupInTitle)
                .mapToInt(run -> ranks(setting(run, SHARD_GROUP, "%s")))
                .max();
        RunFacts.Strategy own = first().facts().sharding();
        if (given.isPresent()) {
            parts.add("shard group " + given.getAsInt());
        } else if (own.choosesGroup(first().gpus())
                && same(run -> run.facts().sharding().shardGroup())) {
            parts.add("shard group " + own.shardGroup());
        }
    }

    private static int ranks(String written) {
        return Integer.parseInt(written.replaceAll("\\D", ""));
    }

    private List<String> sharedCluster() {
        List<String> instances = instances();
        String of = instances.size() == 1 ? instances.get(0) : "";
        if (same(RunResult::gpus)) {
            return List.of(Quantities.counted(first().gpus(), "GPU") + (of.isEmpty() ? "" : " of " + of));
        }
        return of.isEmpty() ? List.of() : List.of(of);
    }

    /** Returns faults shared by all runs, as written in the file. */
    private List<String> faults() {
        String faults = first().facts().settings().stream()
                .filter(setting -> setting.path().matches("faults\\..*|cluster\\.slow_nic"))
                .filter(setting ->
                        distinct(run -> setting(run, setting.path(), "%s")).size() == 1)
                .map(setting -> setting.path().replaceFirst(".*\\.", "") + " " + setting.value())
                .collect(Collectors.joining(" and "));
        return faults.isEmpty() ? List.of() : List.of("faults: " + faults);
    }

    private void addIfShared(List<String> parts, Function<RunResult, String> words) {
        List<String> all = distinct(words);
        if (all.size() == 1 && !all.get(0).isEmpty()) {
            parts.add(all.get(0));
        }
    }

    private static String modelInBrief(RunFacts.Training model) {
        return model.model() + " " + model.size().words();
    }

    /** Formats a resolved value; empty if the run has none. */
    private static String setting(RunResult run, String path, String format) {
        Setting setting = run.facts().setting(path);
        return setting == null ? "" : format.replace("%s", setting.value());
    }

    private static String sequence(int tokens) {
        return tokens == 1 ? "1 token per image" : "sequence " + tokens;
    }

    private static String checkpointing(RunResult run) {
        String words = setting(run, "training.activation_checkpointing", "%s checkpointing");
        String offload = setting(run, "training.activation_offload", "%s");
        return words.replace("none ", "no ") + (offload.equals("true") ? " and activation offload" : "");
    }

    /** Returns the micro-batch if the sweep does not vary it, marked if it was chosen. */
    private String microBatch() {
        boolean anyFits = runs.stream().anyMatch(RunResult::fits);
        IntSummaryStatistics sizes = runs.stream()
                .filter(run -> run.fits() || !anyFits)
                .mapToInt(run -> run.facts().model().microBatch())
                .summaryStatistics();
        boolean chosen = runs.stream()
                .map(run -> run.facts().setting("training.micro_batch"))
                .anyMatch(setting -> setting != null && setting.origin() == Setting.Origin.CHOSEN);
        if (!chosen && sizes.getMin() != sizes.getMax()) {
            return "";
        }
        return "micro-batch " + sizes.getMin() + (sizes.getMin() == sizes.getMax() ? "" : " to " + sizes.getMax())
                + (chosen ? " (chosen)" : "");
    }

    private RunResult first() {
        return runs.get(0);
    }

    /** Returns model and batch, or the collective. */
    private List<String> work() {
        if (first().facts().training() == null) {
            return List.of(collectives(true));
        }
        return List.of(
                listed(distinct(Subject::model), "models"),
                first().facts().model().sequenceLength() == 1
                        ? sequence(1)
                        : range(
                                "sequence ",
                                String::valueOf,
                                run -> run.facts().model().sequenceLength()),
                range(
                        "global batch ",
                        Quantities::count,
                        run -> run.facts().model().globalBatch()),
                listed(strategies(), "strategies"));
    }

    private static String listed(List<String> values, String plural) {
        return values.size() <= LISTED_MAX ? String.join(", ", values) : values.size() + " " + plural;
    }

    private String range(String name, LongFunction<String> words, ToLongFunction<RunResult> figure) {
        long least = runs.stream().mapToLong(figure).min().orElse(0);
        long most = runs.stream().mapToLong(figure).max().orElse(0);
        return name + (least == most ? "" : words.apply(least) + " to ") + words.apply(most);
    }

    private static String model(RunResult run) {
        RunFacts.Training model = run.facts().model();
        return model.model() + ", " + model.size().words() + " parameters";
    }

    /** Returns strategies, merging those that differ only in a setting; with full names if short ones collide. */
    private List<String> strategies() {
        Map<String, Set<String>> byBrief = new LinkedHashMap<>();
        for (RunResult run : runs) {
            RunFacts.Strategy strategy = run.facts().sharding();
            byBrief.computeIfAbsent(strategy.shortName(), brief -> new LinkedHashSet<>())
                    .add(strategy.name());
        }
        List<String> strategies = new ArrayList<>();
        byBrief.forEach((brief, names) -> {
            if (names.size() == 1) {
                strategies.add(brief);
            } else {
                strategies.addAll(names);
            }
        });
        return strategies;
    }

    private String collectives(boolean ranges) {
        List<String> kinds = distinct(run -> {
            RunFacts.Collective bare = run.facts().collective();
            return bare == null ? "" : name(bare.kind());
        });
        List<Long> sizes = runs.stream().map(Subject::size).distinct().sorted().toList();
        String what = kinds.size() == 1 ? kinds.get(0) : "collectives";
        String least = Quantities.buffer(sizes.get(0));
        String most = Quantities.buffer(sizes.get(sizes.size() - 1));
        return sizes.size() == 1 ? what + " of " + most : what + (ranges ? " of " + least + " to " + most : "");
    }

    private static String name(CollectiveKind kind) {
        return kind.id().replace('_', '-');
    }

    private static long size(RunResult run) {
        RunFacts.Collective bare = run.facts().collective();
        return bare == null ? 0 : bare.totalBytes();
    }

    private String cluster() {
        int least = runs.stream().mapToInt(RunResult::gpus).min().orElse(0);
        int most = runs.stream().mapToInt(RunResult::gpus).max().orElse(0);
        return (least == most ? "" : least + " to ") + Quantities.counted(most, "GPU") + " of "
                + listed(instances(), "instances");
    }

    private List<String> instances() {
        return distinct(run -> {
            InstanceSpec instance = run.facts().cluster().instance();
            String name = instance.name();
            return name.equals("inline")
                    ? "an inline instance with " + instance.gpu().name()
                    : name;
        });
    }

    private void varied(List<String> parts) {
        for (String path : keys.settingPaths()) {
            if (!TOLD_OTHERWISE.contains(path)) {
                parts.add(varied(path));
            }
        }
        for (String path : keys.strategyPaths()) {
            if (!path.equals("strategy.kind")) {
                parts.add(varied(path));
            }
        }
    }

    private String varied(String path) {
        return keys.inWords(path) + ": " + listed(distinct(run -> keys.shown(run, path)), "values");
    }

    private List<String> distinct(Function<RunResult, String> words) {
        return runs.stream().map(words).distinct().toList();
    }

    private boolean same(ToLongFunction<RunResult> figure) {
        return runs.stream().mapToLong(figure).distinct().count() == 1;
    }
}

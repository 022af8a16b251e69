package io.shardsim.reports;

import java.util.IdentityHashMap;
import java.util.Map;

/** Short names that tell the runs of a scenario apart, the same in every table and drawing. */
public final class RunNames {
    private final IdentityHashMap<RunResult, String> series = new IdentityHashMap<>();

    public RunNames(ScenarioResult scenario) {
        scenario.series().forEach((name, runs) -> runs.forEach(run -> series.put(run, name)));
    }

    /** The name of the run's series, but without a shard group that its cluster is too small for. */
    public String of(RunResult run) {
        RunFacts.Strategy strategy = run.facts().strategy();
        String name = series.getOrDefault(run, run.label());
        return strategy != null && strategy.shardGroup() == run.gpus() && isOnlyOne(run, strategy.shortName())
                ? strategy.shortName()
                : name;
    }

    /** What a name is made of, and what the field calls it for short. */
    private static final Map<String, String> ABBREVIATIONS = Map.of(
            "tensor parallel", "TP",
            "sequence parallel", "SP",
            "context parallel", "CP",
            "pipeline parallel", "PP",
            "activation checkpointing", "checkpointing");

    /** No longer than that for a drawing: what tells runs of one system apart stands behind the system's name, and often at the very end. */
    public static String shortened(String name, int length) {
        if (name.length() <= length) {
            return name;
        }
        String rest = name.substring(name.indexOf(", ") < 0 ? 0 : name.indexOf(", ") + 2);
        if (rest.length() > length) {
            for (Map.Entry<String, String> entry : ABBREVIATIONS.entrySet()) {
                rest = rest.replace(entry.getKey(), entry.getValue());
            }
        }
        int end = length / 2;
        return rest.length() <= length
                ? rest
                : rest.substring(0, length - 1 - end) + "\u2026" + rest.substring(rest.length() - end);
    }

    /** The name with the size of the cluster. */
    public String withGpus(RunResult run) {
        return of(run) + ", " + Quantities.counted(run.gpus(), "GPU");
    }

    private boolean isOnlyOne(RunResult run, String strategy) {
        String own = series.getOrDefault(run, "");
        return own.startsWith(strategy)
                && series.entrySet().stream()
                        .noneMatch(other -> other.getKey().gpus() == run.gpus()
                                && !other.getValue().equals(own)
                                && other.getValue().startsWith(strategy));
    }
}

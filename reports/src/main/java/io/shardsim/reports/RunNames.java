package io.shardsim.reports;

import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Names that distinguish a scenario's runs by what varies between them, the same in every table and chart. */
public final class RunNames {
    private static final Pattern SHARD_GROUP = Pattern.compile(" \\(shard group \\d+\\)");

    private final IdentityHashMap<RunResult, String> names = new IdentityHashMap<>();
    private final IdentityHashMap<RunResult, String> strategies = new IdentityHashMap<>();

    /**
     * @param series runs by the name of their series
     * @param parts the names in parts, in that order
     */
    RunNames(List<RunResult> runs, Map<String, List<RunResult>> series, List<SeriesNames.Name> parts) {
        Iterator<SeriesNames.Name> next = parts.iterator();
        series.forEach((name, members) -> {
            String strategy = next.next().strategy();
            for (RunResult run : members) {
                names.put(run, name);
                strategies.put(run, strategy.isEmpty() ? run.label() : strategy);
            }
        });
        Map<Shortened, Long> takers =
                runs.stream().collect(Collectors.groupingBy(this::shortened, Collectors.counting()));
        runs.forEach(run -> dropCappedGroup(run, takers));
    }

    /** A name without a shard group, on clusters of one size. */
    private record Shortened(String name, int gpus) {}

    private Shortened shortened(RunResult run) {
        return new Shortened(withoutGroup(of(run)), run.gpus());
    }

    private static String withoutGroup(String name) {
        return SHARD_GROUP.matcher(name).replaceFirst("");
    }

    /** Drops a shard group that the cluster is too small for, unless another run of that size would get the same name. */
    private void dropCappedGroup(RunResult run, Map<Shortened, Long> takers) {
        RunFacts.Strategy strategy = run.facts().strategy();
        if (strategy != null && strategy.shardGroup() == run.gpus()) {
            Shortened shorter = shortened(run);
            if (takers.getOrDefault(shorter, 0L) == 1) {
                names.put(run, shorter.name());
                strategies.computeIfPresent(run, (key, words) -> withoutGroup(words));
            }
        }
    }

    /** Returns the name of the run's series, without a shard group that its cluster is too small for. */
    public String of(RunResult run) {
        return names.getOrDefault(run, run.label());
    }

    /** Returns the strategy in that name, with the settings that distinguish it from others. */
    public String strategyOf(RunResult run) {
        return strategies.getOrDefault(run, run.label());
    }

    /** Returns the name with the cluster size. */
    public String withGpus(RunResult run) {
        return of(run) + ", " + Quantities.counted(run.gpus(), "GPU");
    }
}

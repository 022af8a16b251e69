package io.shardsim.reports.writing.html;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.ShortNames;
import io.shardsim.reports.StepParts;
import io.shardsim.reports.StrategyComparison;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where the seconds between two runs on equally large clusters come from. The reader picks the runs. Each run has its parts in whole picoseconds, which sum to
 * its step, so the differences of any two sum to their gap.
 */
final class GapFigure {
    private static final int HEIGHT = 330;
    private static final double PS_TO_SECONDS = 1e-12;
    /** Characters of a name in a list of runs. */
    private static final int NAME_MAX = 44;

    private final ScenarioResult result;
    private final RunNames names;
    private final List<RunResult> runs;

    GapFigure(ScenarioResult result) {
        this.result = result;
        names = new RunNames(result);
        runs = result.runs().stream()
                .filter(run -> run.training() != null)
                .filter(run -> rivals(run).count() > 0)
                .toList();
    }

    private java.util.stream.Stream<RunResult> rivals(RunResult run) {
        return result.runs().stream()
                .filter(other ->
                        other != run && other.training() != null && group(other).equals(group(run)));
    }

    /** Runs whose seconds compare: on as many GPUs, and samples of the same model and length. */
    private String group(RunResult run) {
        RunFacts.Training model = run.facts().model();
        return Quantities.counted(run.gpus(), "GPU")
                + (same(one -> one.facts().model().model()) ? "" : ", " + model.model())
                + (same(one -> one.facts().model().sequenceLength()) ? "" : ", sequence " + model.sequenceLength());
    }

    private boolean same(Function<RunResult, Object> figure) {
        return result.runs().stream().map(figure).distinct().count() == 1;
    }

    /** Absent where no two runs have clusters of the same size. */
    @Nullable
    Figure figure() {
        if (runs.isEmpty()) {
            return null;
        }
        long samples = runs.stream()
                .mapToLong(run -> run.facts().model().globalBatch())
                .max()
                .orElse(1);
        List<Map<String, Long>> parts =
                runs.stream().map(run -> StepParts.of(run, samples)).toList();
        Set<String> used = new LinkedHashSet<>();
        StepParts.names().stream()
                .filter(name -> parts.stream().anyMatch(each -> each.getOrDefault(name, 0L) != 0))
                .forEach(used::add);
        RunResult best = best();
        RunResult rival = rival(best);
        Map<String, String> shorter = ShortNames.of(runs.stream().map(names::of).toList(), NAME_MAX);
        List<Map<String, ?>> rows = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            RunResult run = runs.get(i);
            Map<String, Long> own = parts.get(i);
            rows.add(Map.of(
                    "name",
                    shorter.getOrDefault(names.of(run), names.of(run)),
                    "group",
                    group(run),
                    "ps",
                    used.stream().map(name -> own.getOrDefault(name, 0L)).toList()));
        }
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("parts", List.copyOf(used));
        data.put("runs", rows);
        data.put("slow", runs.indexOf(rival));
        data.put("fast", runs.indexOf(best));
        data.put("per", sameBatch() ? "step" : Quantities.count(samples) + " samples");
        return new Figure(
                "gap",
                Figure.Kind.GAP,
                "Where the seconds between two runs come from",
                "What one run saves against another, part by part. At first: " + names.withGpus(best) + " against "
                        + names.withGpus(rival),
                HEIGHT,
                data,
                table(List.copyOf(used), parts));
    }

    private boolean sameBatch() {
        return runs.stream()
                        .mapToLong(run -> run.facts().model().globalBatch())
                        .distinct()
                        .count()
                == 1;
    }

    private RunResult best() {
        return runs.stream()
                .max(Comparator.comparingDouble(OpeningSection::speed))
                .orElseThrow();
    }

    /** Of the runs that differ from the best in one thing the slowest, or else the next in speed. */
    private RunResult rival(RunResult best) {
        return StrategyComparison.of(result).stream()
                .filter(comparison -> comparison.gpus() == best.gpus() && at(comparison.faster(), best.gpus()) == best)
                .max(Comparator.comparingDouble(StrategyComparison::speedUp))
                .map(comparison -> at(comparison.slower(), best.gpus()))
                .filter(Objects::nonNull)
                .orElseGet(() -> rivals(best)
                        .max(Comparator.comparingDouble(OpeningSection::speed))
                        .orElseThrow());
    }

    private @Nullable RunResult at(String series, int gpus) {
        return result.series().getOrDefault(series, List.of()).stream()
                .filter(run -> run.gpus() == gpus && run.training() != null)
                .findFirst()
                .orElse(null);
    }

    private Figure.Table table(List<String> used, List<Map<String, Long>> parts) {
        List<String> head = new ArrayList<>(List.of("run", sameBatch() ? "step [s]" : "time [s]"));
        used.forEach(name -> head.add(name + " [s]"));
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            Map<String, Long> own = parts.get(i);
            List<String> row = new ArrayList<>(List.of(names.withGpus(runs.get(i)), seconds(StepParts.sum(own))));
            used.forEach(name -> row.add(seconds(own.getOrDefault(name, 0L))));
            rows.add(row);
        }
        return Figure.Table.named(head, rows);
    }

    private static String seconds(long ps) {
        return Quantities.fixed(ps * PS_TO_SECONDS, 3);
    }
}

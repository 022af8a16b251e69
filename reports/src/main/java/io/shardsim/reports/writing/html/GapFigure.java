package io.shardsim.reports.writing.html;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.ShortNames;
import io.shardsim.reports.StepParts;
import io.shardsim.reports.StrategyComparison;
import io.shardsim.reports.writing.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The chart of where the seconds between two runs on equally large clusters come from, for runs that the reader picks. Each run has its parts in
 * whole picoseconds, which sum to its step, so the differences of any two sum to their gap.
 */
final class GapFigure {
    private static final int HEIGHT = 330;
    /** Maximum number of runs to pick from; of more, the fastest on the fastest run's cluster. */
    private static final int RUNS_MAX = 200;

    private static final double PS_TO_SECONDS = 1e-12;
    /** Maximum characters of a name in a list of runs. */
    private static final int NAME_MAX = 44;

    private final ScenarioResult result;
    private final RunNames names;
    /** Groups of comparable runs, by what they share. */
    private final Map<String, List<RunResult>> groups = new LinkedHashMap<>();

    private final List<RunResult> runs;

    GapFigure(ScenarioResult result) {
        this.result = result;
        names = result.names();
        boolean oneModel = same(result.byDays(), run -> run.facts().model().model());
        boolean oneLength = same(result.byDays(), run -> run.facts().model().sequenceLength());
        for (RunResult run : result.byDays()) {
            groups.computeIfAbsent(group(run, oneModel, oneLength), group -> new ArrayList<>())
                    .add(run);
        }
        groups.values().removeIf(members -> members.size() < 2);
        List<RunResult> all = groups.values().stream().flatMap(List::stream).toList();
        List<RunResult> pickable = all.size() <= RUNS_MAX
                ? all
                : groupOf(best(all)).getValue().stream().limit(RUNS_MAX).toList();
        runs = result.runs().stream()
                .filter(run -> pickable.stream().anyMatch(run::is))
                .toList();
    }

    /** A bar, as in report.js. */
    record Part(String name, double least, double most, String text, String colour) {}

    /** Returns the saving of each part, largest first, and their sum. Displayed figures sum, too: the largest part absorbs rounding. */
    static List<Part> parts(List<String> names, List<Number> slow, List<Number> fast) {
        long[] saved = IntStream.range(0, names.size())
                .mapToLong(i -> slow.get(i).longValue() - fast.get(i).longValue())
                .toArray();
        List<Integer> order = IntStream.range(0, saved.length)
                .filter(i -> saved[i] != 0)
                .boxed()
                .sorted(Comparator.comparingLong(i -> -Math.abs(saved[i])))
                .toList();
        long sum = LongStream.of(saved).sum();
        String unit = Math.abs(sum) >= 1e12 ? "s" : Math.abs(sum) >= 1e9 ? "ms" : "us";
        double hundredth = unit.equals("s") ? 1e10 : unit.equals("ms") ? 1e7 : 1e4;
        long all = Math.round(sum / hundredth);
        long rest = all;
        for (int i : order) {
            rest -= Math.round(saved[i] / hundredth);
        }
        List<Part> parts = new ArrayList<>();
        long at = 0;
        for (int i : order) {
            long shown = Math.round(saved[i] / hundredth) + (parts.isEmpty() ? rest : 0);
            parts.add(part(names.get(i), at, at + shown, shown >= 0 ? "less" : "more", unit));
            at += shown;
        }
        parts.add(part("together", 0, all, "total", unit));
        return parts;
    }

    private static Part part(String name, long from, long to, String colour, String unit) {
        String words = (to < from ? "\u2212" : "") + Quantities.fixed(Math.abs(to - from) / 100.0, 2) + " " + unit;
        return new Part(name, Math.min(from, to) / 100.0, Math.max(from, to) / 100.0, words, colour);
    }

    /** Returns the group of a run: as many GPUs, and samples of the same model and length. */
    private static String group(RunResult run, boolean oneModel, boolean oneLength) {
        RunFacts.Training model = run.facts().model();
        return Quantities.counted(run.gpus(), "GPU")
                + (oneModel ? "" : ", " + model.model())
                + (oneLength ? "" : ", sequence " + model.sequenceLength());
    }

    /** Returns the group that contains a run. */
    private Map.Entry<String, List<RunResult>> groupOf(RunResult run) {
        return groups.entrySet().stream()
                .filter(group -> group.getValue().stream().anyMatch(run::is))
                .findFirst()
                .orElseThrow();
    }

    private static boolean same(List<RunResult> runs, Function<RunResult, Object> figure) {
        return runs.stream().map(figure).distinct().count() == 1;
    }

    /** Returns the figure; absent if no two runs have clusters of the same size, or if nothing differs. */
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
        if (parts.stream().distinct().count() == 1) {
            return null;
        }
        List<String> used = StepParts.names().stream()
                .filter(name -> parts.stream().anyMatch(each -> each.getOrDefault(name, 0L) != 0))
                .toList();
        RunResult best = best(runs);
        RunResult rival = rival(best);
        Map<String, String> shorter = ShortNames.of(runs.stream().map(names::of).toList(), NAME_MAX);
        List<JsonObject> rows = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            RunResult run = runs.get(i);
            Map<String, Long> own = parts.get(i);
            rows.add(new JsonObject()
                    .with("name", shorter.getOrDefault(names.of(run), names.of(run)))
                    .with("group", groupOf(run).getKey())
                    .list("ps", used, name -> own.getOrDefault(name, 0L)));
        }
        JsonObject data = new JsonObject()
                .with("parts", used)
                .with("runs", rows)
                .with("slow", runs.indexOf(rival))
                .with("fast", runs.indexOf(best))
                .with("per", sameBatch() ? "step" : Quantities.count(samples) + " samples");
        return new Figure(
                "gap",
                Figure.Kind.GAP,
                "Where the time between two runs goes",
                "What one run saves over another, part by part. Initially: " + names.withGpus(best) + " against "
                        + names.withGpus(rival),
                HEIGHT,
                data,
                table(used, parts));
    }

    private boolean sameBatch() {
        return same(runs, run -> run.facts().model().globalBatch());
    }

    private static RunResult best(List<RunResult> runs) {
        return runs.stream()
                .max(Comparator.comparingDouble(OpeningSection::speed))
                .orElseThrow();
    }

    /** Returns the slowest run that differs from the best in one thing, or else the next in speed. */
    private RunResult rival(RunResult best) {
        return StrategyComparison.of(result).stream()
                .filter(comparison -> comparison.gpus() == best.gpus() && best.is(at(comparison.faster(), best.gpus())))
                .max(Comparator.comparingDouble(StrategyComparison::speedUp))
                .map(comparison -> at(comparison.slower(), best.gpus()))
                .filter(rival -> runs.stream().anyMatch(rival::is))
                .orElseGet(() -> best(groupOf(best).getValue().stream()
                        .filter(other -> !other.is(best))
                        .toList()));
    }

    private @Nullable RunResult at(String series, int gpus) {
        return result.series().getOrDefault(series, List.of()).stream()
                .filter(run -> run.gpus() == gpus && run.training() != null)
                .findFirst()
                .orElse(null);
    }

    private Figure.Table table(List<String> used, List<Map<String, Long>> parts) {
        Columns<Integer> columns = new Columns<Integer>()
                .words("run", i -> names.withGpus(runs.get(i)))
                .figure(sameBatch() ? "step [s]" : "time [s]", i -> seconds(StepParts.sum(parts.get(i))));
        used.forEach(name ->
                columns.figure(name + " [s]", i -> seconds(parts.get(i).getOrDefault(name, 0L))));
        return columns.of(IntStream.range(0, runs.size()).boxed().toList());
    }

    private static String seconds(long ps) {
        return Quantities.fixed(ps * PS_TO_SECONDS, 3);
    }
}

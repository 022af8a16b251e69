package io.shardsim.reports.writing;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScalingEfficiency;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.Subject;
import io.shardsim.reports.SweptKeys;
import io.shardsim.reports.TrainingCost;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Columns of a table of runs: one for each key that varies, then figures. Values shared by all runs have none. */
final class RunColumns {
    /** Rank from which figures are dropped if space is short; figures below it only if they alone do not fit. */
    static final int DROPPABLE = 10;

    /** A column explained by a legend. */
    static final String DAYS = "days";

    /** Another column explained by a legend. */
    static final String SCALING = "scaling %";

    /** The column with its own short form. */
    static final String STRATEGY = "strategy";

    private static final String SHARD_GROUP = " \\(shard group \\d+\\)";
    private static final String KIND = "strategy.kind";

    private final List<RunResult> all;
    private final List<RunResult> rows;
    private final RunNames names;
    private final SweptKeys keys;

    private RunColumns(ScenarioResult scenario, List<RunResult> rows) {
        all = scenario.runs();
        this.rows = rows;
        names = scenario.names();
        keys = SweptKeys.of(all);
    }

    /** Returns all columns, with a cell for each of some runs of a scenario. */
    static List<TableColumn> of(ScenarioResult scenario, List<RunResult> rows) {
        RunColumns some = new RunColumns(scenario, rows);
        boolean training = scenario.runs().stream().anyMatch(run -> run.facts().training() != null);
        List<TableColumn> columns = new ArrayList<>(training ? some.trainingKeys() : some.collectiveKeys());
        columns.addAll(training ? some.trainingFigures() : some.collectiveFigures());
        return columns;
    }

    private List<TableColumn> trainingKeys() {
        List<TableColumn> columns = new ArrayList<>();
        if (all.stream().map(this::strategy).distinct().count() > 1) {
            columns.add(key(STRATEGY, false, this::strategy));
        }
        List<String> paths = new ArrayList<>(strategySettings());
        paths.addAll(keys.settingPaths());
        addKeys(columns, paths);
        return columns;
    }

    private List<String> strategySettings() {
        return keys.paths().stream()
                .filter(path -> path.startsWith("strategy.") && !path.equals(KIND))
                .toList();
    }

    /** Returns the strategy's name, without settings that have a column. */
    private String strategy(RunResult run) {
        RunFacts.Strategy own = run.facts().sharding();
        if (strategySettings().isEmpty()) {
            String name = names.strategyOf(run);
            return Subject.isGroupInTitle(run) ? name.replaceFirst(SHARD_GROUP, "") : name;
        }
        boolean ambiguous = all.stream()
                .map(other -> other.facts().sharding())
                .anyMatch(other -> other.shortName().equals(own.shortName())
                        && !other.name().equals(own.name()));
        return ambiguous ? own.name() : own.shortName();
    }

    private List<TableColumn> collectiveKeys() {
        List<TableColumn> columns = new ArrayList<>();
        if (all.size() == 1 || differ(run -> bare(run).kind().id())) {
            columns.add(key("collective", false, run -> bare(run).kind().id()));
        }
        columns.add(key("algorithm", false, run -> bare(run).algorithm()));
        Function<RunResult, String> size = run -> Quantities.buffer(bare(run).totalBytes());
        if (all.size() == 1 || differ(size)) {
            columns.add(key("size", true, size));
        }
        List<String> besides = List.of("workload.collective", "workload.size", "collectives.algorithm");
        addKeys(
                columns,
                keys.settingPaths().stream()
                        .filter(path -> !besides.contains(path))
                        .toList());
        return columns;
    }

    private TableColumn key(String name, boolean number, Function<RunResult, String> cell) {
        return new TableColumn(name, "", number, 0, true, cells(cell));
    }

    private boolean differ(Function<RunResult, String> words) {
        return all.stream().map(words).distinct().count() > 1;
    }

    private void addKeys(List<TableColumn> columns, List<String> paths) {
        for (String path : paths) {
            List<String> cells = cells(run -> keys.resolved(run, path));
            boolean number = cells.stream().allMatch(cell -> cell.matches("-|[0-9.,]+"));
            String name = keys.name(path);
            int half = middle(name);
            columns.add(new TableColumn(name.substring(0, half), name.substring(half), number, 0, true, cells));
        }
    }

    /** Returns where to break a long key into two lines. */
    private static int middle(String key) {
        int after = key.length() < 10 ? -1 : key.indexOf('_', key.length() / 3);
        return after < 0 ? key.length() : after + 1;
    }

    private static RunFacts.Collective bare(RunResult run) {
        RunFacts.Collective bare = run.facts().collective();
        if (bare == null) {
            throw new IllegalStateException(run.facts().scenario() + " has training runs and bare collectives");
        }
        return bare;
    }

    // --- results

    private List<TableColumn> trainingFigures() {
        List<TableColumn> columns = new ArrayList<>(gpus());
        columns.addAll(List.of(
                figure("step s", 4, step(t -> Quantities.threeDigits(t.stepSeconds()))),
                figure("samples/s", 0, RunColumns::rateOrVerdict),
                figure(
                        "TFLOPS/GPU",
                        14,
                        step(t -> Quantities.significant(t.flops().modelTeraflopsPerGpu()))),
                figure("MFU %", 15, step(t -> Quantities.fixed(100 * t.flops().mfu(), 1)))));
        if (all.stream().anyMatch(RunColumns::isScaled)) {
            boolean marked = rows.stream().anyMatch(RunColumns::isMarked);
            columns.add(figure(SCALING, 12, run -> scaling(run) + (isMarked(run) ? "^" : marked ? " " : "")));
        }
        columns.add(figure(
                "exposed %", 11, step(t -> Quantities.fixed(100 * t.exposed().seconds() / t.stepSeconds(), 1))));
        columns.add(figure(
                "GiB/GPU", 3, run -> MemoryWords.cell(run.facts().ledger().fit())));
        columns.add(figure(
                "batch",
                13,
                run -> run.facts().model().microBatch() + " x "
                        + run.facts().model().accumulationSteps()));
        columns.add(figure(DAYS, 2, cost(c -> Quantities.significant(c.days()))));
        columns.add(figure("USD", 1, cost(c -> c.hasPrice() ? Quantities.fixed(c.usd(), 0) : "-")));
        return columns;
    }

    private List<TableColumn> collectiveFigures() {
        List<TableColumn> columns = new ArrayList<>(gpus());
        columns.addAll(List.of(
                figure("time", 2, speed(one -> Quantities.seconds(one.seconds()))),
                figure("algbw GB/s", 10, speed(one -> Quantities.threeDigits(one.algorithmBytesPerSecond() * 1e-9))),
                figure("busbw GB/s", 0, speed(one -> Quantities.threeDigits(one.busBytesPerSecond() * 1e-9)))));
        return columns;
    }

    /** Returns the column of GPUs if clusters differ; otherwise the title shows the size. */
    private List<TableColumn> gpus() {
        boolean same = all.stream().mapToInt(RunResult::gpus).distinct().count() == 1;
        return same ? List.of() : List.of(figure("GPUs", 0, run -> String.valueOf(run.gpus())));
    }

    private TableColumn figure(String name, int rank, Function<RunResult, String> cell) {
        return new TableColumn(name, "", true, rank, false, cells(cell));
    }

    private static String rateOrVerdict(RunResult run) {
        return run.training() == null
                ? run.isAtEdge() ? "borderline" : "too large"
                : Quantities.threeDigits(run.training().samplesPerSecond());
    }

    /** Returns whether a run is scaled; runs on the base cluster are their own baseline. */
    private static boolean isScaled(RunResult run) {
        ScalingEfficiency scaling = run.scaling();
        return scaling != null && run.gpus() != scaling.baselineGpus();
    }

    private static boolean isMarked(RunResult run) {
        return run.scaling() != null && run.scaling().otherMicroBatch();
    }

    private static String scaling(RunResult run) {
        return run.scaling() == null
                ? "-"
                : Quantities.fixed(100 * run.scaling().efficiency(), 0);
    }

    private static Function<RunResult, String> step(Function<RunResult.Training, @Nullable String> figure) {
        return run -> {
            String text = run.training() == null ? null : figure.apply(run.training());
            return text == null ? "-" : text;
        };
    }

    private static Function<RunResult, String> cost(Function<TrainingCost, String> figure) {
        return run -> run.cost() == null ? "-" : figure.apply(run.cost());
    }

    private static Function<RunResult, String> speed(Function<BusBandwidth, String> figure) {
        return run -> run.collective() == null ? "-" : figure.apply(run.collective());
    }

    private List<String> cells(Function<RunResult, String> cell) {
        return rows.stream().map(cell).map(PlainText::printable).toList();
    }
}

package io.shardsim.reports.writing;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScalingEfficiency;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.SweptKeys;
import io.shardsim.reports.TrainingCost;
import io.shardsim.reports.writing.TableColumn.Says;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The columns that a table of runs may have: a key for what varies, then figures. What is the same in all runs has none. */
final class RunColumns {
    /** Figures of this rank and above go where there is no room; those below only where there is none for them alone. */
    static final int DROPPABLE = 10;

    /** The column that a legend explains. */
    static final String DAYS = "days";

    private final List<RunResult> runs;
    private final RunNames names;
    private final SweptKeys keys;

    private RunColumns(ScenarioResult scenario) {
        runs = scenario.runs();
        names = new RunNames(scenario);
        keys = SweptKeys.of(runs);
    }

    /** All columns, a cell for each run. */
    static List<TableColumn> of(ScenarioResult scenario) {
        RunColumns some = new RunColumns(scenario);
        boolean training = scenario.runs().stream().anyMatch(run -> run.facts().training() != null);
        List<TableColumn> all = new ArrayList<>(training ? some.trainingKeys() : some.collectiveKeys());
        all.addAll(training ? some.trainingFigures() : some.collectiveFigures());
        return all;
    }

    private List<TableColumn> trainingKeys() {
        List<TableColumn> columns = new ArrayList<>();
        List<String> strategies = cells(names::strategyOf);
        if (strategies.stream().distinct().count() > 1 || keys.settingPaths().isEmpty()) {
            columns.add(new TableColumn("strategy", "", false, Says.WHAT_WAS_RUN, 0, strategies));
        }
        addSettings(columns, List.of());
        return columns;
    }

    private List<TableColumn> collectiveKeys() {
        List<TableColumn> columns = new ArrayList<>();
        List<String> kinds = cells(run -> bare(run).kind().id());
        if (runs.size() == 1 || kinds.stream().distinct().count() > 1) {
            columns.add(new TableColumn("collective", "", false, Says.WHAT_WAS_RUN, 0, kinds));
        }
        columns.add(new TableColumn(
                "algorithm",
                "",
                false,
                Says.WHAT_WAS_RUN,
                0,
                cells(run -> bare(run).algorithm())));
        List<String> sizes = cells(run -> Quantities.bytes(bare(run).totalBytes()));
        if (runs.size() == 1 || sizes.stream().distinct().count() > 1) {
            columns.add(new TableColumn("size", "", true, Says.WHAT_WAS_RUN, 0, sizes));
        }
        addSettings(columns, List.of("workload.collective", "workload.size", "collectives.algorithm"));
        return columns;
    }

    private void addSettings(List<TableColumn> columns, List<String> besides) {
        for (String path : keys.settingPaths()) {
            if (!besides.contains(path)) {
                boolean number = runs.stream().allMatch(run -> keys.value(run, path) instanceof Number);
                String name = keys.name(path);
                int half = middle(name);
                columns.add(new TableColumn(
                        name.substring(0, half),
                        name.substring(half),
                        number,
                        Says.WHAT_WAS_RUN,
                        0,
                        cells(run -> keys.text(run, path))));
            }
        }
    }

    /** Where a long key is broken to stand in two lines. */
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

    // --- what came of it

    private List<TableColumn> trainingFigures() {
        List<TableColumn> columns = new ArrayList<>(gpus());
        columns.addAll(List.of(
                figure("step", "s", 4, step(t -> Quantities.threeDigits(t.stepSeconds()))),
                figure("samples/s", "", 0, RunColumns::rateOrVerdict),
                figure(
                        "TFLOPS",
                        "/GPU",
                        14,
                        step(t -> Quantities.significant(t.flops().teraflopsPerGpu()))),
                figure(
                        "MFU",
                        "%",
                        15,
                        step(t -> Quantities.fixed(100 * t.flops().mfu(), 1)))));
        if (runs.stream().anyMatch(RunColumns::isScaled)) {
            columns.add(figure("scaling", "%", 12, step(RunColumns::scaling)));
        }
        columns.add(figure(
                "exposed",
                "% of step",
                11,
                step(t -> Quantities.fixed(100 * t.exposed().seconds() / t.stepSeconds(), 1))));
        columns.add(figure(
                "memory", "GiB", 3, run -> MemoryWords.cell(run.facts().ledger().fit())));
        columns.add(figure(
                "batch",
                "micro x acc.",
                13,
                run -> run.facts().model().microBatch() + " x "
                        + run.facts().model().accumulationSteps()));
        columns.add(figure(DAYS, "", 2, cost(c -> Quantities.significant(c.days()))));
        columns.add(figure("USD", "", 1, cost(c -> Quantities.fixed(c.usd(), 0))));
        return columns;
    }

    private List<TableColumn> collectiveFigures() {
        List<TableColumn> columns = new ArrayList<>(gpus());
        columns.addAll(List.of(
                figure("time", "", 2, speed(one -> Quantities.seconds(one.seconds()))),
                figure("algbw", "GB/s", 10, speed(one -> Quantities.threeDigits(one.algorithmBytesPerSecond() * 1e-9))),
                figure("busbw", "GB/s", 0, speed(one -> Quantities.threeDigits(one.busBytesPerSecond() * 1e-9)))));
        return columns;
    }

    /** Where runs have different clusters; the title tells the size of the only one. */
    private List<TableColumn> gpus() {
        boolean same = runs.stream().mapToInt(RunResult::gpus).distinct().count() == 1;
        return same && runs.size() > 1 ? List.of() : List.of(figure("GPUs", "", 0, run -> String.valueOf(run.gpus())));
    }

    private TableColumn figure(String name, String unit, int rank, Function<RunResult, String> cell) {
        return new TableColumn(name, unit, true, Says.WHAT_CAME_OF_IT, rank, cells(cell));
    }

    private static String rateOrVerdict(RunResult run) {
        return run.training() == null
                ? "too large"
                : Quantities.significant(run.training().samplesPerSecond());
    }

    /** A series of one cluster is its own baseline. */
    private static boolean isScaled(RunResult run) {
        ScalingEfficiency scaling =
                run.training() == null ? null : run.training().scaling();
        return scaling != null && run.gpus() > scaling.baselineGpus();
    }

    private static @Nullable String scaling(RunResult.Training training) {
        return training.scaling() == null
                ? null
                : Quantities.fixed(100 * training.scaling().efficiency(), 0);
    }

    private static Function<RunResult, String> step(Function<RunResult.Training, @Nullable String> figure) {
        return run -> {
            String text = run.training() == null ? null : figure.apply(run.training());
            return text == null ? "-" : text;
        };
    }

    private static Function<RunResult, String> cost(Function<TrainingCost, String> figure) {
        return step(t -> t.costs().isEmpty() ? null : figure.apply(longest(t)));
    }

    static TrainingCost longest(RunResult.Training training) {
        return training.costs().get(training.costs().size() - 1);
    }

    private static Function<RunResult, String> speed(Function<BusBandwidth, String> figure) {
        return run -> run.collective() == null ? "-" : figure.apply(run.collective());
    }

    private List<String> cells(Function<RunResult, String> cell) {
        return runs.stream().map(cell).map(PlainText::printable).toList();
    }
}

package io.shardsim.reports.writing.html;

import io.shardsim.reports.AroundTheStep;
import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.ShortNames;
import io.shardsim.reports.StepBreakdown;
import io.shardsim.reports.StreamLook;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Work;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Charts with one bar per run: throughput, breakdown of the step, memory by owner. */
final class RunBars {
    /** Maximum number of bars that are still readable; the tables have all runs. */
    static final int BARS_MAX = 60;
    /** Pixels per bar including its spacing, and of axis and legend. */
    private static final int BAR = 26;

    private static final int AROUND_BARS = 110;
    /** Tolerance for floating-point sums of parts in whole picoseconds [1]. */
    private static final double ROUNDING = 1e-9;

    /** Maximum characters of names next to bars. */
    private static final int NAME_MAX = 35;

    private final ScenarioResult result;
    private final RunNames names;

    RunBars(ScenarioResult result) {
        this.result = result;
        names = result.names();
    }

    /** Parts of a step, in stacking order. */
    private record Slice(String style, String name, Function<StepBreakdown, Double> seconds) {}

    private static final List<Slice> SLICES = slices();

    private static List<Slice> slices() {
        List<Slice> slices = new ArrayList<>(List.of(
                new Slice("w-forward", "forward", b -> b.workSeconds(Work.Kind.LAYER_FORWARD)),
                new Slice("w-recompute", "recompute", b -> b.workSeconds(Work.Kind.LAYER_RECOMPUTE)),
                new Slice("w-backward", "backward", b -> b.workSeconds(Work.Kind.LAYER_BACKWARD)),
                new Slice(
                        "w-head",
                        "embedding and head",
                        b -> b.workSeconds(
                                Work.Kind.EMBEDDING_FORWARD,
                                Work.Kind.EMBEDDING_BACKWARD,
                                Work.Kind.HEAD_FORWARD,
                                Work.Kind.HEAD_BACKWARD)),
                new Slice(
                        "w-optimizer",
                        "optimizer and gradient norm",
                        b -> b.workSeconds(
                                Work.Kind.OPTIMIZER_STEP, Work.Kind.ORTHOGONALIZATION, Work.Kind.GRADIENT_NORM)),
                new Slice("w-copy", "copies", b -> b.workSeconds(Work.Kind.MEMORY_COPY)),
                new Slice("x-slowdown", "slow-down", StepBreakdown::slowdownSeconds)));
        for (StreamLook look : StreamLook.all()) {
            if (look.isWaitedFor()) {
                slices.add(new Slice("x-" + look.id(), look.waiting(), b -> b.exposedSeconds(look.stream())));
            }
        }
        slices.add(new Slice("x-idle", "idle", StepBreakdown::idleSeconds));
        return List.copyOf(slices);
    }

    /** Returns shares of the step, so that clusters of all sizes compare; the step time follows each bar. */
    @Nullable
    Figure stepTime() {
        List<RunResult> runs = result.trained();
        if (runs.isEmpty()) {
            return null;
        }
        runs.forEach(RunBars::requireWhole);
        List<Slice> used = SLICES.stream()
                .filter(slice -> runs.stream().anyMatch(run -> share(slice, run) >= 0.0005))
                .toList();
        List<RunResult> drawn = drawn(runs);
        List<JsonObject> parts = used.stream()
                .map(slice -> part(
                        slice.style(),
                        slice.name(),
                        drawn,
                        run -> 100 * share(slice, run),
                        run -> Quantities.seconds(
                                        slice.seconds().apply(run.step().breakdown())) + ", "
                                + Quantities.percent(share(slice, run))))
                .toList();
        JsonObject data = new JsonObject()
                .with("unit", "% of the training step")
                .with("max", 100)
                .with("rows", rows(drawn, run -> Quantities.seconds(run.step().stepSeconds()), run -> false))
                .with("parts", parts);
        return new Figure(
                "step-time",
                Figure.Kind.BARS,
                "Where the time of a training step goes",
                "Where the time of a training step goes, one bar per run, labelled with its length",
                height(drawn),
                data,
                stepTable(used, runs));
    }

    /** Checks that the slices sum to the step: missing time would be hidden, and time drawn twice cut off. */
    private static void requireWhole(RunResult run) {
        StepBreakdown breakdown = run.step().breakdown();
        double sum = SLICES.stream()
                .mapToDouble(slice -> slice.seconds().apply(breakdown))
                .sum();
        if (Math.abs(sum - breakdown.stepSeconds()) > ROUNDING * breakdown.stepSeconds()) {
            throw new IllegalStateException(run.facts().scenario() + ", " + run.label() + " on " + run.gpus()
                    + " GPUs: the drawn parts of the step sum to " + sum + " s of " + breakdown.stepSeconds() + " s");
        }
    }

    private Figure.Table stepTable(List<Slice> used, List<RunResult> runs) {
        Columns<RunResult> columns = new Columns<RunResult>()
                .words("run", names::withGpus)
                .figure("step [s]", run -> Quantities.fixed(run.step().stepSeconds(), 3));
        used.forEach(slice -> columns.figure(
                slice.name() + " [s]",
                run -> Quantities.fixed(slice.seconds().apply(run.step().breakdown()), 3)));
        return columns.of(runs);
    }

    private static double share(Slice slice, RunResult run) {
        StepBreakdown breakdown = run.step().breakdown();
        return slice.seconds().apply(breakdown) / breakdown.stepSeconds();
    }

    /** Returns memory at the peak by owner, against the GPU's capacity. */
    @Nullable
    Figure memory() {
        List<RunResult> runs = result.runs().stream()
                .filter(run -> run.facts().memory() != null)
                .toList();
        if (runs.isEmpty()) {
            return null;
        }
        List<RunFacts.Memory> ledgers =
                runs.stream().map(run -> run.facts().ledger()).toList();
        LongSummaryStatistics capacities =
                ledgers.stream().mapToLong(RunFacts.Memory::capacityBytes).summaryStatistics();
        double capacity = capacities.getMax() / Quantities.GIB;
        long peak = ledgers.stream().mapToLong(RunFacts.Memory::peakBytes).max().orElse(0);
        List<MemoryOwner> used = Arrays.stream(MemoryOwner.values())
                .filter(owner -> ledgers.stream().anyMatch(ledger -> ledger.ofOwner(owner) > 0))
                .toList();
        // A run that needs many times the capacity must not squeeze the others.
        double shown = Math.min(Math.max(peak / Quantities.GIB, capacity) * 1.02, 2 * capacity);
        List<RunResult> drawn = drawn(runs);
        JsonObject data = new JsonObject()
                .with("unit", "GiB per GPU at the peak")
                .with("max", Figure.number(shown))
                .with(
                        "rows",
                        rows(
                                drawn,
                                run -> headroom(run.facts().ledger().fit()),
                                run -> !run.facts().ledger().fit().isRoomy()));
        data.list("parts", used, owner -> memory(owner, drawn));
        if (capacities.getMin() == capacities.getMax()) {
            data.with("limit", Figure.number(capacity));
            data.with("limitName", "capacity " + Quantities.significant(capacity) + " GiB");
        }
        return new Figure(
                "peak-memory",
                Figure.Kind.BARS,
                "Peak memory of one GPU by owner",
                "Peak memory of one GPU by owner, with its capacity, one bar per run",
                height(drawn),
                data,
                memoryTable(used, runs));
    }

    private static JsonObject memory(MemoryOwner owner, List<RunResult> drawn) {
        return part(
                style(owner),
                Names.of(owner),
                drawn,
                run -> run.facts().ledger().ofOwner(owner) / Quantities.GIB,
                run -> Quantities.gib(run.facts().ledger().ofOwner(owner)));
    }

    private static String headroom(MemoryFit fit) {
        return fit.isRoomy()
                ? Quantities.gib(fit.headroomBytes()) + " free"
                : fit.isTight() ? "tight" : Quantities.gib(fit.missingBytes()) + " over";
    }

    private Figure.Table memoryTable(List<MemoryOwner> used, List<RunResult> runs) {
        Columns<RunResult> columns = new Columns<RunResult>()
                .words("run", names::withGpus)
                .figure("capacity [GiB]", run -> gib(run.facts().ledger().capacityBytes()))
                .figure("peak [GiB]", run -> gib(run.facts().ledger().peakBytes()));
        used.forEach(owner -> columns.figure(
                Names.of(owner) + " [GiB]", run -> gib(run.facts().ledger().ofOwner(owner))));
        return columns.of(runs);
    }

    static String gib(long bytes) {
        return Quantities.fixed(bytes / Quantities.GIB, 2);
    }

    /** Returns throughput by run, for sweeps without a curve over the number of GPUs; null for a single run. */
    @Nullable
    Figure throughput() {
        List<RunResult> runs = result.trained();
        if (runs.size() < 2) {
            return null;
        }
        List<RunResult> drawn = drawn(runs);
        JsonObject data = new JsonObject()
                .with("unit", rateUnit(result))
                .with("rows", rows(drawn, RunBars::samples, run -> false))
                .with(
                        "parts",
                        List.of(part("total", "throughput", drawn, RunBars::rate, run -> samples(run) + " samples/s")));
        return new Figure(
                "throughput",
                Figure.Kind.BARS,
                "Throughput of each run",
                "Samples per second, one bar per run",
                height(drawn),
                data,
                new Columns<RunResult>()
                        .words("run", names::withGpus)
                        .figure(rateUnit(result), RunBars::samples)
                        .of(runs));
    }

    private static String samples(RunResult run) {
        return Quantities.significant(rate(run));
    }

    /** Returns samples per second, including stalls, pauses and failures that the scenario specifies. */
    static double rate(RunResult run) {
        return run.training() == null
                ? 0
                : run.tokensPerSecond() / run.facts().model().sequenceLength();
    }

    static String rateUnit(ScenarioResult result) {
        return result.runs().stream().anyMatch(run -> AroundTheStep.of(run) != null)
                ? "samples/s, including pauses"
                : "samples/s";
    }

    /** Returns the runs to draw, grouped by cluster size. */
    private static List<RunResult> drawn(List<RunResult> runs) {
        Map<Integer, List<RunResult>> byGpus = new TreeMap<>();
        runs.stream()
                .limit(BARS_MAX)
                .forEach(run -> byGpus.computeIfAbsent(run.gpus(), gpus -> new ArrayList<>())
                        .add(run));
        return byGpus.values().stream().flatMap(List::stream).toList();
    }

    /** Returns a row per run, with a heading before each cluster size if sizes differ. */
    private List<JsonObject> rows(
            List<RunResult> runs, Function<RunResult, String> end, Function<RunResult, Boolean> alarm) {
        Map<String, String> shorter = ShortNames.of(runs.stream().map(names::of).toList(), NAME_MAX);
        List<JsonObject> rows = new ArrayList<>();
        int gpus = 0;
        for (RunResult run : runs) {
            JsonObject row = new JsonObject();
            if (run.gpus() != gpus) {
                gpus = run.gpus();
                row.with("heading", Quantities.counted(gpus, "GPU"));
            }
            rows.add(row.with("name", shorter.getOrDefault(names.of(run), names.of(run)))
                    .with("end", end.apply(run))
                    .with("alarm", alarm.apply(run)));
        }
        return rows;
    }

    private static JsonObject part(
            String style,
            String name,
            List<RunResult> runs,
            Function<RunResult, Double> value,
            Function<RunResult, String> words) {
        return new JsonObject()
                .with("colour", style)
                .with("name", name)
                .list("values", runs, run -> Figure.number(value.apply(run)))
                .list("texts", runs, words);
    }

    private static int height(List<RunResult> runs) {
        long headings = runs.stream().map(RunResult::gpus).distinct().count();
        return (int) (BAR * (runs.size() + headings)) + AROUND_BARS;
    }

    static String style(MemoryOwner owner) {
        return "m-" + Names.id(owner).replace('_', '-');
    }
}

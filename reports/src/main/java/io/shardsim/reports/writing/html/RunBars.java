package io.shardsim.reports.writing.html;

import io.shardsim.reports.Names;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.StepBreakdown;
import io.shardsim.reports.StreamLook;
import io.shardsim.reports.writing.html.StackedBars.Bar;
import io.shardsim.reports.writing.html.StackedBars.Group;
import io.shardsim.reports.writing.html.StackedBars.Part;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Work;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Figures with one bar per run: throughput, where the step's time goes, memory by owner. */
final class RunBars {
    /** A longer chart is no longer looked at; the tables have all runs. */
    static final int BARS_MAX = 60;
    /** Parts are whole picoseconds; their sums in floating point differ by this [1]. */
    private static final double ROUNDING = 1e-9;

    private final ScenarioResult result;
    private final RunNames names;

    RunBars(ScenarioResult result) {
        this.result = result;
        names = new RunNames(result);
    }

    /** Parts of a step, in the order in which they are stacked. */
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
                        b -> b.workSeconds(Work.Kind.OPTIMIZER_STEP, Work.Kind.GRADIENT_NORM)),
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

    /** Shares of the step, so that clusters of all sizes compare; the length of the step stands behind each bar. */
    @Nullable
    Figure stepTime() {
        List<RunResult> runs =
                result.runs().stream().filter(run -> run.training() != null).toList();
        if (runs.isEmpty()) {
            return null;
        }
        runs.forEach(RunBars::requireWhole);
        List<Slice> used = SLICES.stream()
                .filter(slice -> runs.stream().anyMatch(run -> share(slice, run) >= 0.0005))
                .toList();
        List<Group> groups = groups(runs, run -> {
            List<Part> parts = new ArrayList<>();
            for (Slice slice : used) {
                double share = share(slice, run);
                parts.add(new Part(
                        slice.style(),
                        100 * share,
                        slice.name() + ": "
                                + Quantities.seconds(
                                        slice.seconds().apply(run.step().breakdown())) + ", "
                                + Quantities.percent(share)));
            }
            return new Bar(names.of(run), parts, Quantities.seconds(run.step().stepSeconds()), false);
        });
        return new StackedBars(
                        "Where the time of a training step goes, one bar per run",
                        groups,
                        Axis.upTo(100, 5),
                        "% of the training step; its length stands behind the bar",
                        Double.NaN,
                        "",
                        62)
                .figure(
                        used.stream()
                                .map(slice -> Figure.boxKey("part " + slice.style(), slice.name()))
                                .toList(),
                        stepTable(used, runs));
    }

    /** Time that no slice draws would be hidden, and time drawn twice would be cut off at the end of the bar. */
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
        List<String> head = new ArrayList<>(List.of("run", "step [s]"));
        used.forEach(slice -> head.add(slice.name() + " [s]"));
        List<List<String>> rows = new ArrayList<>();
        for (RunResult run : runs) {
            List<String> row = new ArrayList<>(
                    List.of(names.withGpus(run), Quantities.fixed(run.step().stepSeconds(), 3)));
            used.forEach(slice ->
                    row.add(Quantities.fixed(slice.seconds().apply(run.step().breakdown()), 3)));
            rows.add(row);
        }
        return new Figure.Table(head, firstIsText(head.size()), rows);
    }

    private static double share(Slice slice, RunResult run) {
        StepBreakdown breakdown = run.step().breakdown();
        return slice.seconds().apply(breakdown) / breakdown.stepSeconds();
    }

    /** Memory at the peak by owner against what the GPU has. */
    @Nullable
    Figure memory() {
        List<RunResult> runs = result.runs().stream()
                .filter(run -> run.facts().memory() != null)
                .toList();
        if (runs.isEmpty()) {
            return null;
        }
        double capacity = runs.stream()
                .mapToDouble(run -> run.facts().ledger().capacityBytes() / Quantities.GIB)
                .max()
                .orElse(0);
        boolean oneCapacity = runs.stream()
                        .mapToLong(run -> run.facts().ledger().capacityBytes())
                        .distinct()
                        .count()
                == 1;
        double most = runs.stream()
                .mapToDouble(run -> run.facts().ledger().peakBytes() / Quantities.GIB)
                .max()
                .orElse(0);
        List<MemoryOwner> used = new ArrayList<>();
        for (MemoryOwner owner : MemoryOwner.values()) {
            if (runs.stream().anyMatch(run -> run.facts().ledger().ofOwner(owner) > 0)) {
                used.add(owner);
            }
        }
        // A run that needs many times the memory must not squeeze the others.
        double shown = Math.min(Math.max(most, capacity) * 1.02, 2 * capacity);
        List<Group> groups = groups(runs, run -> memoryBar(run, used));
        return new StackedBars(
                        "Peak memory of one GPU by owner against its capacity, one bar per run",
                        groups,
                        Axis.upTo(shown, 5),
                        "GiB per GPU at the peak",
                        oneCapacity ? capacity : Double.NaN,
                        "capacity " + Quantities.significant(capacity) + " GiB",
                        88)
                .figure(
                        used.stream()
                                .map(owner -> Figure.boxKey("part " + style(owner), Names.of(owner)))
                                .toList(),
                        memoryTable(used, runs));
    }

    private Bar memoryBar(RunResult run, List<MemoryOwner> used) {
        RunFacts.Memory memory = run.facts().ledger();
        List<Part> parts = new ArrayList<>();
        for (MemoryOwner owner : used) {
            parts.add(new Part(
                    style(owner),
                    memory.ofOwner(owner) / Quantities.GIB,
                    Names.of(owner) + ": " + Quantities.gib(memory.ofOwner(owner))));
        }
        MemoryFit fit = memory.fit();
        String end = fit.isRoomy()
                ? Quantities.gib(fit.headroomBytes()) + " free"
                : fit.isTight() ? "tight" : Quantities.gib(fit.missingBytes()) + " over";
        return new Bar(names.of(run), parts, end, !fit.isRoomy());
    }

    private Figure.Table memoryTable(List<MemoryOwner> used, List<RunResult> runs) {
        List<String> head = new ArrayList<>(List.of("run", "capacity [GiB]", "peak [GiB]"));
        used.forEach(owner -> head.add(Names.of(owner) + " [GiB]"));
        List<List<String>> rows = new ArrayList<>();
        for (RunResult run : runs) {
            RunFacts.Memory memory = run.facts().ledger();
            List<String> row = new ArrayList<>(List.of(
                    names.withGpus(run),
                    Quantities.fixed(memory.capacityBytes() / Quantities.GIB, 2),
                    Quantities.fixed(memory.peakBytes() / Quantities.GIB, 2)));
            used.forEach(owner -> row.add(Quantities.fixed(memory.ofOwner(owner) / Quantities.GIB, 2)));
            rows.add(row);
        }
        return new Figure.Table(head, firstIsText(head.size()), rows);
    }

    /** Throughput of runs that all have the same number of GPUs; the curve over any other setting. */
    @Nullable
    Figure throughput() {
        List<RunResult> runs =
                result.runs().stream().filter(run -> run.training() != null).toList();
        if (runs.size() < 2) {
            return null;
        }
        double most = runs.stream()
                .mapToDouble(run -> run.step().samplesPerSecond())
                .max()
                .orElse(1);
        List<Group> groups = groups(
                runs,
                run -> new Bar(
                        names.of(run),
                        List.of(new Part("w-forward", run.step().samplesPerSecond(), names.of(run))),
                        Quantities.significant(run.step().samplesPerSecond()),
                        false));
        List<List<String>> rows = runs.stream()
                .map(run -> List.of(
                        names.withGpus(run), Quantities.significant(run.step().samplesPerSecond())))
                .toList();
        List<String> head = List.of("run", "samples/s");
        return new StackedBars(
                        "Samples per second, one bar per run",
                        groups,
                        Axis.upTo(most, 5),
                        "samples/s",
                        Double.NaN,
                        "",
                        48)
                .figure(List.of(), new Figure.Table(head, firstIsText(2), rows));
    }

    private List<Group> groups(List<RunResult> runs, Function<RunResult, Bar> bar) {
        Map<Integer, List<Bar>> byGpus = new TreeMap<>();
        int drawn = 0;
        for (RunResult run : runs) {
            if (drawn++ < BARS_MAX) {
                byGpus.computeIfAbsent(run.gpus(), gpus -> new ArrayList<>()).add(bar.apply(run));
            }
        }
        List<Group> groups = new ArrayList<>();
        byGpus.forEach((gpus, bars) ->
                groups.add(new Group(Quantities.counted(gpus, "GPU"), Collections.unmodifiableList(bars))));
        return groups;
    }

    static String style(MemoryOwner owner) {
        return "m-" + Names.id(owner).replace('_', '-');
    }

    static List<Boolean> firstIsText(int columns) {
        List<Boolean> numeric = new ArrayList<>(Collections.nCopies(columns, true));
        numeric.set(0, false);
        return numeric;
    }
}

package io.shardsim.reports.writing.html;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.ShortNames;
import io.shardsim.reports.Subject;
import io.shardsim.reports.TrainingCost;
import io.shardsim.simulator.plan.MemoryFit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The start of the report: the question, the answer in one sentence, the figures of the fastest run. */
public final class OpeningSection {

    /** Maximum rows of the first table. */
    private static final int BEST_MAX = 8;
    /** Maximum characters of a name there. */
    private static final int NAME_MAX = 48;

    private static final String NONE = "\u2013";

    private final ScenarioResult result;
    private final RunNames names;

    OpeningSection(ScenarioResult result) {
        this.result = result;
        names = result.names();
    }

    /** A figure on the first screen. */
    public record KeyFigure(String value, String unit, String name, String term) {}

    /** Returns what was run and what varied, in one line. */
    public String subject() {
        return String.join(" \u00b7 ", Subject.of(result));
    }

    static long size(RunResult run) {
        RunFacts.Collective bare = run.facts().collective();
        return bare == null ? 0 : bare.totalBytes();
    }

    private boolean same(ToLongFunction<RunResult> figure) {
        return result.runs().stream().mapToLong(figure).distinct().count() == 1;
    }

    /** Returns the answer in one sentence. */
    public String lead() {
        RunResult best = best();
        if (best == null) {
            return !ReportPage.trains(result)
                    ? "Nothing ran."
                    : result.runs().size() == 1 ? "It does not fit in memory." : "None of the runs fits in memory.";
        }
        if (best.collective() != null) {
            String what = same(OpeningSection::size) ? "It takes " : Quantities.buffer(size(best)) + " take ";
            return what + Quantities.seconds(best.collective().seconds()) + " on "
                    + Quantities.counted(best.gpus(), "GPU") + ", "
                    + Quantities.bytesPerSecond(best.collective().busBytesPerSecond()) + " bus bandwidth.";
        }
        RunResult.Training t = best.step();
        TrainingCost cost = Objects.requireNonNull(best.cost());
        MemoryFit fit = best.facts().ledger().fit();
        String price = cost.hasPrice() ? " and " + Quantities.usd(cost.usd()) : "";
        String days = Quantities.significant(cost.days()) + " days" + price + " for " + Quantities.tokens(cost.tokens())
                + " tokens";
        return (fit.isTight() ? "Memory is tight: the run " + MemoryWords.needs(fit) + ". " : "") + names.of(best)
                + " on " + Quantities.counted(best.gpus(), "GPU")
                + (result.runs().size() > 1 ? " is the fastest: " : ": ")
                + Quantities.significant(t.samplesPerSecond()) + " samples/s, " + days + ".";
    }

    private @Nullable RunResult best() {
        return fastestFirst().stream().findFirst().orElse(null);
    }

    static double speed(RunResult run) {
        BusBandwidth bare = run.collective();
        return bare != null
                ? bare.busBytesPerSecond()
                : run.training() == null ? 0 : run.training().samplesPerSecond();
    }

    /** Returns the fastest runs, fastest first; absent if there is only one run. */
    public Figure.@Nullable Table bestRuns() {
        List<RunResult> fitting = fastestFirst().stream().limit(BEST_MAX).toList();
        if (result.runs().size() < 2 || fitting.isEmpty()) {
            return null;
        }
        Map<String, String> shorter =
                ShortNames.of(fitting.stream().map(names::of).toList(), NAME_MAX);
        Columns<RunResult> columns = new Columns<RunResult>()
                .words("run", run -> MemoryWords.named(shorter.getOrDefault(names.of(run), names.of(run)), run))
                .figure("GPUs", run -> String.valueOf(run.gpus()));
        return (ReportPage.trains(result) ? trainingFigures(columns) : collectiveFigures(columns)).of(fitting);
    }

    private List<RunResult> fastestFirst() {
        return ReportPage.trains(result)
                ? result.byDays()
                : result.runs().stream()
                        .filter(RunResult::fits)
                        .sorted(Comparator.comparingDouble(OpeningSection::speed)
                                .reversed())
                        .toList();
    }

    private Columns<RunResult> trainingFigures(Columns<RunResult> columns) {
        columns.figure("samples/s", run -> Quantities.significant(run.step().samplesPerSecond()))
                .figure("step [s]", run -> Quantities.threeDigits(run.step().stepSeconds()))
                .figure(
                        "peak [GiB]",
                        run -> MemoryWords.cell(run.facts().ledger().fit()))
                .figure("days", run -> Quantities.significant(cost(run).days()));
        return result.cheapest() == null
                ? columns
                : columns.figure(
                        "USD",
                        run -> cost(run).hasPrice()
                                ? "$" + Quantities.shortCount(cost(run).usd()).replace(" ", "")
                                : NONE);
    }

    private static TrainingCost cost(RunResult run) {
        return Objects.requireNonNull(run.cost());
    }

    private static Columns<RunResult> collectiveFigures(Columns<RunResult> columns) {
        return columns.figure("time", run -> Quantities.seconds(bare(run).seconds()))
                .figure(
                        "bus bandwidth [GB/s]",
                        run -> Quantities.significant(bare(run).busBytesPerSecond() * 1e-9));
    }

    private static BusBandwidth bare(RunResult run) {
        return Objects.requireNonNull(run.collective());
    }

    /** Returns a sentence on how many runs the table leaves out, and how many do not fit. */
    public String bestRunsOf() {
        long misfits = result.runs().stream().filter(run -> !run.fits()).count();
        int all = result.runs().size();
        String count = all - misfits > BEST_MAX ? "The fastest " + BEST_MAX + " of " + all + " runs." : "";
        String cost = ReportPage.trains(result)
                ? " Days and dollars are for "
                        + Quantities.tokens(Objects.requireNonNull(
                                        Objects.requireNonNull(best()).cost())
                                .tokens()) + " tokens."
                : "";
        String fit = misfits == 0
                ? ReportPage.trains(result) ? "All " + all + " fit in memory." : ""
                : misfits + " of " + all + (misfits == 1 ? " does" : " do") + " not fit in memory.";
        return (count + " " + fit + cost).trim();
    }

    /** Returns figures of the fastest run. */
    public List<KeyFigure> keyFigures() {
        List<KeyFigure> figures = new ArrayList<>();
        RunResult best = best();
        if (best == null) {
            return figures;
        }
        if (best.collective() != null) {
            figures.add(new KeyFigure(Quantities.seconds(best.collective().seconds()), "", "time", "virtual-time"));
            figures.add(rate(best.collective().algorithmBytesPerSecond(), "algorithm bandwidth", "algbw"));
            figures.add(rate(best.collective().busBytesPerSecond(), "bus bandwidth", "busbw"));
            return figures;
        }
        RunResult.Training t = best.step();
        figures.add(new KeyFigure(
                Quantities.significant(t.samplesPerSecond()), "samples/s", "throughput", "training-step"));
        figures.add(new KeyFigure(Quantities.threeDigits(t.stepSeconds()), "s", "training step", "training-step"));
        boolean eightBits = best.facts().model().peak().format().equals("fp8");
        figures.add(new KeyFigure(
                Quantities.fixed(100 * t.flops().mfu(), 1), "%", eightBits ? "MFU (FP8 peak)" : "MFU", "mfu"));
        figures.add(
                new KeyFigure(Quantities.significant(t.flops().modelTeraflopsPerGpu()), "TFLOPS", "per GPU", "tflops"));
        figures.add(new KeyFigure(
                Quantities.fixed(100 * t.exposed().seconds() / t.stepSeconds(), 1),
                "%",
                "exposed communication",
                "exposed"));
        figures.add(memory(best.facts().ledger().fit()));
        return figures;
    }

    /** Returns the peak; beyond the capacity, the memory needed, which is never reached. */
    private static KeyFigure memory(MemoryFit fit) {
        String capacity = "of " + Quantities.gib(fit.capacityBytes());
        return fit.isRoomy()
                ? new KeyFigure(MemoryWords.cell(fit), capacity, "peak memory", "owner")
                : new KeyFigure(
                        Quantities.significant(fit.neededBytes() / Quantities.GIB),
                        capacity,
                        "memory without fragmentation",
                        "owner");
    }

    private static KeyFigure rate(double bytesPerSecond, String name, String term) {
        return new KeyFigure(Quantities.significant(bytesPerSecond * 1e-9), "GB/s", name, term);
    }
}

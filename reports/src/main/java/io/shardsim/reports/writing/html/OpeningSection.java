package io.shardsim.reports.writing.html;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.Subject;
import io.shardsim.reports.TrainingCost;
import io.shardsim.simulator.plan.MemoryFit;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** What a reader sees first: the question, the answer in one sentence, the figures of the fastest run. */
public final class OpeningSection {

    private final ScenarioResult result;
    private final RunNames names;

    OpeningSection(ScenarioResult result) {
        this.result = result;
        names = new RunNames(result);
    }

    /** A figure of the first screen. */
    public record KeyFigure(String value, String unit, String name, String term) {}

    /** What was run and what varied, in one line. */
    public String subject() {
        return String.join(" \u00b7 ", Subject.of(result));
    }

    private static long size(RunResult run) {
        RunFacts.Collective bare = run.facts().collective();
        return bare == null ? 0 : bare.totalBytes();
    }

    private boolean same(ToLongFunction<RunResult> figure) {
        return result.runs().stream().mapToLong(figure).distinct().count() == 1;
    }

    /** The answer in one sentence. */
    public String lead() {
        RunResult best = best();
        if (best == null) {
            return ReportPage.trains(result) ? "None of the points fits in memory." : "Nothing ran.";
        }
        if (best.collective() != null) {
            String what = same(OpeningSection::size) ? "It takes " : Quantities.bytes(size(best)) + " take ";
            return what + Quantities.seconds(best.collective().seconds()) + " on "
                    + Quantities.counted(best.gpus(), "GPU") + ", "
                    + Quantities.bytesPerSecond(best.collective().busBytesPerSecond()) + " of bus bandwidth.";
        }
        RunResult.Training t = best.step();
        TrainingCost cost = t.costs().get(t.costs().size() - 1);
        MemoryFit fit = best.facts().ledger().fit();
        String price = cost.hasPrice() ? " and " + Quantities.usd(cost.usd()) : "";
        String days = Quantities.significant(cost.days()) + " days" + price + " for "
                + Quantities.shortCount(cost.tokens()).replace(".00", "").replace("G", "billion") + " tokens";
        return names.of(best) + " on " + Quantities.counted(best.gpus(), "GPU")
                + (result.runs().size() > 1 ? " is the fastest: " : ": ")
                + Quantities.significant(t.samplesPerSecond()) + " samples/s, " + days + "."
                + (fit.isTight() ? " Memory is tight: the run " + MemoryWords.needs(fit) + "." : "");
    }

    private @Nullable RunResult best() {
        RunResult best = null;
        for (RunResult run : result.runs()) {
            if (run.fits() && (best == null || speed(run) > speed(best))) {
                best = run;
            }
        }
        return best;
    }

    static double speed(RunResult run) {
        BusBandwidth bare = run.collective();
        return bare != null
                ? bare.busBytesPerSecond()
                : run.training() == null ? 0 : run.training().samplesPerSecond();
    }

    /** Figures of the fastest run. */
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
        figures.add(new KeyFigure(Quantities.significant(t.stepSeconds()), "s", "training step", "training-step"));
        boolean eightBits = best.facts().model().peak().format().equals("fp8");
        figures.add(new KeyFigure(
                Quantities.fixed(100 * t.flops().mfu(), 1), "%", eightBits ? "MFU (FP8 peak)" : "MFU", "mfu"));
        figures.add(new KeyFigure(Quantities.significant(t.flops().teraflopsPerGpu()), "TFLOPS", "per GPU", "tflops"));
        figures.add(new KeyFigure(
                Quantities.fixed(100 * t.exposed().seconds() / t.stepSeconds(), 1),
                "%",
                "exposed communication",
                "exposed"));
        figures.add(memory(best.facts().ledger().fit()));
        return figures;
    }

    /** The peak; where it is beyond the capacity, what is needed, which is not. */
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

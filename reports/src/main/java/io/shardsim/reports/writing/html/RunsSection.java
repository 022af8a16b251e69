package io.shardsim.reports.writing.html;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Every run in figures, and the cost of simulating it. */
public final class RunsSection {

    private static final String NONE = "\u2013";

    private final ScenarioResult result;
    private final RunNames names;

    RunsSection(ScenarioResult result) {
        this.result = result;
        names = result.names();
    }

    /** Returns every run with the figures of the result document. */
    public Figure.Table runs() {
        return ReportPage.trains(result) ? trainingRuns() : collectiveRuns();
    }

    private Figure.Table trainingRuns() {
        return new Columns<RunResult>()
                .words("run", run -> MemoryWords.named(names.withGpus(run), run))
                .figure("nodes", run -> String.valueOf(run.nodes()))
                .figure("micro-batch", run -> String.valueOf(model(run).microBatch()))
                .figure("accumulation", run -> String.valueOf(model(run).accumulationSteps()))
                .figure("step [s]", step("does not fit", t -> Quantities.threeDigits(t.stepSeconds())))
                .figure("samples/s", digits(RunResult.Training::samplesPerSecond))
                .figure("tokens/s per GPU", digits(RunResult.Training::tokensPerSecondPerGpu))
                .figure("TFLOPS per GPU", digits(t -> t.flops().modelTeraflopsPerGpu()))
                .figure("MFU", step(NONE, t -> Quantities.percent(t.flops().mfu())))
                .figure("HFU", step(NONE, t -> Quantities.percent(t.flops().hfu())))
                .figure("exposed [s]", digits(t -> t.exposed().seconds()))
                .figure(
                        "peak [GiB]",
                        run -> MemoryWords.cell(run.facts().ledger().fit()))
                .figure(
                        "efficiency",
                        run -> run.scaling() == null ? NONE : run.scaling().words())
                .figure("NIC bytes sent", run -> run.training() == null ? NONE : sent(run))
                .of(result.runs());
    }

    private static Function<RunResult, String> digits(ToDoubleFunction<RunResult.Training> figure) {
        return step(NONE, t -> Quantities.threeDigits(figure.applyAsDouble(t)));
    }

    private static Function<RunResult, String> step(String none, Function<RunResult.Training, String> figure) {
        return run -> run.training() == null ? none : figure.apply(run.training());
    }

    private static RunFacts.Training model(RunResult run) {
        return run.facts().model();
    }

    private static String sent(RunResult run) {
        return Quantities.bytes(run.network().nicBytesSent());
    }

    private Figure.Table collectiveRuns() {
        return new Columns<RunResult>()
                .words("run", names::withGpus)
                .figure("nodes", run -> String.valueOf(run.nodes()))
                .figure("size", run -> Quantities.buffer(OpeningSection.size(run)))
                .figure("time", speed(one -> Quantities.seconds(one.seconds())))
                .figure("algorithm bandwidth [GB/s]", gigabytes(BusBandwidth::algorithmBytesPerSecond))
                .figure("bus bandwidth [GB/s]", gigabytes(BusBandwidth::busBytesPerSecond))
                .figure("NIC bytes sent", RunsSection::sent)
                .of(result.runs().stream().filter(RunResult::fits).toList());
    }

    private static Function<RunResult, String> gigabytes(ToDoubleFunction<BusBandwidth> figure) {
        return speed(one -> Quantities.significant(figure.applyAsDouble(one) * 1e-9));
    }

    private static Function<RunResult, String> speed(Function<BusBandwidth, String> figure) {
        return run -> figure.apply(Objects.requireNonNull(run.collective()));
    }

    /** Returns the cost of the simulation, and each run's digest. */
    public Figure.Table simulation() {
        return new Columns<RunResult>()
                .words("run", names::withGpus)
                .figure("events executed", run -> Quantities.count(run.effort().executedEvents()))
                .figure("events simulated", run -> Quantities.count(run.effort().simulatedEvents()))
                .figure("wall time", run -> Quantities.seconds(run.effort().wallSeconds()))
                .words("digest", run -> run.digest() == null ? NONE : run.digest())
                .of(result.runs().stream().filter(RunResult::fits).toList());
    }
}

package io.shardsim.reports.writing.html;

import io.shardsim.reports.BusBandwidth;
import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScalingEfficiency;
import io.shardsim.reports.ScenarioResult;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Every run in figures, and what simulating it took. */
public final class RunsSection {

    private static final String NONE = "\u2013";

    private final ScenarioResult result;
    private final RunNames names;

    RunsSection(ScenarioResult result) {
        this.result = result;
        names = result.names();
    }

    /** Every run with the figures of the result document. */
    public Figure.Table runs() {
        return ReportPage.trains(result) ? trainingRuns() : collectiveRuns();
    }

    private Figure.Table trainingRuns() {
        List<String> head = List.of(
                "run",
                "nodes",
                "micro-batch",
                "accumulation",
                "step [s]",
                "samples/s",
                "tokens/s per GPU",
                "TFLOPS per GPU",
                "MFU",
                "HFU",
                "exposed [s]",
                "peak [GiB]",
                "efficiency",
                "NIC bytes sent");
        List<List<String>> rows = new ArrayList<>();
        for (RunResult run : result.runs()) {
            RunResult.Training t = run.training();
            RunFacts.Training model = run.facts().model();
            List<String> row = new ArrayList<>(List.of(
                    MemoryWords.named(names.withGpus(run), run),
                    String.valueOf(run.nodes()),
                    String.valueOf(model.microBatch()),
                    String.valueOf(model.accumulationSteps())));
            if (t == null) {
                row.addAll(List.of("does not fit", NONE, NONE, NONE, NONE, NONE, NONE));
            } else {
                row.addAll(List.of(
                        Quantities.significant(t.stepSeconds()),
                        Quantities.significant(t.samplesPerSecond()),
                        Quantities.significant(t.tokensPerSecondPerGpu()),
                        Quantities.significant(t.flops().modelTeraflopsPerGpu()),
                        Quantities.percent(t.flops().mfu()),
                        Quantities.percent(t.flops().hfu()),
                        Quantities.significant(t.exposed().seconds())));
            }
            row.add(MemoryWords.cell(run.facts().ledger().fit()));
            ScalingEfficiency scaling = run.scaling();
            row.add(scaling == null ? NONE : scaling.words());
            row.add(t == null ? NONE : Quantities.bytes(run.network().nicBytesSent()));
            rows.add(row);
        }
        return Figure.Table.named(head, rows);
    }

    private Figure.Table collectiveRuns() {
        List<String> head = List.of(
                "run", "nodes", "size", "time", "algorithm bandwidth [GB/s]", "bus bandwidth [GB/s]", "NIC bytes sent");
        List<List<String>> rows = new ArrayList<>();
        for (RunResult run : result.runs()) {
            BusBandwidth speed = run.collective();
            RunFacts.Collective bare = run.facts().collective();
            if (speed != null && bare != null) {
                rows.add(List.of(
                        names.withGpus(run),
                        String.valueOf(run.nodes()),
                        Quantities.bytes(bare.totalBytes()),
                        Quantities.seconds(speed.seconds()),
                        Quantities.significant(speed.algorithmBytesPerSecond() * 1e-9),
                        Quantities.significant(speed.busBytesPerSecond() * 1e-9),
                        Quantities.bytes(run.network().nicBytesSent())));
            }
        }
        return Figure.Table.named(head, rows);
    }

    public Set<String> conventions() {
        Set<String> all = new LinkedHashSet<>();
        for (RunResult run : result.runs()) {
            if (run.training() != null) {
                all.add(run.training().flops().convention());
            }
        }
        return all;
    }

    /** What the simulation itself took, and a digest for each run. */
    public Figure.Table simulation() {
        List<String> head = List.of("run", "events executed", "events simulated", "wall time", "digest");
        List<List<String>> rows = new ArrayList<>();
        for (RunResult run : result.runs()) {
            if (run.fits()) {
                rows.add(List.of(
                        names.withGpus(run),
                        Quantities.count(run.effort().executedEvents()),
                        Quantities.count(run.effort().simulatedEvents()),
                        Quantities.seconds(run.effort().wallSeconds()),
                        run.digest() == null ? NONE : run.digest()));
            }
        }
        return new Figure.Table(head, List.of(false, true, true, true, false), rows);
    }
}

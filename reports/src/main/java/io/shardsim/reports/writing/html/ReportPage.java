package io.shardsim.reports.writing.html;

import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunMeters;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScalingEfficiency;
import io.shardsim.reports.ScenarioResult;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All that the page shows, in words and drawings, section by section; the template only lays it out. */
public final class ReportPage {
    private final ScenarioResult result;
    private final List<RunMeters.Reading> meters;
    private final RunBars bars;
    private final SweepFigures sweep;

    ReportPage(ScenarioResult result, List<RunMeters.Reading> meters) {
        this.result = result;
        this.meters = meters;
        bars = new RunBars(result);
        sweep = new SweepFigures(result);
    }

    public String scenario() {
        return result.scenario();
    }

    public boolean training() {
        return trains(result);
    }

    static boolean trains(ScenarioResult result) {
        return result.runs().stream().anyMatch(run -> run.facts().training() != null);
    }

    public boolean sweep() {
        return result.sweep();
    }

    public OpeningSection opening() {
        return new OpeningSection(result);
    }

    public WhySection why() {
        return new WhySection(result);
    }

    public NetworkSection network() {
        return new NetworkSection(result);
    }

    public CostSection cost() {
        return new CostSection(result);
    }

    public StepSection step() {
        return new StepSection(result);
    }

    public RunsSection runs() {
        return new RunsSection(result);
    }

    public @Nullable Figure throughput() {
        Figure curve = training() ? sweep.throughput() : sweep.busBandwidth();
        return curve == null ? bars.throughput() : curve;
    }

    public boolean throughputIsCurve() {
        return (training() ? sweep.throughput() : sweep.busBandwidth()) != null;
    }

    public @Nullable Figure efficiency() {
        return sweep.efficiency();
    }

    /** What scaling means here. */
    public String scalingKind() {
        for (RunResult run : result.runs()) {
            ScalingEfficiency scaling =
                    run.training() == null ? null : run.training().scaling();
            if (scaling != null && run.gpus() > scaling.baselineGpus()) {
                return scaling.fixedGlobalBatch()
                        ? "Strong scaling: the global batch stays the same, so each GPU gets less to do as the cluster grows."
                        : "Weak scaling: the global batch grows with the cluster.";
            }
        }
        return "";
    }

    public @Nullable Figure stepTime() {
        return bars.stepTime();
    }

    public @Nullable Figure memory() {
        return bars.memory();
    }

    public int seriesLeftOut() {
        return throughputIsCurve() ? sweep.leftOut() : 0;
    }

    public int barsLeftOut() {
        return Math.max(0, result.runs().size() - RunBars.BARS_MAX);
    }

    public List<RunFacts.Source> sources() {
        Set<RunFacts.Source> all = new LinkedHashSet<>();
        result.runs().forEach(run -> all.addAll(run.facts().sources()));
        return List.copyOf(all);
    }

    public List<RunMeters.Reading> meters() {
        return meters;
    }

    public List<Glossary.Term> glossary() {
        return Glossary.terms();
    }
}

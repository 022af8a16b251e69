package io.shardsim.reports.writing.html;

import io.shardsim.reports.CriticalParts;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.RunMeters;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScalingEfficiency;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.ResultsJson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The model of the report page: its words and figures by section, which the template lays out. */
public final class ReportPage {
    private final ScenarioResult result;
    private final List<RunMeters.Reading> meters;
    private final RunBars bars;
    private final Curves sweep;
    private final SweepMap map;
    private final GapFigure gap;

    ReportPage(ScenarioResult result, List<RunMeters.Reading> meters) {
        this.result = result;
        this.meters = meters;
        bars = new RunBars(result);
        sweep = new Curves(result);
        map = new SweepMap(result);
        gap = new GapFigure(result);
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

    /** Returns the command that reproduces this report; empty if none made it. */
    public String command() {
        return result.origin().command();
    }

    /** Returns name, version and build of the program. */
    public String software() {
        String known = result.origin().software();
        return known.isEmpty() ? "shardsim " + ResultsJson.version() : known;
    }

    /** Returns a BibTeX entry with the digest of the fastest run, or of the first. */
    public String bibtex() {
        RunResult best = result.fastest();
        String digest = (best == null ? result.runs().get(0) : best).digest();
        return "@misc{shardsim:" + scenario().replaceAll("[^A-Za-z0-9.-]+", "-")
                + ",\n  author = {{shardsim}},\n  title = {" + tex(scenario())
                + ", a simulated run},\n  howpublished = {" + tex(software()) + "},\n  note = {"
                + (digest == null ? "does not fit in memory" : "digest " + digest) + "}\n}";
    }

    private static String tex(String text) {
        return text.replaceAll("[\\\\{}~^]", " ").replaceAll("[$&#_%]", "\\\\$0");
    }

    /** Returns a sentence on how much of the scenario the page shows; empty if all of it. */
    public String partial() {
        return result.complete()
                ? ""
                : "Partial: " + result.runs().size() + " of " + result.points()
                        + " points. The run was interrupted or failed; shardsim run --resume adds the others.";
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

    /** Returns the first figure: the curve, or bars if all clusters are equally large. */
    public @Nullable Figure opensWith() {
        Figure curve = curve();
        return curve != null ? curve : result.runs().size() > 1 ? bars.throughput() : bars.stepTime();
    }

    private @Nullable Figure curve() {
        return training() ? sweep.throughput() : sweep.busBandwidth();
    }

    public boolean opensWithCurve() {
        return curve() != null;
    }

    /** Returns throughput by the keys that vary. */
    public @Nullable Figure map() {
        return map.figure();
    }

    /** Returns the gap between two runs. */
    public @Nullable Figure gap() {
        return gap.figure();
    }

    public @Nullable Figure efficiency() {
        return sweep.efficiency();
    }

    /** Returns a sentence on whether scaling is strong or weak. */
    public String scalingKind() {
        for (RunResult run : result.runs()) {
            ScalingEfficiency scaling = run.scaling();
            if (scaling != null && run.gpus() != scaling.baselineGpus()) {
                return scaling.fixedGlobalBatch()
                        ? "Strong scaling: the global batch is fixed, so each GPU does less work as the cluster "
                                + "grows."
                        : "Weak scaling: the global batch grows with the cluster.";
            }
        }
        return "";
    }

    /** Returns the breakdown of the step; absent if it is the first figure. */
    public @Nullable Figure stepTime() {
        return result.runs().size() > 1 ? bars.stepTime() : null;
    }

    public @Nullable Figure memory() {
        return bars.memory();
    }

    public int seriesLeftOut() {
        return opensWithCurve() ? sweep.leftOut() : 0;
    }

    /** Returns every figure of the page, in order. */
    public List<Figure> figures() {
        List<Figure> all = new ArrayList<>();
        for (Figure figure : Arrays.asList(opensWith(), gap(), map(), efficiency(), stepTime(), memory())) {
            if (figure != null) {
                all.add(figure);
            }
        }
        StepSection step = step();
        all.addAll(step.memory());
        all.addAll(step.links());
        all.addAll(step.timelines());
        return List.copyOf(all);
    }

    public int barsLeftOut() {
        return Math.max(0, result.runs().size() - RunBars.BARS_MAX);
    }

    /** Returns figures by source. */
    public Map<String, String> sources() {
        Set<RunFacts.Source> all = new LinkedHashSet<>();
        result.runs().forEach(run -> all.addAll(run.facts().sources()));
        Map<String, String> figures = new LinkedHashMap<>();
        for (RunFacts.Source one : all) {
            int key = one.what().lastIndexOf(' ') + 1;
            String thing = one.what().substring(0, key);
            figures.merge(
                    one.source() + (one.date().isEmpty() ? "" : ", " + one.date()),
                    one.what(),
                    (those, what) ->
                            those.substring(those.lastIndexOf(';') + 1).trim().startsWith(thing)
                                    ? those + ", " + what.substring(key)
                                    : those + "; " + what);
        }
        return figures;
    }

    /** Formats a count with its noun. */
    public String count(int number, String thing) {
        return Quantities.counted(number, thing);
    }

    public List<RunMeters.Reading> meters() {
        return meters;
    }

    public List<Glossary.Term> glossary() {
        return Glossary.terms();
    }

    /** Returns the critical path of the fastest run; null if not requested. */
    public Figure.@Nullable Table criticalPath() {
        CriticalParts path = result.runs().stream()
                .map(run -> run.facts().path())
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
        if (path == null) {
            return null;
        }
        return new Columns<CriticalParts.Part>()
                .words("waited for", CriticalParts.Part::what)
                .figure("time [s]", part -> Quantities.fixed(part.ps() * 1e-12, 6))
                .figure("share [%]", part -> Quantities.fixed(100 * path.share(part), 1))
                .of(path.parts());
    }
}

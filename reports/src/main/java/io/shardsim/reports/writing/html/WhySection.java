package io.shardsim.reports.writing.html;

import io.shardsim.reports.Diagnosis;
import io.shardsim.reports.Remark;
import io.shardsim.reports.RunNames;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.StrategyComparison;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Why each strategy takes as long as it does, what to change next, and caveats. */
public final class WhySection {
    /** Maximum number of series described, half fastest and half slowest. */
    private static final int VERDICTS_MAX = 6;

    private final ScenarioResult result;
    private final RunNames names;
    private final Set<String> sources = new LinkedHashSet<>();

    WhySection(ScenarioResult result) {
        this.result = result;
        names = result.names();
    }

    /** A description of a series, at its largest cluster. */
    public record Verdict(String name, String why, String next, List<String> further) {}

    /** Compares the fastest run with its rivals, in short. */
    public List<String> briefly() {
        return StrategyComparison.briefly(result);
    }

    /** Compares runs that differ in one thing, largest differences first. */
    public List<String> comparisons() {
        return StrategyComparison.headlines(result);
    }

    /** Returns why each series takes as long as it does at its largest cluster, and what to change next. */
    public List<Verdict> verdicts() {
        List<RunResult> all = result.series().values().stream()
                .map(ScenarioResult::largestThatFits)
                .toList();
        List<RunResult> shown = new ArrayList<>(all);
        shown.sort(Comparator.comparingDouble(OpeningSection::speed).reversed());
        if (shown.size() > VERDICTS_MAX) {
            shown.subList(VERDICTS_MAX / 2, shown.size() - VERDICTS_MAX / 2).clear();
        }
        List<Verdict> verdicts = new ArrayList<>();
        for (RunResult run : all) {
            if (shown.contains(run)) {
                Diagnosis diagnosis = Diagnosis.of(run);
                verdicts.add(new Verdict(
                        names.withGpus(run),
                        diagnosis.why(),
                        diagnosis.next(),
                        Diagnosis.further(run).stream()
                                .map(sentence -> Remark.withoutSources(sentence, sources))
                                .toList()));
            }
        }
        return verdicts;
    }

    /** Returns the sources behind the accuracy in {@link #verdicts}; empty before that was called. */
    public String sources() {
        return sources.isEmpty() ? "" : Remark.sourcesInWords(sources);
    }

    /** Returns the number of series that {@link #verdicts} leaves out. */
    public int verdictsLeftOut() {
        return Math.max(0, result.series().size() - VERDICTS_MAX);
    }

    public List<Remark> warnings() {
        return Remark.of(result, run -> {
            List<String> texts = new ArrayList<>(run.facts().warnings());
            texts.addAll(Diagnosis.misfit(run));
            return texts;
        });
    }

    public List<Remark> notes() {
        return Remark.of(result, run -> run.facts().notes());
    }
}

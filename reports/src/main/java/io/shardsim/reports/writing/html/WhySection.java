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

/** Why each strategy takes as long as it does and what to turn next, and what to know before trusting the figures. */
public final class WhySection {
    /** The fastest and the slowest series in words, half each. */
    private static final int VERDICTS_MAX = 6;

    private final ScenarioResult result;
    private final RunNames names;
    private final Set<String> sources = new LinkedHashSet<>();

    WhySection(ScenarioResult result) {
        this.result = result;
        names = result.names();
    }

    /** A series in words, at its largest cluster. */
    public record Verdict(String name, String why, String next, List<String> further) {}

    /** The fastest run against its rivals, in short. */
    public List<String> briefly() {
        return StrategyComparison.briefly(result);
    }

    /** Two runs that differ in one thing, the largest differences first. */
    public List<String> comparisons() {
        return StrategyComparison.headlines(result);
    }

    /** Each series at its largest cluster, why it takes as long as it does and what to turn next. */
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

    /** What the accuracy of {@link #verdicts} rests on; empty before they were asked for. */
    public String sources() {
        return sources.isEmpty() ? "" : Remark.sourcesInWords(sources);
    }

    /** Series that {@link #verdicts} leaves out. */
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

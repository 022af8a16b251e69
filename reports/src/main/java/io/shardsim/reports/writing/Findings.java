package io.shardsim.reports.writing;

import io.shardsim.reports.Advice;
import io.shardsim.reports.Assumption;
import io.shardsim.reports.CriticalParts;
import io.shardsim.reports.Diagnosis;
import io.shardsim.reports.KeyWeight;
import io.shardsim.reports.Message;
import io.shardsim.reports.MessageCode;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.Remark;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.StrategyComparison;
import io.shardsim.reports.writing.StyledText.Look;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The first findings of a scenario: why the best run is ahead, what to try next and what it gains, the accuracy, and caveats. Everything else is a
 * count.
 */
final class Findings {
    private static final int ADVICE_MAX = 2;
    private static final int UNTRIED_MAX = 2;
    private static final int WARNINGS_MAX = 4;

    private final ScenarioResult scenario;
    private final StyledText out;
    private final @Nullable RunResult best;

    private Findings(ScenarioResult scenario, StyledText out) {
        this.scenario = scenario;
        this.out = out;
        best = best(scenario);
    }

    static void write(ScenarioResult scenario, SummaryTable.Part part, StyledText out) {
        Findings findings = new Findings(scenario, out);
        switch (part) {
            case ANSWER -> {
                findings.warnings(code -> code == MessageCode.MEMORY_TIGHT);
                findings.best();
                findings.outOfMemory();
                findings.warnings(code -> code != MessageCode.MEMORY_TIGHT);
            }
            case COMPARISONS ->
                StrategyComparison.briefly(scenario).forEach(sentence -> out.paragraph(sentence, Look.PLAIN));
            case TRIALS -> {
                findings.trials();
                findings.notes();
            }
        }
    }

    /** Returns the fastest training run, or the only collective. */
    private static @Nullable RunResult best(ScenarioResult scenario) {
        RunResult fastest = scenario.fastest();
        RunResult first = scenario.runs().get(0);
        return fastest == null && scenario.runs().size() == 1 && first.fits() ? first : fastest;
    }

    /** Formats weights, for example {@code What matters (best over worst value, all else equal): micro_batch 2.0x, attention 1.2x}. */
    static String weights(List<KeyWeight> weights) {
        return "What matters (best over worst value, all else equal): "
                + weights.stream().map(KeyWeight::words).collect(Collectors.joining(", "));
    }

    private void best() {
        List<KeyWeight> weights = KeyWeight.of(scenario);
        if (weights.size() > 1) {
            out.paragraph(weights(weights), Look.PLAIN);
        }
        if (best == null) {
            return;
        }
        Diagnosis diagnosis = Diagnosis.of(best);
        out.paragraph((scenario.runs().size() == 1 ? "" : "Fastest: ") + diagnosis.why(), Look.PLAIN);
        Diagnosis.faultsAndAround(best).forEach(sentence -> out.paragraph(sentence, Look.PLAIN));
        String accuracy = best.facts().accuracyWords();
        if (!accuracy.isEmpty()) {
            out.paragraph("Accuracy: " + accuracy + ".", Look.PLAIN);
        }
    }

    /** Adds results of further runs for the best run. */
    private void trials() {
        if (best == null) {
            return;
        }
        CriticalParts path = best.facts().path();
        if (path != null) {
            out.paragraph(path.sentence(), Look.PLAIN);
        }
        Diagnosis diagnosis = Diagnosis.of(best);
        List<Advice> advice = Advice.of(best);
        if (advice.isEmpty() && !diagnosis.next().isEmpty()) {
            out.paragraph("Next: " + diagnosis.next(), Look.PLAIN);
        }
        for (int i = 0; i < Math.min(ADVICE_MAX, advice.size()); i++) {
            out.paragraph((i == 0 ? "Next: " : "Or: ") + advice.get(i).sentence(), Look.PLAIN);
        }
        Assumption.brief(best).forEach(sentence -> out.paragraph(sentence, Look.PLAIN));
        Advice.untried(best, UNTRIED_MAX).forEach(sentence -> out.paragraph(sentence, Look.PLAIN));
    }

    /** Adds how many runs do not fit, and the needs of the one closest to fitting. */
    private void outOfMemory() {
        List<RunResult> tooLarge =
                scenario.runs().stream().filter(run -> !run.fits()).toList();
        tooLarge.stream().min(Comparator.comparingLong(Findings::missingBytes)).ifPresent(nearest -> {
            Diagnosis diagnosis = Diagnosis.of(nearest);
            String words = tooLarge.size() == 1 && scenario.runs().size() == 1
                    ? diagnosis.why() + " " + diagnosis.next()
                    : howMany(tooLarge) + ", by " + Quantities.gib(missingBytes(nearest)) + " or more. "
                            + brief(diagnosis.next());
            out.paragraph(MessageCode.OUT_OF_MEMORY.id() + ": " + words, Look.WARNING);
        });
    }

    /** Counts runs that do not fit; those on clusters where nothing fits have no row. */
    private String howMany(List<RunResult> tooLarge) {
        List<RunResult> alike = scenario.runs().stream()
                .filter(run -> run.gpus() == tooLarge.get(0).gpus())
                .toList();
        return alike.size() > 1 && alike.equals(tooLarge)
                ? "all " + alike.size() + " on "
                        + Quantities.counted(alike.get(0).gpus(), "GPU")
                : tooLarge.size() + " of " + scenario.runs().size() + " runs";
    }

    private static long missingBytes(RunResult run) {
        return run.facts().ledger().fit().missingBytes();
    }

    /** Returns a remedy without the needs in parentheses; of two remedies the one that fits with headroom. */
    private static String brief(String remedy) {
        return remedy.replaceAll(" \\([^()]*\\)", "").replaceFirst("Fits tightly with: .*; fits", "Fits");
    }

    /** Adds one line per code: its text if all its runs have equal figures and there is room; else the code's headline. */
    private void warnings(Predicate<MessageCode> which) {
        Map<MessageCode, List<String>> texts = new LinkedHashMap<>();
        Map<MessageCode, Integer> runs = new LinkedHashMap<>();
        for (RunResult run : scenario.runs()) {
            for (Message message : run.facts().messages()) {
                texts.computeIfAbsent(message.code(), code -> new ArrayList<>()).add(message.text());
            }
            run.facts().messages().stream()
                    .map(Message::code)
                    .distinct()
                    .forEach(code -> runs.merge(code, 1, Integer::sum));
        }
        texts.keySet().removeIf(which.negate());
        texts.entrySet().stream().limit(WARNINGS_MAX).forEach(entry -> {
            int concerned = runs.getOrDefault(entry.getKey(), 0);
            String head = "warning " + entry.getKey().id()
                    + (concerned == scenario.runs().size() ? "" : ", " + Quantities.counted(concerned, "run")) + ": ";
            String only = head + entry.getValue().get(0);
            boolean fits = entry.getValue().stream().distinct().count() == 1
                    && only.length() <= out.style().width();
            out.paragraph(fits ? only : head + entry.getKey().page().headline(), Look.WARNING);
        });
    }

    private void notes() {
        int notes = Remark.of(scenario, run -> run.facts().notes()).size();
        boolean warned = scenario.runs().stream()
                .anyMatch(run -> !run.fits() || !run.facts().messages().isEmpty());
        List<String> words = new ArrayList<>();
        if (notes > 0) {
            words.add(Quantities.counted(notes, "note") + (notes == 1 ? ": -v shows it" : ": -v shows them"));
        }
        if (warned) {
            words.add("shardsim help CODE explains a warning");
        }
        if (!words.isEmpty()) {
            out.paragraph(String.join("; ", words), Look.ASIDE);
        }
    }
}

package io.shardsim.reports.writing;

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
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Writes every reason, warning and note about a scenario's runs, each once. */
final class Reasons {
    private final ScenarioResult scenario;
    private final StyledText out;

    private Reasons(ScenarioResult scenario, StyledText out) {
        this.scenario = scenario;
        this.out = out;
    }

    static void write(ScenarioResult scenario, SummaryTable.Part part, StyledText out) {
        Reasons reasons = new Reasons(scenario, out);
        switch (part) {
            case ANSWER -> {
                List<KeyWeight> weights = KeyWeight.of(scenario);
                if (!weights.isEmpty()) {
                    out.paragraph(Findings.weights(weights), Look.PLAIN);
                }
                reasons.warnings(MessageCode.MEMORY_TIGHT);
                scenario.series().forEach((name, runs) -> reasons.why(name, ScenarioResult.largestThatFits(runs)));
                reasons.said(Diagnosis::around);
                out.gap();
                reasons.remarks();
                out.gap();
            }
            case COMPARISONS -> {
                StrategyComparison.of(scenario).forEach(one -> out.paragraph(one.sentence(), "", Look.PLAIN));
                out.gap();
            }
            case TRIALS -> reasons.said(Diagnosis::trials);
        }
    }

    private void why(String name, RunResult run) {
        out.paragraph(
                name + ", " + Quantities.counted(run.gpus(), "GPU") + ": "
                        + Diagnosis.of(run).why(),
                Look.PLAIN);
    }

    /** Writes sentences about each series on its largest cluster that fits. */
    private void said(Function<RunResult, List<String>> sentences) {
        Set<RunResult> largest = Collections.newSetFromMap(new IdentityHashMap<>());
        scenario.series().values().forEach(runs -> largest.add(ScenarioResult.largestThatFits(runs)));
        boolean one = largest.size() == 1;
        Remark.of(scenario, run -> largest.contains(run) ? sentences.apply(run) : List.of())
                .forEach(remark -> out.paragraph(
                        remark.text() + (one || remark.runs().equals(Remark.ALL) ? "" : " (" + remark.runs() + ")"),
                        Look.PLAIN));
    }

    private void remarks() {
        Remark.of(scenario, Diagnosis::misfit)
                .forEach(remark -> out.paragraph(line(MessageCode.OUT_OF_MEMORY.id(), remark), Look.WARNING));
        for (MessageCode code : MessageCode.values()) {
            if (code != MessageCode.MEMORY_TIGHT) {
                warnings(code);
            }
        }
        Remark.of(scenario, run -> run.facts().notes())
                .forEach(remark -> out.paragraph(line("note", remark), Look.PLAIN));
    }

    private void warnings(MessageCode code) {
        Remark.of(scenario, run -> texts(run, code))
                .forEach(remark -> out.paragraph(line("warning " + code.id(), remark), Look.WARNING));
    }

    private static List<String> texts(RunResult run, MessageCode code) {
        return run.facts().messages().stream()
                .filter(message -> message.code() == code)
                .map(Message::text)
                .toList();
    }

    private static String line(String kind, Remark remark) {
        return kind + (remark.runs().equals(Remark.ALL) ? ": " : ", " + remark.runs() + ": ") + remark.text();
    }
}

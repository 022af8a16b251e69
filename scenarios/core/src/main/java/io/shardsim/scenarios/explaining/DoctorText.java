package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Advice;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.Subject;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.Paragraphs;
import java.util.List;

/** Formats a diagnosis for the terminal and as JSON: what was understood, the explanation, and what gains most. */
public final class DoctorText {
    private DoctorText() {}

    /** Returns text of at most {@code width} columns. */
    public static String write(Doctor.Answer answer, int width) {
        Paragraphs out = new Paragraphs(width);
        Doctor.Understood understood = answer.understood();
        understood.contradictions().forEach(each -> out.line("Contradiction: " + each + "."));
        out.line("Read: " + String.join("; ", understood.read()) + ".");
        out.line("Understood: " + subject(answer) + ".");
        if (!understood.left().isEmpty()) {
            out.line("Assumed, not in any file: " + String.join(", ", understood.left()) + ".");
        }
        understood.evidence().forEach(out::line);
        out.asIs("\n" + ExplanationText.write(answer.explanation(), width));
        if (!answer.explanation().others().tooLong().isEmpty() && !answer.interrupted()) {
            out.line("All faults: "
                    + understood.command(
                            "explain", " --measured '" + answer.explanation().measured() + "'") + ".");
        }
        if (answer.interrupted()) {
            out.line("Interrupted: not all faults and settings were simulated.");
        } else if (answer.explanation().fits()) {
            out.asIs("\nBest settings, each simulated without a fault:\n");
            if (answer.gains().isEmpty()) {
                out.asIs("  no setting tried gains 2 %\n");
            }
            answer.gains().forEach(gain -> out.line("  " + gain.sentence(), "    "));
            if (!answer.room().isEmpty()) {
                out.asIs("Memory is tight. These free memory without a gain in speed:\n");
                answer.room().forEach(room -> out.line("  " + room.sentence(), "    "));
            }
            untried(answer, out);
        }
        return out.toString();
    }

    private static void untried(Doctor.Answer answer, Paragraphs out) {
        if (!answer.untried().isEmpty()) {
            out.line("Not tried, too costly: "
                    + Quantities.counted(answer.untried().size(), "setting") + ", such as "
                    + answer.untried().get(0) + ". All: " + answer.understood().command("what-if", "") + ".");
        }
    }

    private static String subject(Doctor.Answer answer) {
        return String.join(", ", Subject.resolved(ScenarioResult.of("", List.of(answer.run()))));
    }

    /** Returns a JSON document. */
    public static String json(Doctor.Answer answer) {
        return new JsonObject()
                .with("contradictions", answer.understood().contradictions())
                .with("read", answer.understood().read())
                .with("understood", subject(answer))
                .with("assumed", answer.understood().left())
                .with("evidence", answer.understood().evidence())
                .with("explanation", ExplanationJson.object(answer.explanation()))
                .list("gains", answer.gains(), DoctorText::advice)
                .list("room", answer.room(), DoctorText::advice)
                .with("untried", answer.untried())
                .with("interrupted", answer.interrupted())
                .text();
    }

    private static JsonObject advice(Advice one) {
        return new JsonObject()
                .with("title", one.trial().title())
                .with("set", one.trial().settings())
                .with("samples_per_second", one.trial().samplesPerSecond())
                .with("gain", one.gain());
    }
}

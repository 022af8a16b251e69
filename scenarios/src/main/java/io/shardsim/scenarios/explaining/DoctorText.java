package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Advice;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.Subject;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.PlainText;
import java.util.List;

/** What a doctor says, for the terminal and for programs: what was understood, the explanation, and what gains most. */
public final class DoctorText {
    private DoctorText() {}

    /** At most {@code width} columns wide. */
    public static String write(Doctor.Answer answer, int width) {
        StringBuilder out = new StringBuilder();
        Doctor.Understood understood = answer.understood();
        line(out, "Read: " + String.join("; ", understood.read()) + ".", width);
        line(out, "Understood: " + subject(answer) + ".", width);
        if (!understood.left().isEmpty()) {
            line(out, "Assumed, no file says: " + String.join(", ", understood.left()) + ".", width);
        }
        understood.evidence().forEach(each -> line(out, each, width));
        out.append('\n').append(ExplanationText.write(answer.explanation(), width));
        if (answer.explanation().fits()) {
            out.append("\nGains most, each simulated without a fault:\n");
            if (answer.gains().isEmpty()) {
                out.append("  no setting that was tried gains 2 %\n");
            }
            for (Advice gain : answer.gains()) {
                PlainText.wrapped(out, "  " + gain.sentence(), "    ", width);
            }
        }
        return out.toString();
    }

    private static String subject(Doctor.Answer answer) {
        return String.join(", ", Subject.resolved(ScenarioResult.of("", List.of(answer.run()))));
    }

    private static void line(StringBuilder out, String text, int width) {
        PlainText.wrapped(out, text, "  ", width);
    }

    /** One document. */
    public static String json(Doctor.Answer answer) {
        return new JsonObject()
                .with("read", answer.understood().read())
                .with("understood", subject(answer))
                .with("assumed", answer.understood().left())
                .with("evidence", answer.understood().evidence())
                .with("explanation", ExplanationJson.object(answer.explanation()))
                .list(
                        "gains",
                        answer.gains(),
                        gain -> new JsonObject()
                                .with("title", gain.trial().title())
                                .with("set", gain.trial().settings())
                                .with("samples_per_second", gain.trial().samplesPerSecond())
                                .with("gain", gain.gain()))
                .text();
    }
}

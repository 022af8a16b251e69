package io.shardsim.scenarios.explaining;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.Subject;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.Paragraphs;
import java.util.List;

/** What a doctor says, for the terminal and for programs: what was understood, the explanation, and what gains most. */
public final class DoctorText {
    private DoctorText() {}

    /** At most {@code width} columns wide. */
    public static String write(Doctor.Answer answer, int width) {
        Paragraphs out = new Paragraphs(width);
        Doctor.Understood understood = answer.understood();
        out.line("Read: " + String.join("; ", understood.read()) + ".");
        out.line("Understood: " + subject(answer) + ".");
        if (!understood.left().isEmpty()) {
            out.line("Assumed, no file says: " + String.join(", ", understood.left()) + ".");
        }
        understood.evidence().forEach(out::line);
        out.asIs("\n" + ExplanationText.write(answer.explanation(), width));
        if (answer.explanation().fits()) {
            out.asIs("\nGains most, each simulated without a fault:\n");
            if (answer.gains().isEmpty()) {
                out.asIs("  no setting that was tried gains 2 %\n");
            }
            answer.gains().forEach(gain -> out.line("  " + gain.sentence(), "    "));
        }
        return out.toString();
    }

    private static String subject(Doctor.Answer answer) {
        return String.join(", ", Subject.resolved(ScenarioResult.of("", List.of(answer.run()))));
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

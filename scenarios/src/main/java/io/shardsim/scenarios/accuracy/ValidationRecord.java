package io.shardsim.scenarios.accuracy;

import io.shardsim.reports.validation.CaseOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes the outcomes of the published cases into the source tree: the recorded errors, the register of differences, and the counts in the documents. */
public final class ValidationRecord {
    private static final Path ERRORS = Path.of("scenarios", "accuracy", "errors.csv");
    static final Path DEVIATIONS = Path.of("scenarios", "accuracy", "DEVIATIONS.md");

    /** Documents that say how many figures there are. */
    static final List<Path> COUNTING = List.of(Path.of("README.md"), Path.of("docs", "validation.md"));

    private ValidationRecord() {}

    /**
     * Replaces both files, and what the documents say about them.
     *
     * @param root of the source tree
     * @param outcomes of all published cases
     */
    public static void write(Path root, List<ReferenceCase> cases, List<CaseOutcome> outcomes) throws IOException {
        List<RecordedErrors.Row> rows = rows(cases, outcomes);
        Files.writeString(root.resolve(ERRORS), RecordedErrors.write(rows));
        Path register = root.resolve(DEVIATIONS);
        Files.writeString(register, Deviations.update(Files.readString(register), Deviations.gaps(outcomes)));
        for (Path document : COUNTING) {
            Path file = root.resolve(document);
            Files.writeString(file, ValidationCounts.update(Files.readString(file), outcomes));
        }
    }

    static List<RecordedErrors.Row> rows(List<ReferenceCase> cases, List<CaseOutcome> outcomes) {
        Map<String, ReferenceCase> byId = new HashMap<>();
        cases.forEach(one -> byId.put(one.id(), one));
        List<RecordedErrors.Row> rows = new ArrayList<>();
        for (CaseOutcome outcome : outcomes) {
            ReferenceCase one = byId.get(outcome.id());
            Double simulated = outcome.simulated();
            if (one != null && simulated != null) {
                rows.add(new RecordedErrors.Row(
                        outcome.id(),
                        outcome.role(),
                        outcome.metric(),
                        outcome.measured(),
                        simulated,
                        Likeness.of(one.point()),
                        one.family(),
                        outcome.released()));
            }
        }
        return rows;
    }
}

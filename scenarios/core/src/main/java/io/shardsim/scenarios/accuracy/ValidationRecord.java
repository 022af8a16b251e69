package io.shardsim.scenarios.accuracy;

import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.writing.WholeFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes outcomes of the published cases into the source tree: recorded errors, first errors, the register of deviations, and counts in documents.
 */
public final class ValidationRecord {
    private static final Path ERRORS = Path.of("scenarios", "accuracy", "errors.csv");
    static final Path FIRST = Path.of("scenarios", "accuracy", "first.csv");
    static final Path DEVIATIONS = Path.of("scenarios", "accuracy", "DEVIATIONS.md");

    /** Documents that state how many figures there are. */
    static final List<Path> COUNTING = List.of(Path.of("README.md"), Path.of("docs", "validation.md"));

    private ValidationRecord() {}

    /**
     * Updates these files and documents.
     *
     * @param root root of the source tree
     * @param cases all published cases
     * @param simulated outcomes of the cases that ran; other cases keep their recorded outcomes
     * @param today day recorded for new figures
     */
    public static void write(Path root, List<ReferenceCase> cases, List<CaseOutcome> simulated, LocalDate today)
            throws IOException {
        List<CaseOutcome> outcomes = withRecorded(cases, simulated);
        Path firstFile = root.resolve(FIRST);
        FirstErrors first = FirstErrors.read(Files.readString(firstFile));
        first.enter(outcomes, today);
        replace(firstFile, first.write());
        replace(root.resolve(ERRORS), RecordedErrors.write(rows(cases, outcomes, first)));
        Path register = root.resolve(DEVIATIONS);
        replace(register, Deviations.update(Files.readString(register), Deviations.gaps(outcomes, first)));
        for (Path document : COUNTING) {
            Path file = root.resolve(document);
            replace(file, ValidationCounts.update(Files.readString(file), outcomes, first));
        }
    }

    private static List<CaseOutcome> withRecorded(List<ReferenceCase> cases, List<CaseOutcome> simulated) {
        Map<String, List<CaseOutcome>> ran = simulated.stream().collect(Collectors.groupingBy(CaseOutcome::id));
        return cases.stream()
                .flatMap(one ->
                        ran.getOrDefault(one.id(), RecordedErrors.builtIn().outcomes(List.of(one))).stream())
                .toList();
    }

    private static void replace(Path file, String text) throws IOException {
        WholeFiles.write(file, out -> out.write(text.getBytes(StandardCharsets.UTF_8)));
    }

    static List<RecordedErrors.Row> rows(List<ReferenceCase> cases, List<CaseOutcome> outcomes, FirstErrors first) {
        Map<String, ReferenceCase> byId = new HashMap<>();
        cases.forEach(one -> byId.put(one.id(), one));
        List<RecordedErrors.Row> rows = new ArrayList<>();
        for (CaseOutcome outcome : outcomes) {
            ReferenceCase one = byId.get(outcome.id());
            Double simulated = outcome.simulated();
            FirstErrors.Entry entry = first.of(outcome);
            if (one != null && simulated != null && entry != null) {
                rows.add(new RecordedErrors.Row(
                        new RecordedErrors.Published(
                                outcome.id(),
                                outcome.role(),
                                one.family(),
                                Likeness.parametersOf(one.point()),
                                one.confidence()),
                        outcome.metric(),
                        outcome.measured(),
                        simulated,
                        Likeness.of(one.point()),
                        outcome.released(),
                        entry.simulated()));
            }
        }
        return rows;
    }
}

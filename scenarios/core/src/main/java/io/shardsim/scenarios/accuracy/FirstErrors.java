package io.shardsim.scenarios.accuracy;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.validation.Metric;
import java.io.IOException;
import java.io.StringWriter;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What was simulated for each published figure when it was simulated first, and when that was: the file {@code accuracy/first.csv}. An entry is made once
 * and never changed, so that nobody can forget how far off the model was before anybody had looked.
 *
 * <p>Entries of before {@value #LOCKED_FROM} are the first that were kept: some of those figures had been looked at earlier. Later ones were locked: their case
 * was written down before it was simulated.
 */
final class FirstErrors {
    /** From this day on, a case is committed before it is simulated. */
    static final String LOCKED_FROM = "2026-11-25";

    private static final String[] HEADER = {"id", "metric", "added", "simulated"};

    /**
     * The first simulation of a figure.
     *
     * @param added day on which it was recorded
     */
    record Entry(String id, String metric, LocalDate added, double simulated) {
        boolean isLocked() {
            return !added.isBefore(LocalDate.parse(LOCKED_FROM));
        }
    }

    private final Map<String, Entry> entries = new LinkedHashMap<>();

    /** The entries of a file's text. */
    static FirstErrors read(String text) {
        FirstErrors first = new FirstErrors();
        try (CsvReader<NamedCsvRecord> csv = CsvReader.builder().ofNamedCsvRecord(text)) {
            csv.forEach(row -> first.put(new Entry(
                    row.getField(HEADER[0]),
                    row.getField(HEADER[1]),
                    LocalDate.parse(row.getField(HEADER[2])),
                    Double.parseDouble(row.getField(HEADER[3])))));
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return first;
    }

    private void put(Entry entry) {
        entries.putIfAbsent(entry.id() + " " + entry.metric(), entry);
    }

    /** The entry of a figure; null where it was never recorded. */
    @Nullable
    Entry of(CaseOutcome outcome) {
        return of(outcome.id(), outcome.metric());
    }

    @Nullable
    Entry of(String id, Metric metric) {
        return entries.get(id + " " + metric.id());
    }

    /** Enters the figures that are new. */
    void enter(List<CaseOutcome> outcomes, LocalDate today) {
        for (CaseOutcome outcome : outcomes) {
            Double simulated = outcome.simulated();
            if (simulated != null) {
                put(new Entry(outcome.id(), outcome.metric().id(), today, simulated));
            }
        }
    }

    /** The outcomes as they were first. */
    List<CaseOutcome> first(List<CaseOutcome> outcomes) {
        List<CaseOutcome> first = new ArrayList<>();
        for (CaseOutcome outcome : outcomes) {
            Entry entry = of(outcome);
            if (entry != null) {
                first.add(new CaseOutcome(
                        outcome.published(),
                        outcome.metric(),
                        outcome.measured(),
                        entry.simulated(),
                        outcome.fits(),
                        outcome.contest()));
            }
        }
        return first;
    }

    /** Those whose case was written down before it was simulated. */
    List<CaseOutcome> locked(List<CaseOutcome> outcomes) {
        return outcomes.stream()
                .filter(outcome -> {
                    Entry entry = of(outcome);
                    return entry != null && entry.isLocked();
                })
                .toList();
    }

    /** The text of the file. */
    String write() {
        StringWriter text = new StringWriter();
        try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text)) {
            csv.writeRecord(HEADER);
            for (Entry entry : entries.values()) {
                csv.writeRecord(
                        entry.id(), entry.metric(), entry.added().toString(), RecordedErrors.plain(entry.simulated()));
            }
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return text.toString();
    }
}

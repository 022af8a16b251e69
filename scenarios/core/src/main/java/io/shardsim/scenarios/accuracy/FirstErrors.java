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
 * The first simulated value of each published figure and its date, from {@code accuracy/first.csv}. Entries are never changed, so the model's error
 * before anyone had looked at a figure stays on record.
 *
 * <p>Entries before {@value #LOCKED_FROM} are the oldest kept: some of those figures had been looked at earlier. Later ones are locked: their case
 * was committed before it was simulated.
 */
final class FirstErrors {
    /** Day from which a case is committed before it is simulated. */
    static final String LOCKED_FROM = "2026-11-25";

    private static final String[] HEADER = {"id", "metric", "added", "simulated"};

    /**
     * A figure's first simulation.
     *
     * @param added day of the record
     */
    record Entry(String id, String metric, LocalDate added, double simulated) {
        boolean isLocked() {
            return !added.isBefore(LocalDate.parse(LOCKED_FROM));
        }
    }

    private final Map<String, Entry> entries = new LinkedHashMap<>();

    /** Reads entries from a file's text. */
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

    /** Returns the entry of a figure; null if it was never recorded. */
    @Nullable
    Entry of(CaseOutcome outcome) {
        return of(outcome.id(), outcome.metric());
    }

    @Nullable
    Entry of(String id, Metric metric) {
        return entries.get(id + " " + metric.id());
    }

    /** Adds new figures. */
    void enter(List<CaseOutcome> outcomes, LocalDate today) {
        for (CaseOutcome outcome : outcomes) {
            Double simulated = outcome.simulated();
            if (simulated != null) {
                put(new Entry(outcome.id(), outcome.metric().id(), today, simulated));
            }
        }
    }

    /** Returns outcomes with their first simulated values. */
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

    /** Returns outcomes whose case was committed before it was simulated. */
    List<CaseOutcome> locked(List<CaseOutcome> outcomes) {
        return outcomes.stream()
                .filter(outcome -> {
                    Entry entry = of(outcome);
                    return entry != null && entry.isLocked();
                })
                .toList();
    }

    /** Returns the file's text. */
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

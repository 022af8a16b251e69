package io.shardsim.scenarios.accuracy;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import io.shardsim.reports.ErrorInterval;
import io.shardsim.reports.Message;
import io.shardsim.reports.MessageCode;
import io.shardsim.reports.RunFacts;
import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.validation.Metric;
import io.shardsim.scenarios.catalog.Releases;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Recorded errors of the published cases, from which a run reports the errors of similar runs without simulating them: {@code accuracy/errors.csv},
 * written by {@code validate --record}. A test fails when the file is out of date.
 */
public final class RecordedErrors {
    private static final String FILE = "/accuracy/errors.csv";
    private static final List<String> HEADER =
            List.of(("id,role,metric,measured,simulated,work,architecture,gpu,strategy,nodes"
                            + ",gpus,size,sequence_length,source,by_framework,parameters,confidence,first")
                    .split(","));
    /** Factor over the largest cluster or sequence length after which a run mentions it. */
    private static final int BEYOND = 2;

    /** Maximum relative difference between two counts of one model's parameters. */
    private static final double SAME_MODEL = 0.01;

    private static final RecordedErrors BUILT_IN = new RecordedErrors(read());

    private final List<Row> rows;
    private final Map<String, Row> byFigure = new HashMap<>();
    private final List<Row> speeds;
    private final ErrorRanges training;
    private final ErrorRanges collectives;
    private final ErrorRanges memory;

    private RecordedErrors(List<Row> rows) {
        this.rows = rows;
        rows.forEach(row -> byFigure.put(key(row.id(), row.metric()), row));
        speeds = rows.stream()
                .filter(row ->
                        row.metric() != Metric.TFLOPS_PER_GPU && !row.metric().isMemory())
                .toList();
        training = new ErrorRanges(
                speeds.stream().filter(row -> row.likeness().isTraining()).toList(), Row::speedError);
        collectives = new ErrorRanges(
                speeds.stream().filter(row -> !row.likeness().isTraining()).toList(), Row::speedError);
        memory = new ErrorRanges(
                rows.stream().filter(row -> row.metric().isMemory()).toList(),
                (row, simulated) -> simulated / row.measured() - 1);
    }

    /**
     * A published run.
     *
     * @param role {@code validation} or {@code calibration}
     * @param source publication: the name of the file of cases
     * @param parameters parameter count of its model; 0 for a bare collective
     * @param confidence {@code high} if the source states everything that decides the figure
     */
    record Published(String id, String role, String source, long parameters, String confidence) {}

    /**
     * A figure of a case.
     *
     * @param likeness features of the case
     * @param released simulated value with settings from framework and release alone; null if the case names none
     * @param first first simulated value
     */
    record Row(
            Published run,
            Metric metric,
            double measured,
            double simulated,
            Likeness likeness,
            @Nullable Double released,
            double first) {
        String id() {
            return run.id();
        }

        String source() {
            return run.source();
        }

        /** Returns the error of a simulated speed; positive if the simulator is too fast. */
        double speedError(double simulated) {
            return metric.bias(measured, simulated);
        }

        /** Returns whether it set no constant. */
        boolean isValidation() {
            return run.role().equals("validation");
        }

        /** Returns whether the source states everything that decides the figure. */
        boolean saysAll() {
            return run.confidence().equals("high");
        }

        /** Returns measured samples per second; null if the figure needs the batch for that. */
        @Nullable
        Double samplesPerSecond() {
            return switch (metric) {
                case SAMPLES_PER_SECOND -> measured;
                case TOKENS_PER_SECOND_PER_GPU -> measured * likeness.gpus() / likeness.sequenceLength();
                default -> null;
            };
        }

        /** Returns whether it ran the same model on the same cluster with the same strategy. */
        boolean isOf(Likeness other, long parameters) {
            return likeness.distance(other) == 0 && Math.abs(parameters - run.parameters()) <= SAME_MODEL * parameters;
        }

        /** Returns today's simulated value for a user who knows framework and release. */
        double today() {
            return released == null ? simulated : released;
        }
    }

    public static RecordedErrors builtIn() {
        return BUILT_IN;
    }

    List<Row> rows() {
        return rows;
    }

    /** Returns the recorded outcomes of cases. */
    List<CaseOutcome> outcomes(List<ReferenceCase> cases) {
        List<CaseOutcome> outcomes = new ArrayList<>();
        for (ReferenceCase one : cases) {
            Function<Metric, @Nullable Row> rowOf = metric -> of(one.id(), metric);
            outcomes.addAll(one.outcomes(
                    metric -> figure(rowOf.apply(metric), Row::simulated),
                    metric -> figure(rowOf.apply(metric), Row::released),
                    true));
        }
        return outcomes;
    }

    /** Returns the record of a figure; null if none. */
    @Nullable
    Row of(String id, Metric metric) {
        return byFigure.get(key(id, metric));
    }

    private static String key(String id, Metric metric) {
        return id + " " + metric.id();
    }

    private static @Nullable Double figure(@Nullable Row row, Function<Row, @Nullable Double> figure) {
        return row == null ? null : figure.apply(row);
    }

    /** Adds the errors of similar runs to a run's facts. */
    public RunFacts annotate(RunFacts facts, ScenarioPoint point) {
        Likeness run = Likeness.of(point);
        List<Row> like =
                speeds.stream().filter(row -> row.likeness().sameWork(run)).toList();
        if (point.given().get("framework") instanceof String release && !Releases.isValidated(release)) {
            return facts.withAccuracy(
                    null,
                    List.of(),
                    List.of(new Message(
                            MessageCode.NOT_VALIDATED,
                            "not validated for " + release
                                    + ": no published run of that release was compared. Read the figures "
                                    + "as estimates.")));
        }
        ErrorRanges ranges = run.isTraining() ? training : collectives;
        return facts.withAccuracy(ranges.of(point).orElse(null), aboutMemory(point), warnings(run, like));
    }

    /** Returns the error range of a training's memory; null if no similar run published its peak. */
    public @Nullable ErrorInterval ofMemory(ScenarioPoint point) {
        return memory.of(point).orElse(null);
    }

    /** Returns the published run most similar to a point, whether or not its error applies there; empty if none is similar. */
    public Optional<ErrorInterval.Near> nearest(ScenarioPoint point) {
        return (point.task() instanceof Task.Training ? training : collectives).nearest(point);
    }

    /** Returns the ranges of training speeds, of collectives and of peak memory. */
    List<ErrorRanges> ranges() {
        return List.of(training, collectives, memory);
    }

    /** Returns a note on the error of peak memory, or that no similar peak was published; empty for a bare collective. */
    private List<String> aboutMemory(ScenarioPoint point) {
        if (!(point.task() instanceof Task.Training)) {
            return List.of();
        }
        return List.of(Optional.ofNullable(ofMemory(point))
                .map(ErrorInterval::sentenceOfMemory)
                .orElse("memory is not validated for runs like this"));
    }

    private static List<Message> warnings(Likeness run, List<Row> like) {
        List<Row> same = like.stream()
                .filter(row -> row.likeness().architecture().equals(run.architecture()))
                .toList();
        List<Message> warnings = new ArrayList<>();
        if (same.isEmpty()) {
            warnings.add(new Message(
                    MessageCode.NOT_VALIDATED,
                    "no published " + (run.work().equals("training") ? "training step" : run.work()) + " on "
                            + run.architecture() + " was compared. Read the figures as estimates."));
            return warnings;
        }
        long gpus = same.stream().mapToLong(row -> row.likeness().gpus()).max().orElse(0);
        if (run.gpus() > BEYOND * gpus) {
            warnings.add(new Message(
                    MessageCode.MORE_GPUS_THAN_VALIDATED,
                    run.gpus() + " GPUs: the largest validated run on " + run.architecture() + " has " + gpus + "."));
        }
        long tokens = same.stream()
                .mapToLong(row -> row.likeness().sequenceLength())
                .max()
                .orElse(0);
        if (run.sequenceLength() > BEYOND * tokens) {
            warnings.add(new Message(
                    MessageCode.LONGER_SEQUENCE_THAN_VALIDATED,
                    "sequence_length " + run.sequenceLength() + ": the longest validated one on " + run.architecture()
                            + " is " + tokens + "."));
        }
        return warnings;
    }

    /** Returns the file's text for some figures. */
    static String write(List<Row> rows) {
        StringWriter text = new StringWriter();
        try (CsvWriter csv = CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text)) {
            csv.writeRecord(HEADER);
            for (Row row : rows) {
                Likeness like = row.likeness();
                csv.writeRecord(
                        row.id(),
                        row.run().role(),
                        row.metric().id(),
                        plain(row.measured()),
                        plain(row.simulated()),
                        like.work(),
                        like.architecture(),
                        like.gpu(),
                        like.strategy(),
                        String.valueOf(like.nodes()),
                        String.valueOf(like.gpus()),
                        String.valueOf(like.size()),
                        String.valueOf(like.sequenceLength()),
                        row.source(),
                        row.released() == null ? "" : plain(row.released()),
                        String.valueOf(row.run().parameters()),
                        row.run().confidence(),
                        plain(row.first()));
            }
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return text.toString();
    }

    /** Formats a figure for files of errors. */
    static String plain(double value) {
        return new BigDecimal(value)
                .round(new MathContext(8))
                .stripTrailingZeros()
                .toPlainString();
    }

    private static List<Row> read() {
        InputStream resource = Objects.requireNonNull(RecordedErrors.class.getResourceAsStream(FILE), FILE);
        List<Row> rows = new ArrayList<>();
        try (CsvReader<NamedCsvRecord> csv = CsvReader.builder().ofNamedCsvRecord(resource)) {
            for (NamedCsvRecord row : csv) {
                if (!row.getHeader().equals(HEADER)) {
                    throw new IllegalStateException(FILE + " starts with " + row.getHeader() + ", not with " + HEADER);
                }
                rows.add(row(row.getFields()));
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(FILE, failure);
        }
        return List.copyOf(rows);
    }

    private static Row row(List<String> cells) {
        return new Row(
                new Published(cells.get(0), cells.get(1), cells.get(13), Long.parseLong(cells.get(15)), cells.get(16)),
                Metric.valueOf(cells.get(2).toUpperCase(Locale.ROOT)),
                Double.parseDouble(cells.get(3)),
                Double.parseDouble(cells.get(4)),
                new Likeness(
                        cells.get(5),
                        cells.get(6),
                        cells.get(7),
                        cells.get(8),
                        Integer.parseInt(cells.get(9)),
                        Integer.parseInt(cells.get(10)),
                        Long.parseLong(cells.get(11)),
                        Integer.parseInt(cells.get(12))),
                cells.get(14).isEmpty() ? null : Double.valueOf(cells.get(14)),
                Double.parseDouble(cells.get(17)));
    }
}

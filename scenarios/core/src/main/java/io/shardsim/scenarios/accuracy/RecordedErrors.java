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
 * The errors of the published cases as they were recorded, so that a run can say how far off its like were without simulating them: the file
 * {@code accuracy/errors.csv}, which {@code validate --record} writes. A test fails when it is no longer true.
 */
public final class RecordedErrors {
    private static final String FILE = "/accuracy/errors.csv";
    private static final List<String> HEADER =
            List.of(("id,role,metric,measured,simulated,work,architecture,gpu,strategy,nodes"
                            + ",gpus,size,sequence_length,source,by_framework,parameters,confidence,first")
                    .split(","));
    /** Largest cluster and sequence may be exceeded by this before a run says so. */
    private static final int BEYOND = 2;

    /** Parameters of one model, counted by two people, differ by at most this share. */
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
     * @param source where it was published: the name of the file of cases
     * @param parameters of its model; 0 for a bare collective
     * @param confidence {@code high} where the source says all that decides the figure
     */
    record Published(String id, String role, String source, long parameters, String confidence) {}

    /**
     * One figure of a case.
     *
     * @param likeness what the case ran
     * @param released what comes out with settings that follow from framework and release alone; null where the case names none
     * @param first what was simulated when it was simulated first
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

        /** Of a speed that was simulated for it: positive where the simulator is too fast. */
        double speedError(double simulated) {
            return metric.bias(measured, simulated);
        }

        /** Whether it has set no constant. */
        boolean isValidation() {
            return run.role().equals("validation");
        }

        /** Whether nothing that decides the figure is left open. */
        boolean saysAll() {
            return run.confidence().equals("high");
        }

        /** Samples per second that were measured; null where the figure does not say it without the batch. */
        @Nullable
        Double samplesPerSecond() {
            return switch (metric) {
                case SAMPLES_PER_SECOND -> measured;
                case TOKENS_PER_SECOND_PER_GPU -> measured * likeness.gpus() / likeness.sequenceLength();
                default -> null;
            };
        }

        /** Whether it ran the same model on the same cluster under the same strategy. */
        boolean isOf(Likeness other, long parameters) {
            return likeness.distance(other) == 0 && Math.abs(parameters - run.parameters()) <= SAME_MODEL * parameters;
        }

        /** What is simulated, as somebody gets it who knows framework and release. */
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

    /** The outcomes of cases as they were recorded. */
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

    /** What is recorded of a figure; null where nothing is. */
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

    /** The facts of a run with what its like say about it. */
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

    /** How far off the memory of a training is; null where no peak of a run like it was published. */
    public @Nullable ErrorInterval ofMemory(ScenarioPoint point) {
        return memory.of(point).orElse(null);
    }

    /** The published run that is most like a point, whether or not its error holds there; empty where none resembles it. */
    public Optional<ErrorInterval.Near> nearest(ScenarioPoint point) {
        return (point.task() instanceof Task.Training ? training : collectives).nearest(point);
    }

    /** The ranges of training speeds, of collectives and of peaks of memory. */
    List<ErrorRanges> ranges() {
        return List.of(training, collectives, memory);
    }

    /** How far off peaks of memory are, or that none like it was published; a bare collective has no memory. */
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

    /** The text of the file for some figures. */
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

    /** A figure as files of errors write it. */
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

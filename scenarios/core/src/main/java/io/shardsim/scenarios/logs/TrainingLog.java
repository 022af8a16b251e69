package io.shardsim.scenarios.logs;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.KeyFile;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ShippedFile;
import io.shardsim.simulator.yaml.YamlReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a log tells of a training: its speed, lines that show a fault or rule one out, and what they say was run. The resource {@code logs/formats.yaml} has the formats.
 *
 * @param speed null where no line tells it
 * @param findings by name of the fault
 * @param stated by what is said
 */
public record TrainingLog(
        String name, @Nullable Speed speed, Map<String, Finding> findings, Map<String, Stated> stated) {
    /** Letters of a line that are looked at. */
    private static final int LINE_MAX = 4096;
    /** Figures that are kept; a longer log has its first ones. */
    private static final int FIGURES_MAX = 1 << 20;
    /** Digits of a number of ranks or samples. */
    private static final int DIGITS_MAX = 9;
    /** Letters of a line that are cited. */
    private static final int CITED_MAX = 160;
    /** What sets a terminal's colour; a text that was pasted from a terminal may have lost the ESC before it. */
    private static final Pattern COLOUR = Pattern.compile("\\x1b?\\[(?:\\d{1,3}(?:;\\d{1,3})*)?m");

    static final Block TABLE = ShippedFile.read(
            TrainingLog.class,
            "/logs/formats.yaml",
            new BlockType(
                    KeyFile.named("log-keys").keys("logs", Map.of("text", ScalarTypes.text("(?s).*\\S.*", "a string"))),
                    false));

    public TrainingLog(String name, @Nullable Speed speed, Map<String, Finding> findings, Map<String, Stated> stated) {
        this.name = name;
        this.speed = speed;
        this.findings = Collections.unmodifiableMap(new LinkedHashMap<>(findings));
        this.stated = Collections.unmodifiableMap(new LinkedHashMap<>(stated));
    }

    /** A value that a line gives. */
    public record Stated(long value, int line) {
        /** A line that says {@link #BATCH}: the batch of the training step [samples]. */
        public static final String BATCH = "global batch size";
        /** Ranks of a communicator at least. */
        public static final String GPUS = "GPUs";
        /** At least. */
        public static final String NODES = "nodes";
    }

    /**
     * The speed of the steady steps: those without the first tenth, one at least.
     *
     * @param of what printed it
     * @param unit as people write it on the command line
     * @param median of the steady steps
     * @param steps that are counted
     * @param low below which a tenth of them lies
     * @param high above which a tenth of them lies
     */
    public record Speed(String of, String unit, double median, int steps, double low, double high) {
        static Speed of(Format format, double[] figures) {
            int first = figures.length < 3 ? 0 : Math.max(1, figures.length / 10);
            double[] steady = Arrays.copyOfRange(figures, first, figures.length);
            Arrays.sort(steady);
            int last = steady.length - 1;
            double median = (steady[last / 2] + steady[(last + 1) / 2]) / 2;
            return new Speed(
                    format.of(), format.unit(), median, steady.length, steady[last / 10], steady[last - last / 10]);
        }
    }

    /** A line that shows a fault, or that there is none. */
    public record Finding(boolean shown, int line, String text) {}

    /** @param total steps of the progress bar that shows it; 0 of other lines */
    private record Figure(double value, long total) {}

    private record Format(String of, String has, List<Pattern> patterns, String unit, double times) {
        private static final String UNIT = "unit";
        private static final String FIGURE = "figure";
        private static final String TOTAL = "total";

        static Format of(Block block) {
            String unit = block.text(UNIT, "");
            String figure = block.text(FIGURE);
            return new Format(
                    block.text("of", ""),
                    block.text("has", ""),
                    figure == null ? WrittenSpeed.inLines(unit) : List.of(Pattern.compile(figure)),
                    unit,
                    block.decimal("times", 1));
        }

        /** Null where the line has none. */
        @Nullable
        Figure in(String line) {
            if (line.contains(has)) {
                for (Pattern pattern : patterns) {
                    Matcher matcher = pattern.matcher(line);
                    if (matcher.find()) {
                        Figure figure = figure(matcher);
                        return figure.value() > 0 && figure.value() < Double.POSITIVE_INFINITY ? figure : null;
                    }
                }
            }
            return null;
        }

        private Figure figure(Matcher matcher) {
            String figure = hasGroup(matcher, FIGURE) ? matcher.group(FIGURE) : matcher.group(1);
            double value = hasGroup(matcher, UNIT)
                    ? WrittenSpeed.number(figure, matcher.group(UNIT))
                    : WrittenSpeed.number(figure);
            return new Figure(times * value, hasGroup(matcher, TOTAL) ? Long.parseLong(matcher.group(TOTAL)) : 0);
        }

        private static boolean hasGroup(Matcher matcher, String name) {
            return matcher.pattern().pattern().contains("(?<" + name + ">");
        }
    }

    private record Evidence(String fault, boolean shown, String has, Pattern pattern) {
        static Evidence of(Block block) {
            return new Evidence(
                    block.text("fault", ""),
                    block.flag("shown", false),
                    block.text("has", ""),
                    Pattern.compile(block.text("line", "")));
        }

        boolean isIn(String line) {
            return line.contains(has) && pattern.matcher(line).find();
        }
    }

    private record Statement(String key, String has, Pattern pattern, long plus, long least) {
        static Statement of(Block block) {
            return new Statement(
                    block.text("key", ""),
                    block.text("has", ""),
                    Pattern.compile(block.text("line", "")),
                    block.whole("plus", 0),
                    block.whole("least", 0));
        }

        /** 0 where a line says nothing. */
        long in(String line) {
            Matcher matcher = line.contains(has) ? pattern.matcher(line) : null;
            if (matcher == null || !matcher.find()) {
                return 0;
            }
            long most = least;
            for (int group = 1; group <= matcher.groupCount(); group++) {
                String digits = matcher.group(group);
                most = Math.max(most, digits.length() > DIGITS_MAX ? 0 : Long.parseLong(digits) + plus);
            }
            return most;
        }
    }

    /** Whether a line tells anything. */
    public boolean isKnown() {
        return speed != null || !findings.isEmpty();
    }

    /** A line with its place. */
    public String cited(Finding finding) {
        return YamlReader.printable(name) + " line " + finding.line() + ": " + finding.text();
    }

    /** Names of the faults that lines can tell of. */
    static List<String> faults() {
        return TABLE.<Block>list("evidence").stream()
                .map(each -> each.text("fault", ""))
                .distinct()
                .toList();
    }

    /** What prints speeds that are known. */
    public static List<String> kinds() {
        return TABLE.<Block>list("speeds").stream()
                .map(each -> each.text("of", ""))
                .distinct()
                .toList();
    }

    /** What a file tells, line by line however long it is; nothing where it is no log that is known. */
    public static TrainingLog read(String name) throws IOException {
        try (Reader in = new InputStreamReader(Files.newInputStream(Path.of(name)), StandardCharsets.ISO_8859_1)) {
            return read(name, in);
        }
    }

    /** The same of a text that is read elsewhere. */
    public static TrainingLog read(String name, Reader in) throws IOException {
        Scan scan = new Scan();
        BufferedReader buffered = new BufferedReader(in, 1 << 16);
        StringBuilder line = new StringBuilder();
        for (int letter = buffered.read(); letter >= 0; letter = buffered.read()) {
            if (letter == '\n' || letter == '\r') {
                scan.line(line, letter == '\n');
                line.setLength(0);
            } else if (line.length() < LINE_MAX) {
                line.append((char) letter);
            }
        }
        scan.line(line, true);
        return new TrainingLog(name, scan.speed(), scan.findings(), scan.stated);
    }

    /** One pass over a log. */
    private static final class Scan {
        private final List<Format> formats =
                TABLE.<Block>list("speeds").stream().map(Format::of).toList();
        private final List<Evidence> evidence =
                TABLE.<Block>list("evidence").stream().map(Evidence::of).toList();
        private final List<Statement> statements =
                TABLE.<Block>list("stated").stream().map(Statement::of).toList();
        private final Map<String, Stated> stated = new LinkedHashMap<>();
        private final Map<Format, double[]> figures = new LinkedHashMap<>();
        private final int[] counts = new int[formats.size()];
        private final long[] totals = new long[formats.size()];
        private final Finding[] found = new Finding[evidence.size()];
        private int number = 1;

        /** @param whole whether the next line has the next number; a progress bar writes over itself */
        void line(CharSequence letters, boolean whole) {
            String line = COLOUR.matcher(letters).replaceAll("");
            for (int i = 0; i < formats.size(); i++) {
                Figure figure = formats.get(i).in(line);
                if (figure != null) {
                    add(i, figure);
                    break;
                }
            }
            for (int i = 0; i < found.length; i++) {
                if (found[i] == null && evidence.get(i).isIn(line)) {
                    String plain = line.strip().replaceAll("[^ -~]", "?");
                    found[i] = new Finding(
                            evidence.get(i).shown(),
                            number,
                            plain.length() > CITED_MAX ? plain.substring(0, CITED_MAX) + "..." : plain);
                }
            }
            for (Statement statement : statements) {
                long value = statement.in(line);
                Stated before = stated.get(statement.key());
                if (value > 0 && (before == null || statement.key().equals(Stated.BATCH) || value > before.value())) {
                    stated.put(statement.key(), new Stated(value, number));
                }
            }
            number += whole ? 1 : 0;
        }

        /** Of progress bars the longest counts: that of an evaluation has fewer steps than that of its training. */
        private void add(int format, Figure figure) {
            if (figure.total() > totals[format]) {
                totals[format] = figure.total();
                counts[format] = 0;
            }
            if (figure.total() == totals[format] && counts[format] < FIGURES_MAX) {
                double[] before = figures.getOrDefault(formats.get(format), new double[16]);
                double[] room = counts[format] < before.length ? before : Arrays.copyOf(before, 2 * before.length);
                room[counts[format]++] = figure.value();
                figures.put(formats.get(format), room);
            }
        }

        @Nullable
        Speed speed() {
            for (int i = 0; i < formats.size(); i++) {
                if (counts[i] > 0) {
                    double[] all = Objects.requireNonNull(figures.get(formats.get(i)));
                    return Speed.of(formats.get(i), Arrays.copyOf(all, counts[i]));
                }
            }
            return null;
        }

        Map<String, Finding> findings() {
            Map<String, Finding> findings = new LinkedHashMap<>();
            for (int i = 0; i < found.length; i++) {
                if (found[i] != null) {
                    findings.putIfAbsent(evidence.get(i).fault(), found[i]);
                }
            }
            return findings;
        }
    }
}

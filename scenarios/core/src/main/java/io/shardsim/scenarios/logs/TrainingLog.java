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
 * What a training log shows: the speed, lines that show or rule out a fault, and facts about the run. The resource {@code logs/formats.yaml} defines
 * the formats.
 *
 * @param speed null if no line has one
 * @param findings findings by fault
 * @param stated stated values by name
 */
public record TrainingLog(
        String name, @Nullable Speed speed, Map<String, Finding> findings, Map<String, Stated> stated) {
    /** Maximum characters read per line. */
    private static final int LINE_MAX = 4096;
    /** Maximum number of figures kept; the first ones of a longer log. */
    private static final int FIGURES_MAX = 1 << 20;
    /** Maximum digits of a number of ranks or samples. */
    private static final int DIGITS_MAX = 9;
    /** Maximum characters quoted per line. */
    private static final int CITED_MAX = 160;
    /** A terminal colour code; text pasted from a terminal may lack the ESC before it. */
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

    /** A value stated in a line. */
    public record Stated(long value, int line) {
        /** Name of the stated batch of a training step [samples]. */
        public static final String BATCH = "global batch size";
        /** Name of the stated minimum number of GPUs, a communicator's ranks. */
        public static final String GPUS = "GPUs";
        /** Name of the stated minimum number of nodes. */
        public static final String NODES = "nodes";
    }

    /**
     * The speed of steady steps: all but the first tenth, at least one.
     *
     * @param of name of the program that printed it
     * @param unit unit as written on the command line
     * @param median median of the steady steps
     * @param steps number of steady steps
     * @param low 10th percentile
     * @param high 90th percentile
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

    /** A line that shows a fault, or its absence. */
    public record Finding(boolean shown, int line, String text) {}

    /** @param total total steps of the progress bar; 0 for other lines */
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

        /** Returns the figure of a line; null if there is none. */
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

        /** Returns the value in a line; 0 if there is none. */
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

    /** Returns whether any line was recognized. */
    public boolean isKnown() {
        return speed != null || !findings.isEmpty();
    }

    /** Quotes a line with its position. */
    public String cited(Finding finding) {
        return YamlReader.printable(name) + " line " + finding.line() + ": " + finding.text();
    }

    /** Returns names of the faults that lines can show. */
    static List<String> faults() {
        return TABLE.<Block>list("evidence").stream()
                .map(each -> each.text("fault", ""))
                .distinct()
                .toList();
    }

    /** Returns names of programs whose speeds are recognized. */
    public static List<String> kinds() {
        return TABLE.<Block>list("speeds").stream()
                .map(each -> each.text("of", ""))
                .distinct()
                .toList();
    }

    /** Reads a file line by line, whatever its length; the result is empty if its format is unknown. */
    public static TrainingLog read(String name) throws IOException {
        try (Reader in = new InputStreamReader(Files.newInputStream(Path.of(name)), StandardCharsets.ISO_8859_1)) {
            return read(name, in);
        }
    }

    /** Reads a log from a reader. */
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

    /** A pass over a log. */
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

        /** @param whole whether the line advances the line number; a progress bar overwrites its line */
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

        /** Adds a figure. The longest progress bar counts: an evaluation has fewer steps than its training. */
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

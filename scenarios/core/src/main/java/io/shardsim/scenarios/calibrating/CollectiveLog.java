package io.shardsim.scenarios.calibrating;

import io.shardsim.scenarios.calibrating.CollectiveTest.Row;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads nccl-tests output: the tables of all releases that print one, and JSON (version 2.17 on, {@code -J}). Launchers may prefix each line, and a
 * log may hold several tests, or end early.
 */
final class CollectiveLog {
    /** Programs whose collective is simulated. */
    private static final Map<String, CollectiveKind> PROGRAMS = Map.of(
            "all_reduce", CollectiveKind.ALL_REDUCE,
            "all_gather", CollectiveKind.ALL_GATHER,
            "reduce_scatter", CollectiveKind.REDUCE_SCATTER,
            "alltoall", CollectiveKind.ALL_TO_ALL,
            "broadcast", CollectiveKind.BROADCAST,
            "sendrecv", CollectiveKind.SEND_RECV);

    private static final Pattern PROGRAM = Pattern.compile("\\b([a-z]+(?:_[a-z]+)?)_perf\\b");
    private static final Pattern RANK = Pattern.compile("Rank +(\\d{1,6}) .*?\\bon +(\\S+) +device +(\\d+) +\\[");
    private static final Pattern BEGINNING = Pattern.compile("# +nThreads?:? +(\\d+) +nGpus:? +(\\d+) ");
    private static final Pattern HEADER = Pattern.compile("# +(size +count +.*)$");
    private static final Pattern ROW = Pattern.compile(
            "(?:^|[\\s:>|])(\\d+) +(\\d+) +(?:float|half|double|b?float\\d+|fp\\d+|f8e\\wm\\w|u?int\\d+|char|bf16)\\b *(.*)$");
    /** Columns after the type; older releases lack the first. */
    private static final List<String> USUAL =
            List.of("redop", "root", "time", "algbw", "busbw", "error", "time", "algbw", "busbw", "error");

    /** Rounding error of printed figures, which have two decimals, or three digits for large times. */
    private static final double PRINTED = 0.006;
    /** Allowed difference between figures of a table, beyond rounding. */
    private static final double TOLERANCE = 0.02;

    private static final double TOLERANCE_ROUGH = 0.06;
    /** More GPUs than one nccl-tests process uses. */
    private static final int GPUS_MAX = 64;

    /** Ratio of bus to algorithm bandwidth above which a collective is an all-reduce, 2 (n - 1) / n; all others move a buffer at most once. */
    private static final double MORE_THAN_ONCE = 1.05;
    /** Ranks above which two decimals of a rate no longer reveal their number. */
    private static final int RANKS_TOLD = 64;

    private final Problems problems;
    private final @Nullable CollectiveKind asked;
    private final int gpus;
    private final List<CollectiveTest> tests = new ArrayList<>();
    private final Set<String> others = new LinkedHashSet<>();

    private @Nullable CollectiveKind kind;
    private Map<Integer, String> hosts = new LinkedHashMap<>();
    private List<String> columns = USUAL;
    private List<Row> rows = new ArrayList<>();
    private List<Double> factors = new ArrayList<>();
    private boolean known = true;

    private CollectiveLog(String file, @Nullable CollectiveKind asked, int gpus) {
        problems = new Problems(file);
        this.asked = asked;
        this.gpus = gpus;
    }

    /**
     * Reads a file.
     *
     * @param asked the collective if no line names it; null if unknown
     * @param gpus number of GPUs if no line says it; 0 if unknown
     * @throws InputException with every invalid line
     */
    static List<CollectiveTest> read(String file, String text, @Nullable CollectiveKind asked, int gpus)
            throws InputException {
        CollectiveLog log = new CollectiveLog(file, asked, gpus);
        if (text.stripLeading().startsWith("{")) {
            log.document(text);
        } else {
            String[] lines = text.split("\\R", -1);
            for (int i = 0; i < lines.length; i++) {
                log.line(i + 1, lines[i], i + 1 == lines.length);
            }
        }
        log.finish();
        if (log.tests.isEmpty() && log.problems.size() == 0) {
            log.problems.add(
                    Position.START,
                    log.others.isEmpty()
                            ? "has no nccl-tests table; pass the output of all_reduce_perf or all_gather_perf"
                            : "has tables of " + String.join(", ", log.others)
                                    + " only, which is not simulated; pass one of "
                                    + String.join(
                                            ", ",
                                            PROGRAMS.keySet().stream().sorted().toList()));
        }
        log.problems.throwIfAny();
        return log.tests;
    }

    /** Returns whether a text has a table row, or is a document. */
    static boolean hasTable(String text) {
        return text.stripLeading().startsWith("{")
                || text.lines().anyMatch(line -> ROW.matcher(line).find());
    }

    /** Returns whether an arbitrary text is test output. */
    static boolean isOne(String text) {
        return hasTable(text)
                && (!text.stripLeading().startsWith("{")
                        || PROGRAM.matcher(text).results().anyMatch(found -> PROGRAMS.containsKey(found.group(1))));
    }

    private void line(int number, String line, boolean last) {
        Matcher program = PROGRAM.matcher(line);
        // Inside a table, the program's name is part of a warning.
        boolean begins = rows.isEmpty() || line.contains("starting") || line.contains("_perf -");
        if (begins && program.find() && !line.contains("concluded")) {
            begin(program.group(1));
            return;
        }
        Matcher beginning = BEGINNING.matcher(line);
        if (beginning.find()) {
            finish();
            return;
        }
        Matcher rank = RANK.matcher(line);
        if (rank.find()) {
            hosts.put(Integer.parseInt(rank.group(1)), rank.group(2));
            return;
        }
        Matcher header = HEADER.matcher(line);
        if (header.find()) {
            List<String> names = Arrays.asList(header.group(1).strip().split(" +"));
            columns = names.subList(names.indexOf("type") < 0 ? 2 : names.indexOf("type") + 1, names.size());
            return;
        }
        Matcher row = ROW.matcher(line);
        if (row.find()) {
            row(number, row, last);
        }
    }

    private void begin(String name) {
        finish();
        kind = PROGRAMS.get(name);
        known = kind != null;
        if (!known) {
            others.add(name + "_perf");
        }
    }

    /** Reads a table row; the last one of a truncated log may be incomplete. */
    private void row(int number, Matcher row, boolean last) {
        List<String> figures =
                new ArrayList<>(Arrays.asList(row.group(3).strip().split("\\s+")));
        if (columns.contains("timestamp") && figures.size() > 1) {
            figures.subList(figures.size() - 2, figures.size()).clear();
        }
        List<String> names =
                columns.stream().filter(name -> !name.equals("timestamp")).toList();
        int time = names.indexOf("time") < 0 ? names.indexOf("cputime") : names.indexOf("time");
        int shift = figures.size() - names.size();
        // Releases leave operation or root empty if there is none; both come before the first time.
        if (time < 0 || shift > 0 || time + shift < 0 || time + shift + 2 >= figures.size()) {
            if (!last) {
                problems.add(
                        new Position(number, 1),
                        "a row of " + figures.size() + " figures under a header of " + names.size()
                                + "; remove it, or pass the log as nccl-tests wrote it");
            }
            return;
        }
        if (last && Double.isNaN(number(figures.get(time + shift)))) {
            return;
        }
        figures(
                number,
                row.group(1),
                figures.get(time + shift),
                figures.get(time + shift + 1),
                figures.get(time + shift + 2));
    }

    private void figures(int number, String size, String time, String algorithm, String bus) {
        double us = number(time);
        double algorithmRate = number(algorithm);
        double busRate = number(bus);
        long bytes = size.matches("\\d{1,18}") ? Long.parseLong(size) : 0;
        if (!(us > 0) || Double.isNaN(algorithmRate) || Double.isNaN(busRate)) {
            if (bytes > 0) {
                problems.add(
                        new Position(number, 1),
                        "time " + YamlReader.printable(time) + ", algbw " + YamlReader.printable(algorithm)
                                + ", busbw " + YamlReader.printable(bus)
                                + " are not valid results; remove the row");
            }
            return;
        }
        // Times of ten seconds and more are printed like 1.8e+07.
        boolean rough = time.contains("e");
        double expected = bytes / us / 1e3;
        double tolerance = rough ? TOLERANCE_ROUGH : TOLERANCE;
        if (Math.abs(expected - algorithmRate) > PRINTED + tolerance * Math.max(expected, algorithmRate)) {
            problems.add(
                    new Position(number, 1),
                    bytes + " B in " + time + " us are " + round(expected) + " GB/s, and algbw says " + algorithm
                            + "; the row is damaged: remove it");
            return;
        }
        if (bytes > 0) {
            rows.add(new Row(number, bytes, rough && algorithmRate > 0 ? bytes / algorithmRate / 1e9 : us / 1e6));
            if (algorithmRate > 1) {
                factors.add(busRate / algorithmRate);
            }
        }
    }

    private static String round(double rate) {
        return String.format(Locale.ROOT, "%.3g", rate);
    }

    private static double number(String text) {
        return text.matches("\\d+(\\.\\d+)?(e[+-]?\\d{1,2})?") ? Double.parseDouble(text) : Double.NaN;
    }

    /** Ends a test and starts the next one. */
    private void finish() {
        if (!rows.isEmpty() && known) {
            int ranks = !hosts.isEmpty() ? Collections.max(hosts.keySet()) + 1 : gpus > 0 ? gpus : ranksByFactor();
            CollectiveKind meant = kind != null ? kind : asked;
            if (meant == null && factor() > MORE_THAN_ONCE) {
                meant = CollectiveKind.ALL_REDUCE;
            }
            if (meant == null) {
                problems.add(
                        new Position(rows.get(0).line(), 1),
                        "no line before this table names the collective; add --collective, for example all_gather");
            } else if (ranks < 2) {
                problems.add(
                        new Position(rows.get(0).line(), 1),
                        hosts.isEmpty()
                                ? "no line before this table gives the number of GPUs; keep the lines \"# Rank 0 "
                                        + "... device\", or add --nodes"
                                : "1 GPU measures no network; pass a log of several GPUs");
            } else {
                rows.sort(Comparator.comparingLong(Row::bytes));
                tests.add(new CollectiveTest(problems.file(), meant, ranks, nodes(), rows));
            }
        }
        if (!rows.isEmpty()) {
            hosts = new LinkedHashMap<>();
            kind = null;
            known = true;
        }
        rows = new ArrayList<>();
        factors = new ArrayList<>();
    }

    /** Returns the number of hosts; 0 if the lines of ranks are missing, or all host names were replaced by one. */
    private int nodes() {
        return (int) hosts.values().stream().distinct().count();
    }

    private double factor() {
        return factors.stream()
                .mapToDouble(Double::doubleValue)
                .sorted()
                .skip(factors.size() / 2)
                .findFirst()
                .orElse(0);
    }

    /** Returns the number of ranks implied by the bus bandwidth of an all-reduce, all-gather or reduce-scatter; 0 if there is none. */
    private int ranksByFactor() {
        double share = factor() > MORE_THAN_ONCE ? factor() / 2 : factor();
        double ranks = 1 / (1 - share);
        return share > 0.4 && ranks <= RANKS_TOLD ? (int) Math.round(ranks) : 0;
    }

    private static int driven(JsonNode root, String key) {
        return Math.max(1, Math.min(GPUS_MAX, root.path("config").path(key).asInt(1)));
    }

    /** Reads a document written by {@code -J}. */
    private void document(String text) {
        JsonNode root;
        try {
            root = JsonMapper.shared().readTree(text);
        } catch (JacksonException broken) {
            problems.add(
                    new Position(
                            broken.getLocation() == null
                                    ? 1
                                    : Math.max(1, broken.getLocation().getLineNr()),
                            1),
                    "is incomplete: the JSON ends or breaks here; run the test again, or pass its text output");
            return;
        }
        JsonNode arguments = root.path("args");
        Matcher program = PROGRAM.matcher(arguments.path(0).asString(""));
        if (program.find()) {
            begin(program.group(1));
        }
        int rank = 0;
        for (JsonNode device : root.path("config").path("devices")) {
            // Only the first rank of each process is listed.
            int first = device.path("rank").asInt(rank);
            int each = driven(root, "ngpus") * driven(root, "nthreads");
            for (int i = 0; i < each; i++) {
                hosts.put(first + i, device.path("hostname").asString(""));
            }
            rank = first + each;
        }
        for (JsonNode result : root.path("results")) {
            JsonNode figures =
                    result.path("out_of_place").isObject() ? result.path("out_of_place") : result.path("in_place");
            JsonNode time = figures.has("time") ? figures.path("time") : figures.path("cpu_time");
            figures(
                    1,
                    result.path("size").asString("0"),
                    time.asString(""),
                    figures.path("alg_bw").asString(""),
                    figures.path("bus_bw").asString(""));
        }
        if (rows.isEmpty() && known) {
            problems.add(
                    Position.START,
                    "is JSON without nccl-tests results; pass the output of -J (nccl-tests 2.17 or later)");
        }
    }
}

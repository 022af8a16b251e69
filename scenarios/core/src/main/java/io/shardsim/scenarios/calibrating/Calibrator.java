package io.shardsim.scenarios.calibrating;

import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.explaining.Explainer;
import io.shardsim.scenarios.explaining.Explanation;
import io.shardsim.scenarios.explaining.FurtherRuns;
import io.shardsim.scenarios.explaining.HardwareLimit;
import io.shardsim.scenarios.explaining.Measured;
import io.shardsim.scenarios.logs.TrainingLog;
import io.shardsim.scenarios.scenario.OpenedFile;
import io.shardsim.scenarios.scenario.Overrides;
import io.shardsim.scenarios.scenario.ScenarioKeys;
import io.shardsim.scenarios.scenario.SweptFile;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.topology.InstanceSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Determines a cluster's rates from nccl-tests measurements. */
public final class Calibrator {
    /** Share of the predicted rate below which a test looks broken [1]. */
    static final double BROKEN = 0.75;
    /** Size below which rates reflect latency [bytes]. */
    static final long LARGE = 64L << 20;

    /** Difference within which a test runs at a rate [1]. */
    private static final double AT_RATE = 0.05;
    /** Size above which a rate hardly changes, and simulations take longer [bytes]. */
    private static final long TELLING = 1L << 30;

    private static final String KIT = "/calibrating/kit.py";

    private final FurtherRuns runs;
    private final Explainer explainer;

    public Calibrator(RunnerFactory runners, int threads) {
        runs = new FurtherRuns(runners, threads);
        explainer = new Explainer(runners, threads);
    }

    /** Returns a Python script that measures a node and prints logs for this class. */
    public static String kit() {
        try (InputStream in = Objects.requireNonNull(Calibrator.class.getResourceAsStream(KIT), KIT)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(KIT, failure);
        }
    }

    /** Returns whether a text is a log with measurements. */
    public static boolean reads(String text) {
        return CollectiveLog.isOne(text) || KernelRuns.isIn(text);
    }

    /**
     * The measurements, and what they were taken on.
     *
     * @param base the assumed instance
     * @param logs log texts by file
     * @param profiles files of profiles
     * @param collective collective of logs that do not name it; null if unknown
     * @param nodes number of nodes of logs that do not say it; 0 if unknown
     * @param healthy whether to exclude tests that look broken
     */
    public record Question(
            Base base,
            Map<String, String> logs,
            List<String> profiles,
            @Nullable CollectiveKind collective,
            int nodes,
            boolean healthy) {
        InstanceSpec instance() {
            return base.with(Map.of());
        }
    }

    /**
     * A test far below the prediction.
     *
     * @param test the test
     * @param expectedBytesPerSecond bus bandwidth of its largest size that the catalog predicts [bytes/s]
     * @param explanation possible cause
     */
    public record Broken(CollectiveTest test, double expectedBytesPerSecond, Explanation explanation) {}

    /**
     * Reads measurements and fits figures.
     *
     * @return null if interrupted
     * @throws InputException with every invalid line
     */
    public @Nullable Calibration calibrate(Question question, ProgressListener progress) throws InputException {
        List<TrainingLog> lines = evidence(question);
        List<CollectiveTest> tests = read(question, lines);
        KernelRuns kernels = new KernelRuns(question.base());
        for (Map.Entry<String, String> log : question.logs().entrySet()) {
            kernels.read(log.getKey(), log.getValue());
        }
        for (String profile : question.profiles()) {
            kernels.readProfile(profile);
        }
        Simulated simulated = new Simulated(question.base(), runs, progress);
        try {
            List<Broken> broken = broken(question, tests, lines, simulated, progress);
            List<CollectiveTest> used = new ArrayList<>(tests);
            if (question.healthy()) {
                broken.forEach(each -> used.remove(each.test()));
            }
            List<String> unexplained = new ArrayList<>();
            return new Calibration(
                    question.base(),
                    tests,
                    broken,
                    fit(used, true, question, simulated, unexplained),
                    fit(used, false, question, simulated, unexplained),
                    kernels.fit(question.healthy() ? kernels.broken().keySet() : Set.of()),
                    kernels,
                    unexplained);
        } catch (Simulated.Interrupted interrupted) {
            return null;
        }
    }

    private static Fit fit(
            List<CollectiveTest> tests,
            boolean inNode,
            Question question,
            Simulated simulated,
            List<String> unexplained) {
        List<Simulated.Size> sizes = tests.stream()
                .filter(test -> (test.nodes() == 1) == inNode)
                .flatMap(test -> test.rows().stream().map(row -> new Simulated.Size(test, row)))
                .toList();
        List<Parameter> parameters = inNode ? Parameter.IN_NODE : Parameter.BETWEEN_NODES;
        List<Simulated.Size> large =
                sizes.stream().filter(size -> size.row().bytes() >= LARGE).toList();
        Fit kept = fit(sizes, large, parameters, question, simulated);
        if (!kept.values().containsKey(parameters.get(0)) && !large.isEmpty() && large.size() < sizes.size()) {
            // If small sizes contradict the known latency, the rate is fitted to large sizes only.
            Fit rate = fit(large, large, parameters.subList(0, 1), question, simulated);
            kept = rate.values().isEmpty() ? kept : rate.leaving(parameters.subList(1, parameters.size()));
        }
        unexplained.addAll(off(large, simulated.seconds(large, kept.resolved())));
        return kept;
    }

    private static Fit fit(
            List<Simulated.Size> sizes,
            List<Simulated.Size> large,
            List<Parameter> parameters,
            Question question,
            Simulated simulated) {
        Fit fit = Fit.of(
                sizes.stream().map(Simulated.Size::sample).toList(),
                parameters,
                question.instance(),
                changed -> simulated.seconds(sizes, changed));
        // If most large sizes stay far off, a fitted figure would only hide that.
        boolean hides = 2 * off(large, simulated.seconds(large, fit.resolved())).size() > large.size();
        return hides ? Fit.none(List.of()) : fit;
    }

    /** Returns sizes whose simulated times are over a quarter off, in words. */
    private static List<String> off(List<Simulated.Size> sizes, double[] seconds) {
        return IntStream.range(0, seconds.length)
                .filter(i -> Math.abs(sizes.get(i).row().seconds() / seconds[i] - 1) > 1 - BROKEN)
                .mapToObj(i -> sizes.get(i).compared(seconds[i]) + ". No figure of an instance file explains it.")
                .toList();
    }

    /** Reads every test, with the number of nodes that its log states. */
    private static List<CollectiveTest> read(Question question, List<TrainingLog> evidence) throws InputException {
        List<CollectiveTest> tests = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        int gpus = question.instance().gpusPerNode();
        Set<String> lines = evidence.stream()
                .filter(log -> !log.findings().isEmpty())
                .map(TrainingLog::name)
                .collect(Collectors.toSet());
        for (Map.Entry<String, String> log : question.logs().entrySet()) {
            // NCCL_DEBUG=INFO output and tables of kernels may be in separate files.
            if ((lines.contains(log.getKey()) || KernelRuns.isIn(log.getValue()))
                    && !CollectiveLog.hasTable(log.getValue())) {
                continue;
            }
            try {
                for (CollectiveTest test : CollectiveLog.read(
                        log.getKey(), log.getValue(), question.collective(), question.nodes() * gpus)) {
                    tests.add(onNodes(test, question, gpus));
                }
            } catch (InputException refused) {
                problems.addAll(refused.problems());
            }
        }
        if (!problems.isEmpty()) {
            throw new InputException(problems);
        }
        return tests;
    }

    /** Reads log lines that show or rule out a fault, such as NCCL_DEBUG=INFO output. */
    private static List<TrainingLog> evidence(Question question) {
        List<TrainingLog> logs = new ArrayList<>();
        question.logs().forEach((name, text) -> {
            try {
                logs.add(TrainingLog.read(name, new StringReader(text)));
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        });
        return logs;
    }

    private static CollectiveTest onNodes(CollectiveTest test, Question question, int gpus) throws InputException {
        int fewest = (test.ranks() + gpus - 1) / gpus;
        // In published logs, all host names are often replaced by one.
        int nodes = question.nodes() > 0 ? question.nodes() : Math.max(fewest, test.nodes());
        if (test.ranks() % nodes != 0 || test.ranks() / nodes > gpus || nodes > ScenarioKeys.NODES_MAX) {
            throw new InputException(
                    test.file(),
                    test.ranks() + " ranks on " + nodes + " nodes do not go by " + gpus + " GPUs of "
                            + question.base().name() + "; add --nodes, or name the instance with --base");
        }
        String beyond =
                HardwareLimit.beyond(test.kind(), test.busBytesPerSecond(), question.instance(), nodes, test.ranks());
        if (beyond != null) {
            throw new InputException(List.of(new Problem(test.file(), Position.NONE, beyond + ", which --base names")));
        }
        return test.on(nodes);
    }

    /** Returns tests whose largest size is far below the prediction, each with a possible cause. */
    private List<Broken> broken(
            Question question,
            List<CollectiveTest> tests,
            List<TrainingLog> lines,
            Simulated simulated,
            ProgressListener progress)
            throws InputException {
        List<Broken> broken = new ArrayList<>();
        for (CollectiveTest test : tests) {
            CollectiveTest.Row largest = test.largest();
            double seconds = simulated.seconds(List.of(new Simulated.Size(test, largest)), Map.of())[0];
            if (largest.bytes() >= LARGE
                    && seconds < BROKEN * largest.seconds()
                    && !isRingAtNicRate(test, question.instance())) {
                Explanation explanation = explanation(question, test, lines, progress);
                if (explanation == null) {
                    throw new Simulated.Interrupted();
                }
                broken.add(new Broken(test, test.busBytesPerSecond(largest, seconds), explanation));
            }
        }
        return broken;
    }

    /** On two nodes a tree, which is simulated, reaches up to twice the rate of the NICs. A ring, which older releases prefer, reaches just that. */
    private static boolean isRingAtNicRate(CollectiveTest test, InstanceSpec instance) {
        double nics =
                (double) instance.nicsPerNode() * instance.nic().effectiveRate().bytesPerSecond();
        return test.kind() == CollectiveKind.ALL_REDUCE
                && test.nodes() == 2
                && test.ranks() == 2 * instance.gpusPerNode()
                && Math.abs(test.busBytesPerSecond() / nics - 1) < AT_RATE;
    }

    /** Returns why a test is slow, from a size that tells the rate, and two smaller ones. */
    private @Nullable Explanation explanation(
            Question question, CollectiveTest test, List<TrainingLog> lines, ProgressListener progress)
            throws InputException {
        List<CollectiveTest.Row> rows = test.rows();
        CollectiveTest.Row largest = rows.stream()
                .filter(row -> row.bytes() <= TELLING)
                .reduce((smaller, larger) -> larger)
                .filter(row -> row.bytes() >= LARGE)
                .orElse(test.largest());
        StringBuilder used = new StringBuilder();
        Simulated.ofUsed(question.instance(), test)
                .forEach((key, value) ->
                        used.append(", ").append(key).append(": ").append(value));
        String scenario = "scenario: " + test.kind().id() + "\ncluster: {instance: "
                + question.base().name() + ", nodes: " + test.nodes() + used
                + "}\nworkload: {collective: " + test.kind().id() + ", size: " + largest.bytes()
                + " B}\n";
        OpenedFile opened =
                OpenedFile.stream("calibrate", new ByteArrayInputStream(scenario.getBytes(StandardCharsets.UTF_8)));
        List<Measured> measured = new ArrayList<>(List.of(measured(test, largest, Map.of())));
        Stream.of(16L, 256L)
                .map(part -> rows.stream()
                        .filter(row -> row.bytes() == largest.bytes() / part && row.bytes() >= 1 << 20)
                        .findFirst())
                .flatMap(Optional::stream)
                .forEach(row -> measured.add(measured(test, row, Map.of("workload.size", row.bytes() + " B"))));
        return explainer.explain(
                new Explainer.Subject(test.file(), SweptFile.of(opened, Overrides.NONE), 0),
                Explainer.Evidence.of(measured, Set.of(), lines),
                progress);
    }

    private static Measured measured(CollectiveTest test, CollectiveTest.Row row, Map<String, String> at) {
        return new Measured(test.busBytesPerSecond(row, row.seconds()) / 1e9, Measured.Unit.BUS_BANDWIDTH, at);
    }

    /** Cancels the running simulations. */
    public void interrupt() {
        runs.interrupt();
        explainer.interrupt();
    }
}

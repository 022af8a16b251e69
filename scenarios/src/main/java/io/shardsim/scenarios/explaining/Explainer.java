package io.shardsim.scenarios.explaining;

import io.shardsim.reports.ErrorInterval;
import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.accuracy.RecordedErrors;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.SweptFile;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds the fault that makes a healthy run as slow as somebody measured, by running it with each known fault.
 *
 * <p>A fault is as likely as it is common, times the density with which simulated speeds of published runs lie as far from measured ones as that of the run with the
 * fault. The strengths of a fault share its odds. So of two faults that fit alike the more common one comes first, and one that does not fit loses to any that does.
 */
public final class Explainer {
    /** The error where no similar run was published. */
    private static final double ERROR_UNKNOWN = 0.15;

    /** Events of a run with a fault, beyond which it is given up: some four seconds. */
    private static final long EVENTS_MAX = 12_000_000;

    private static final String STRATEGY = "strategy.";

    private final FurtherRuns further;

    public Explainer(RunnerFactory runners, int threads) {
        further = new FurtherRuns(runners, threads);
    }

    /**
     * The run that was measured.
     *
     * @param name as the command line names it
     * @param place of the run in the file's sweep, from 0
     */
    public record Subject(String name, SweptFile file, int place) {
        /**
         * The run of a name.
         *
         * @throws InputException where no run is meant, or several are
         */
        public static Subject of(RunName name, SweptFile file) throws InputException {
            return new Subject(name.written(), file, name.place(file.values()));
        }

        ScenarioPoint point(Map<String, String> changes) throws InputException {
            return file.point(place, changes);
        }
    }

    /**
     * A fault of one strength, before it has run.
     *
     * @param settings that make it in each log's run
     * @param points one for each log; empty where it is not simulated
     */
    record Case(
            String fault,
            KnownFault known,
            String title,
            List<Map<String, String>> settings,
            List<ScenarioPoint> points) {
        double odds() {
            return (double) known.odds() / known.strengths().size();
        }
    }

    /**
     * Explains.
     *
     * @param measured what logs show, of the run or of others that differ in a few values; a speed at least
     * @param ruledOut names of faults that somebody has looked for and not found
     * @return null where it was interrupted
     * @throws InputException where a log is not of such a run
     * @throws IllegalStateException where a run breaks a rule of the model
     */
    public @Nullable Explanation explain(
            Subject subject, List<Measured> measured, Set<String> ruledOut, ProgressListener progress)
            throws InputException {
        if (measured.stream().allMatch(log -> log.unit().isMemory())) {
            throw new InputException(List.of(new Problem(
                    "--measured",
                    Position.NONE,
                    "memory alone says nothing of speed; add one such as '1000 tokens/s/GPU'")));
        }
        requireOneEach(measured);
        List<ScenarioPoint> points = new ArrayList<>();
        for (Measured log : measured) {
            points.add(point(subject, log));
        }
        PointRuns first = further.runWhole(points, options -> options, progress);
        if (first == null) {
            return null;
        }
        List<Explanation.Log> logs = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            RunResult healthy = first.resultOf(points.get(i));
            logs.add(new Explanation.Log(
                    measured.get(i),
                    healthy,
                    expected(
                            measured.get(i).unit().isMemory()
                                    ? RecordedErrors.builtIn().ofMemory(points.get(i))
                                    : healthy.facts().accuracy())));
        }
        Explanation alone = Explanation.of(
                subject.name(),
                logs,
                List.of(),
                new Explanation.Others(List.of(), List.of(), List.of(), List.copyOf(new TreeSet<>(ruledOut))));
        if (alone.verdict() != Explanation.Verdict.UNEXPLAINED) {
            return alone;
        }
        List<Case> cases = cases(subject, points, logs, ruledOut);
        PointRuns runs = further.runWhole(
                cases.stream().flatMap(one -> one.points().stream()).toList(),
                options -> options.within(EVENTS_MAX),
                progress);
        if (runs == null) {
            return null;
        }
        Explanation single = explanation(alone, cases, runs);
        return single.verdict() == Explanation.Verdict.EXPLAINED
                ? single
                : new BeyondSingleFaults(subject, single, further, EVENTS_MAX, progress).tried(cases);
    }

    /** Logs count as independent of each other, which two figures of one run in one unit are not. */
    private static void requireOneEach(List<Measured> measured) throws InputException {
        for (int i = 0; i < measured.size(); i++) {
            Measured log = measured.get(i);
            for (Measured before : measured.subList(0, i)) {
                if (log.unit() == before.unit() && log.at().equals(before.at())) {
                    throw new InputException(List.of(new Problem(
                            "--measured",
                            Position.NONE,
                            before.words(before.value()) + " and " + log.words(log.value())
                                    + " are of the same run; give one of them, or say where they differ, for example '"
                                    + log.words(log.value()) + " at cluster.nodes=1'")));
                }
            }
        }
    }

    private static ScenarioPoint point(Subject subject, Measured log) throws InputException {
        ScenarioPoint point = subject.point(log.at());
        boolean training = point.task() instanceof Task.Training;
        if (!log.unit().isOf(training)) {
            throw new InputException(
                    subject.name(),
                    (training ? "is a training, of which no " : "is a bare collective, of which no ")
                            + log.unit().words() + " is logged; write "
                            + (training ? "'1000 tokens/s/GPU'" : "'45 GB/s busbw' or '0.1 s'"));
        }
        return point;
    }

    private static List<Case> cases(
            Subject subject, List<ScenarioPoint> points, List<Explanation.Log> logs, Set<String> ruledOut) {
        List<Case> cases = new ArrayList<>();
        for (String name : KnownFault.names()) {
            if (ruledOut.contains(name)) {
                continue;
            }
            KnownFault fault = KnownFault.named(name);
            for (KnownFault.Variant strength : fault.strengths()) {
                String title = strength.title().isEmpty() ? fault.title() : fault.title() + ": " + strength.title();
                if (fault.unsimulated() != null) {
                    cases.add(new Case(name, fault, title, List.of(Map.of()), List.of()));
                    continue;
                }
                List<Map<String, String>> each =
                        points.stream().map(point -> settings(strength, point)).toList();
                List<ScenarioPoint> changed = new ArrayList<>();
                for (int i = 0; i < points.size(); i++) {
                    ScenarioPoint with = changed(subject, logs.get(i).measured().at(), each.get(i));
                    if (with != null) {
                        changed.add(with);
                    }
                }
                if (!each.get(0).isEmpty() && changed.size() == points.size()) {
                    cases.add(new Case(name, fault, title, each, changed));
                }
            }
        }
        return cases;
    }

    private static boolean isAtMemoryEdge(RunResult run) {
        return run.training() != null
                && MemoryWords.isAtEdge(run.facts().ledger().fit());
    }

    /** What makes the fault in this cluster and with this strategy; empty where there is nothing to break. */
    private static Map<String, String> settings(KnownFault.Variant strength, ScenarioPoint point) {
        Map<String, String> settings = new LinkedHashMap<>();
        strength.settings().forEach((key, value) -> {
            if (!key.startsWith(STRATEGY) || hasParameter(point, key.substring(STRATEGY.length()))) {
                settings.put(key, value);
            }
        });
        strength.times()
                .forEach((key, factor) ->
                        settings.put(key, scaled(point.cluster().instance(), key, factor)));
        return settings;
    }

    private static boolean hasParameter(ScenarioPoint point, String parameter) {
        return point.task() instanceof Task.Training training
                && training.strategy().descriptor().parameter(parameter) != null;
    }

    private static String scaled(InstanceSpec instance, String key, double factor) {
        return switch (key) {
            case "cluster.nics_per_node" -> String.valueOf(Math.max(1, Math.round(instance.nicsPerNode() * factor)));
            case "cluster.pcie" -> rate(instance.pcie().linkRate(), factor);
            case "faults.slow_nic" -> rate(instance.nic().lineRate(), factor);
            default -> throw new IllegalArgumentException("times has no " + key);
        };
    }

    private static String rate(Bandwidth rate, double factor) {
        return rate.scaled(factor).bytesPerSecond() + " B/s";
    }

    /** A run with the fault; null where the strategy cannot run so. */
    static @Nullable ScenarioPoint changed(Subject subject, Map<String, String> at, Map<String, String> settings) {
        Map<String, String> values = new LinkedHashMap<>(at);
        values.putAll(settings);
        try {
            return subject.point(values);
        } catch (InputException impossible) {
            return null;
        }
    }

    static Explanation explanation(Explanation alone, List<Case> cases, PointRuns runs) {
        List<Explanation.Suspect> suspects = new ArrayList<>();
        List<String> same = new ArrayList<>();
        List<String> large = new ArrayList<>();
        List<String> tooLong = new ArrayList<>();
        for (Case one : cases) {
            List<RunResult> ran = one.points().stream()
                    .map(runs::result)
                    .filter(Objects::nonNull)
                    .toList();
            if (ran.size() < one.points().size()) {
                tooLong.add(one.title());
            } else if (!ran.stream().allMatch(RunResult::fits)) {
                large.add(one.title());
            } else if (!ran.isEmpty() && changesNothing(ran, alone.logs())) {
                same.add(one.title());
            } else if (!ran.isEmpty() || isPossible(one.known(), alone.logs())) {
                suspects.add(suspect(one, ran, alone.logs()));
            }
        }
        return Explanation.of(
                alone.name(),
                alone.logs(),
                suspects,
                new Explanation.Others(same, large, tooLong, alone.others().ruledOut()));
    }

    private static boolean changesNothing(List<RunResult> runs, List<Explanation.Log> logs) {
        for (int i = 0; i < runs.size(); i++) {
            if (logs.get(i).figure(runs.get(i))
                    != logs.get(i).figure(logs.get(i).healthy())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPossible(KnownFault fault, List<Explanation.Log> logs) {
        return !Objects.requireNonNull(fault.unsimulated()).atMemoryEdge()
                || logs.stream().anyMatch(log -> isAtMemoryEdge(log.healthy()));
    }

    private static Explanation.Suspect suspect(Case one, List<RunResult> runs, List<Explanation.Log> logs) {
        List<Double> deviations = new ArrayList<>();
        for (int i = 0; i < logs.size(); i++) {
            deviations.add(
                    runs.isEmpty()
                            ? beyond(one.known(), logs.get(i))
                            : logs.get(i).deviations(runs.get(i)));
        }
        double squares = deviations.stream().mapToDouble(each -> each * each).sum();
        return new Explanation.Suspect(
                one.fault(),
                one.title(),
                one.settings().get(0),
                one.known().look(),
                runs,
                deviations,
                one.odds() * StrictMath.exp(-squares / 2),
                0);
    }

    /** By how many standard deviations a measured speed lies beyond what an unsimulated fault was seen to cost. */
    private static double beyond(KnownFault fault, Explanation.Log log) {
        KnownFault.Unsimulated unsimulated = Objects.requireNonNull(fault.unsimulated());
        boolean happens = !unsimulated.atMemoryEdge() || isAtMemoryEdge(log.healthy());
        double most = happens && log.isSpeed() ? unsimulated.slowdownMax() : 1;
        double times = log.timesAsFast();
        if (!log.isSpeed()) {
            return log.expected().deviations(times);
        }
        return times > most ? Math.max(0, log.expected().deviations(times / most)) : 0;
    }

    private static Explanation.Expected expected(@Nullable ErrorInterval accuracy) {
        return accuracy == null
                ? new Explanation.Expected(StrictMath.log1p(-ERROR_UNKNOWN), StrictMath.log1p(ERROR_UNKNOWN), false)
                : new Explanation.Expected(StrictMath.log1p(accuracy.low()), StrictMath.log1p(accuracy.high()), true);
    }

    /** Stops what runs and begins nothing further. */
    public void interrupt() {
        further.interrupt();
    }
}

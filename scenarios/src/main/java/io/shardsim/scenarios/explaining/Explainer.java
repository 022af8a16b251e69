package io.shardsim.scenarios.explaining;

import io.shardsim.reports.ErrorInterval;
import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.SweptFile;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.YamlReader;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
     * @param set values in place of the file's, by dotted key
     */
    public record Subject(String name, SweptFile file, int place, Map<String, String> set) {
        /**
         * The run of a name.
         *
         * @param set values in place of the file's, {@code KEY=VALUE} each
         * @throws InputException where no run is meant, or several are
         */
        public static Subject of(RunName name, SweptFile file, List<String> set) throws InputException {
            Map<String, String> values = new LinkedHashMap<>();
            for (String written : set) {
                int equals = written.indexOf('=');
                if (equals < 1) {
                    throw new InputException(
                            "--set", YamlReader.printable(written) + " is no KEY=VALUE; write training.micro_batch=4");
                }
                values.put(written.substring(0, equals).strip(), written.substring(equals + 1));
            }
            return new Subject(name.written(), file, name.place(file.values()), values);
        }

        ScenarioPoint point(Map<String, String> changes) throws InputException {
            Map<String, String> values = new LinkedHashMap<>(set);
            values.putAll(changes);
            return file.point(place, values);
        }
    }

    /** A fault of one strength, before it has run; a null point is not simulated. */
    private record Case(
            String fault,
            KnownFault known,
            String title,
            Map<String, String> settings,
            @Nullable ScenarioPoint point) {
        double odds() {
            return (double) known.odds() / known.strengths().size();
        }
    }

    /**
     * Explains.
     *
     * @return null where it was interrupted
     * @throws InputException where the file describes no training
     * @throws IllegalStateException where a run breaks a rule of the model
     */
    public @Nullable Explanation explain(Subject subject, Measured measured, ProgressListener progress)
            throws InputException {
        ScenarioPoint point = subject.point(Map.of());
        boolean training = point.task() instanceof Task.Training;
        if (!measured.unit().isOf(training)) {
            throw new InputException(
                    subject.name(),
                    (training ? "is a training, of which no " : "is a bare collective, of which no ")
                            + measured.unit().words() + " is logged; write "
                            + (training ? "'1000 tokens/s/GPU'" : "'45 GB/s busbw' or '0.1 s'"));
        }
        PointRuns first = further.runWhole(List.of(point), options -> options, progress);
        if (first == null) {
            return null;
        }
        RunResult healthy = Objects.requireNonNull(first.result(point), "no result");
        Explanation alone = Explanation.of(
                subject.name(),
                healthy,
                measured,
                expected(healthy.facts().accuracy()),
                List.of(),
                new Explanation.Others(List.of(), List.of(), List.of()));
        if (alone.verdict() != Explanation.Verdict.UNEXPLAINED) {
            return alone;
        }
        List<Case> cases = cases(subject, point, healthy);
        List<ScenarioPoint> points =
                cases.stream().map(Case::point).filter(Objects::nonNull).toList();
        PointRuns runs = further.runWhole(points, options -> options.within(EVENTS_MAX), progress);
        return runs == null ? null : explanation(alone, cases, runs);
    }

    private static List<Case> cases(Subject subject, ScenarioPoint point, RunResult healthy) {
        List<Case> cases = new ArrayList<>();
        for (String name : KnownFault.names()) {
            KnownFault fault = KnownFault.named(name);
            KnownFault.Unsimulated unsimulated = fault.unsimulated();
            if (unsimulated != null && unsimulated.atMemoryEdge() && !isAtMemoryEdge(healthy)) {
                continue;
            }
            for (KnownFault.Variant strength : fault.strengths()) {
                String title = strength.title().isEmpty() ? fault.title() : fault.title() + ": " + strength.title();
                Map<String, String> settings = settings(strength, point);
                if (unsimulated != null) {
                    cases.add(new Case(name, fault, title, Map.of(), null));
                } else if (!settings.isEmpty()) {
                    ScenarioPoint changed = changed(subject, settings);
                    if (changed != null) {
                        cases.add(new Case(name, fault, title, settings, changed));
                    }
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

    /** The run with the fault; null where the strategy cannot run so. */
    private static @Nullable ScenarioPoint changed(Subject subject, Map<String, String> settings) {
        try {
            return subject.point(settings);
        } catch (InputException impossible) {
            return null;
        }
    }

    private static Explanation explanation(Explanation alone, List<Case> cases, PointRuns runs) {
        RunResult healthy = alone.healthy();
        Measured measured = alone.measured();
        Explanation.Expected expected = alone.expected();
        List<Explanation.Suspect> suspects = new ArrayList<>();
        List<String> same = new ArrayList<>();
        List<String> large = new ArrayList<>();
        List<String> tooLong = new ArrayList<>();
        for (Case one : cases) {
            RunResult run = one.point() == null ? null : runs.result(one.point());
            if (one.point() == null) {
                suspects.add(suspect(one, null, beyond(one, measured, healthy, expected)));
            } else if (run == null) {
                tooLong.add(one.title());
            } else if (!run.fits()) {
                large.add(one.title());
            } else if (Measured.Unit.seconds(run) == Measured.Unit.seconds(healthy)) {
                same.add(one.title());
            } else {
                suspects.add(suspect(one, run, expected.deviations(measured.timesAsFast(run))));
            }
        }
        return Explanation.of(
                alone.name(), healthy, measured, expected, suspects, new Explanation.Others(same, large, tooLong));
    }

    private static Explanation.Suspect suspect(Case one, @Nullable RunResult run, double deviations) {
        return new Explanation.Suspect(
                one.fault(),
                one.title(),
                one.settings(),
                one.known().look(),
                run,
                deviations,
                one.odds() * StrictMath.exp(-deviations * deviations / 2),
                0);
    }

    /** By how many standard deviations the measured speed lies beyond what an unsimulated fault was seen to cost. */
    private static double beyond(Case one, Measured measured, RunResult healthy, Explanation.Expected expected) {
        double times = measured.timesAsFast(healthy);
        double most = Objects.requireNonNull(one.known().unsimulated()).slowdownMax();
        return times > most ? Math.max(0, expected.deviations(times / most)) : 0;
    }

    private static Explanation.Expected expected(@Nullable ErrorInterval accuracy) {
        return accuracy == null
                ? new Explanation.Expected(StrictMath.log1p(-ERROR_UNKNOWN), StrictMath.log1p(ERROR_UNKNOWN))
                : new Explanation.Expected(StrictMath.log1p(accuracy.low()), StrictMath.log1p(accuracy.high()));
    }

    /** Stops what runs and begins nothing further. */
    public void interrupt() {
        further.interrupt();
    }
}

package io.shardsim.scenarios.explaining;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.Trial;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.evaluation.Trials;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Prices every resource and every setting of training runs, by changing one at a time. */
public final class WhatIf {
    /** Maximum number of runs priced in a sweep; each takes some fifty runs. */
    private static final int RUNS_MAX = 4;

    /** Events after which a changed run is given up: some four seconds. */
    private static final long EVENTS_MAX = 12_000_000;

    /** Limit on a changed run as a multiple of the priced run's events. */
    private static final long EVENTS_FACTOR = 4;

    private static final String NODES = "cluster.nodes";

    private final FurtherRuns further;

    public WhatIf(RunnerFactory runners, int threads) {
        further = new FurtherRuns(runners, threads);
    }

    /**
     * A run to price.
     *
     * @param name name on the command line
     */
    public record Subject(RunName name, ScenarioPoint point) {}

    /**
     * Returns the selected run, or for a sweep each series on its largest cluster that fits.
     *
     * @throws InputException if nothing can be priced, or too much
     */
    public static List<Subject> subjects(RunName name, Scenario scenario) throws InputException {
        List<Map<String, Object>> values =
                scenario.points().stream().map(ScenarioPoint::values).toList();
        List<Integer> places = name.choice() == null && scenario.points().size() > 1
                ? largest(scenario.points())
                : List.of(name.place(values));
        if (places.size() > RUNS_MAX) {
            name.place(values);
        }
        List<Subject> subjects = new ArrayList<>();
        for (int place : places) {
            if (!(scenario.points().get(place).task() instanceof Task.Training)) {
                throw new InputException(
                        name.written(), "is a bare collective and has no settings to vary; name a training run");
            }
            subjects.add(new Subject(
                    places.size() == 1 && name.choice() != null
                            ? name
                            : new RunName(
                                    name.file(), scenario.points().size() == 1 ? null : String.valueOf(place + 1)),
                    scenario.points().get(place)));
        }
        return subjects;
    }

    /** Among runs that differ only in the number of nodes, returns the largest that fits, or else the largest. */
    private static List<Integer> largest(List<ScenarioPoint> points) {
        Map<Map<String, Object>, Integer> bySeries = new LinkedHashMap<>();
        IntStream.range(0, points.size()).forEach(place -> {
            Map<String, Object> series = new LinkedHashMap<>(points.get(place).values());
            series.remove(NODES);
            Integer old = bySeries.get(series);
            if (old == null || isBetter(points.get(place), points.get(old))) {
                bySeries.put(series, place);
            }
        });
        return List.copyOf(bySeries.values());
    }

    private static boolean isBetter(ScenarioPoint one, ScenarioPoint other) {
        boolean fits = PointSimulation.fits(one);
        boolean otherFits = PointSimulation.fits(other);
        return fits != otherFits
                ? fits
                : one.cluster().nodes() > other.cluster().nodes();
    }

    /** Runs that price a run, before they are executed. */
    private record Runs(Subject subject, RunResult run, Map<Resource, List<ScenarioPoint>> resources, Trials trials) {
        static Runs of(Subject subject, RunResult run) {
            Map<Resource, List<ScenarioPoint>> resources = new LinkedHashMap<>();
            if (run.training() != null) {
                for (Resource resource : Resource.values()) {
                    resources.put(
                            resource,
                            List.of(with(subject.point(), resource, true), with(subject.point(), resource, false)));
                }
            }
            return new Runs(subject, run, resources, Trials.ofEverySetting(subject.point(), run));
        }

        private static ScenarioPoint with(ScenarioPoint point, Resource resource, boolean better) {
            Cluster cluster = resource.changed(point.cluster(), better);
            return point.with(Map.of(resource.words(), better ? "better" : "worse"), cluster, point.task());
        }

        List<ScenarioPoint> points() {
            List<ScenarioPoint> all = new ArrayList<>();
            resources.values().forEach(all::addAll);
            all.addAll(trials.points());
            return all;
        }

        Prices prices(PointRuns runs) {
            double usual = run.training() == null ? 0 : run.step().samplesPerSecond();
            List<Prices.Priced> priced = new ArrayList<>();
            resources.forEach((resource, both) -> {
                RunResult better = runs.result(both.get(0));
                RunResult worse = runs.result(both.get(1));
                if (better != null && worse != null) {
                    priced.add(Prices.Priced.of(
                            resource,
                            usual,
                            better.step().samplesPerSecond(),
                            worse.step().samplesPerSecond()));
                }
            });
            List<Prices.Knob> knobs = new ArrayList<>();
            List<Trial> same = new ArrayList<>();
            List<Trial> large = new ArrayList<>();
            for (Trials.Tried tried : trials.tried(runs)) {
                Trial trial = tried.trial();
                if (!trial.fit().fits()) {
                    large.add(trial);
                } else if (tried.same()) {
                    same.add(trial);
                } else {
                    knobs.add(new Prices.Knob(trial, trial.samplesPerSecond() / usual - 1));
                }
            }
            return new Prices(
                    subject.name().written(),
                    run,
                    priced,
                    knobs,
                    new Prices.Others(same, large, trials.titles(runs::isGivenUp)));
        }
    }

    /**
     * Runs everything.
     *
     * @return null if interrupted
     * @throws IllegalStateException if a run violates an invariant of the model
     */
    public @Nullable List<Prices> price(List<Subject> subjects, ProgressListener progress) {
        PointRuns first = run(subjects.stream().map(Subject::point).toList(), Long.MAX_VALUE, progress);
        if (first == null) {
            return null;
        }
        List<Runs> all = subjects.stream()
                .map(subject -> Runs.of(subject, first.resultOf(subject.point())))
                .toList();
        long eventsMax = all.stream()
                .mapToLong(each -> EVENTS_FACTOR * each.run().effort().executedEvents())
                .reduce(EVENTS_MAX, Math::max);
        PointRuns changed =
                run(all.stream().flatMap(each -> each.points().stream()).toList(), eventsMax, progress);
        return changed == null
                ? null
                : all.stream().map(each -> each.prices(changed)).toList();
    }

    private @Nullable PointRuns run(List<ScenarioPoint> points, long eventsMax, ProgressListener progress) {
        return further.runWhole(points, options -> options.within(eventsMax), progress);
    }

    /** Cancels the runs and starts no more. */
    public void interrupt() {
        further.interrupt();
    }
}

package io.shardsim.scenarios.explaining;

import io.shardsim.reports.ErrorInterval;
import io.shardsim.reports.MemoryWords;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.accuracy.RecordedErrors;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.logs.TrainingLog;
import io.shardsim.scenarios.profiling.ProfileEvidence;
import io.shardsim.scenarios.profiling.ProfiledStep;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.SweptFile;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the fault that makes a healthy run as slow as measured, by simulating it with each known fault.
 *
 * <p>A fault's likelihood is its prior times the probability density of its error, from the simulation errors of published runs. Strengths of a fault
 * share its prior. So of two faults that fit equally well the more common one comes first, and one that does not fit loses to any that does.
 */
public final class Explainer {
    /** Assumed error if no similar run was published. */
    private static final double ERROR_UNKNOWN = 0.15;

    /** Events after which a run with a fault is given up: some four seconds. */
    private static final long EVENTS_MAX = 12_000_000;
    /** Limit on such a run as a multiple of the healthy run's events. */
    private static final int EVENTS_FACTOR = 2;

    /** Events of all fault runs together if the answer must be quick: some twelve seconds on one core. */
    private static final long ALL_EVENTS_MAX = 36_000_000;
    /** Limit on all fault runs as a multiple of the healthy runs' events. */
    private static final int ALL_EVENTS_FACTOR = 4;

    /** Standard deviations from the measurement beyond which still milder or stronger faults are not run. */
    private static final double FAR = 3;

    /** What a profile's step takes over the measured one: said, for profiling takes time; and refused. */
    private static final double PROFILE_SLOWER = 1.1;

    private static final double PROFILE_SLOWER_MAX = 1.5;

    private static final String STRATEGY = "strategy.";

    private final FurtherRuns further;

    public Explainer(RunnerFactory runners, int threads) {
        further = new FurtherRuns(runners, threads);
    }

    /**
     * The measured run.
     *
     * @param name name on the command line
     * @param place index of the run in the file's sweep, from 0
     */
    public record Subject(String name, SweptFile file, int place) {
        /**
         * Returns the run of a name.
         *
         * @throws InputException if the name selects no run, or several
         */
        public static Subject of(RunName name, SweptFile file) throws InputException {
            return new Subject(name.written(), file, name.place(file.values()));
        }

        /** Returns the run with some values changed, by dotted key. */
        public ScenarioPoint point(Map<String, String> changes) throws InputException {
            return file.point(place, changes);
        }
    }

    /**
     * Evidence about a run.
     *
     * @param measured measurements of the run, or of others that differ in a few values; at least one is a speed
     * @param ruledOut names of faults that were checked and excluded
     * @param shown log line by the name of the fault that it shows
     * @param profiled profiles of the run itself; null if there are none
     * @param pairs whether to try pairs of faults if no single one fits, and all faults whatever they cost
     */
    public record Evidence(
            List<Measured> measured,
            Set<String> ruledOut,
            Map<String, String> shown,
            @Nullable ProfiledStep profiled,
            boolean pairs) {
        public Evidence(
                List<Measured> measured,
                Set<String> ruledOut,
                Map<String, String> shown,
                @Nullable ProfiledStep profiled,
                boolean pairs) {
            this.measured = List.copyOf(measured);
            this.ruledOut = ruledOut;
            this.shown = Collections.unmodifiableMap(new LinkedHashMap<>(shown));
            this.profiled = profiled;
            this.pairs = pairs;
        }

        /**
         * Creates evidence with findings from logs.
         *
         * @param told faults that the user excludes, whatever a log shows
         */
        public static Evidence of(List<Measured> measured, Set<String> told, List<TrainingLog> logs) {
            Set<String> ruledOut = new TreeSet<>(told);
            Map<String, String> shown = new LinkedHashMap<>();
            for (TrainingLog log : logs) {
                log.findings().forEach((fault, finding) -> {
                    if (finding.shown() && !told.contains(fault)) {
                        shown.putIfAbsent(fault, log.cited(finding));
                    } else if (!finding.shown()) {
                        ruledOut.add(fault);
                    }
                });
            }
            ruledOut.removeAll(shown.keySet());
            return new Evidence(measured, ruledOut, shown, null, false);
        }

        /** Creates evidence without logs. */
        public static Evidence of(List<Measured> measured, Set<String> ruledOut) {
            return new Evidence(measured, ruledOut, Map.of(), null, true);
        }

        /** Returns this evidence with profiles of the run; null if there are none. */
        public Evidence with(@Nullable ProfiledStep profile) {
            return new Evidence(measured, ruledOut, shown, profile, pairs);
        }
    }

    /**
     * A fault of one strength, before it runs.
     *
     * @param settings settings that cause it, for each log's run
     * @param points one point per log; empty if the fault is not simulated
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
     * Explains the measurements.
     *
     * @return null if interrupted
     * @throws InputException if a log does not match such a run
     * @throws IllegalStateException if a run violates an invariant of the model
     */
    public @Nullable Explanation explain(Subject subject, Evidence evidence, ProgressListener progress)
            throws InputException {
        Explanation explanation = explain(subject, evidence, progress, healthy -> {});
        return isInterrupted() ? null : explanation;
    }

    /**
     * Explains the measurements, as far as it gets before an interruption.
     *
     * @param first receives measurements compared with the healthy run, before any fault is tried
     * @return null if interrupted before the healthy runs were done
     */
    @Nullable
    Explanation explain(Subject subject, Evidence evidence, ProgressListener progress, Consumer<Explanation> first)
            throws InputException {
        List<Measured> measured = evidence.measured();
        if (measured.stream().allMatch(log -> log.unit().isMemory())) {
            throw new InputException(List.of(new Problem(
                    "--measured",
                    Position.NONE,
                    "memory alone does not tell the speed; add for example '1000 tokens/s/GPU'")));
        }
        requireOneEach(measured);
        List<ScenarioPoint> points = new ArrayList<>();
        for (Measured log : measured) {
            points.add(point(subject, log));
        }
        PointRuns healthyRuns = further.runWhole(points, options -> options, progress);
        if (healthyRuns == null) {
            return null;
        }
        List<Explanation.Log> logs = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            RunResult healthy = healthyRuns.resultOf(points.get(i));
            logs.add(new Explanation.Log(measured.get(i), healthy, expected(measured.get(i), healthy, points.get(i))));
        }
        requirePossible(subject, logs, points);
        Explanation alone = Explanation.of(
                subject.name(),
                logs,
                List.of(),
                new Explanation.Others(
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(),
                        evidence.ruledOut(),
                        evidence.shown(),
                        questions(points.get(0).given().keySet()),
                        ofProfile(evidence.profiled(), own(logs))));
        if (alone.verdict() != Explanation.Verdict.UNEXPLAINED) {
            return alone;
        }
        first.accept(alone);
        List<Case> cases = cases(subject, points, logs, evidence.ruledOut());
        Costs costs = Costs.of(logs, evidence.pairs());
        Map<Case, List<RunResult>> ran = new IdentityHashMap<>();
        Explanation single = single(alone, cases, ran, costs, progress);
        ProfiledStep profiled = evidence.profiled();
        if (profiled != null && alone.logs().get(0).healthy().training() != null) {
            single = weighed(subject, single, between(alone, ran), profiled);
        }
        return isInterrupted() || single.verdict() == Explanation.Verdict.EXPLAINED || !evidence.pairs()
                ? single
                : new BeyondSingleFaults(subject, single, further, costs.ofOne(), progress).tried(cases);
    }

    /** Returns faults whose strengths bracket the measured speed of the only run: a strength in between fits. */
    private static Set<String> between(Explanation alone, Map<Case, List<RunResult>> ran) {
        Map<String, Set<Boolean>> slower = new LinkedHashMap<>();
        ran.forEach((one, runs) -> {
            if (alone.logs().size() == 1
                    && one.known().ordered()
                    && !runs.isEmpty()
                    && runs.get(0).fits()) {
                slower.computeIfAbsent(one.fault(), fault -> new TreeSet<>())
                        .add(alone.logs().get(0).deviations(runs.get(0)) < 0);
            }
        });
        slower.values().removeIf(both -> both.size() < 2);
        return slower.keySet();
    }

    /** Returns the log of the run itself, if there is one. */
    private static Explanation.Log own(List<Explanation.Log> logs) {
        return logs.stream()
                .filter(log -> log.measured().at().isEmpty())
                .findFirst()
                .orElse(logs.get(0));
    }

    /**
     * How the profiled step differs from the measured one; empty where it does not.
     *
     * @throws InputException where they cannot be of the same run
     */
    private static List<String> ofProfile(@Nullable ProfiledStep step, Explanation.Log own) throws InputException {
        if (step == null || own.healthy().training() == null || !own.isSpeed()) {
            return List.of();
        }
        double profiled = step.seconds();
        double measured =
                Measured.Unit.seconds(own.healthy()) * own.measured().timesAsFast(own.healthy(), own.healthy());
        double slower = Math.max(profiled / measured, measured / profiled);
        String words = "takes " + Quantities.seconds(profiled) + " a step, and "
                + own.measured().words(own.measured().value()) + " are " + Quantities.seconds(measured);
        if (slower > PROFILE_SLOWER_MAX) {
            throw new InputException(step.file(), words + "; give a profile of the slow run, or leave out --measured");
        }
        return slower > PROFILE_SLOWER ? List.of("it " + words) : List.of();
    }

    /** Faults that fit the speed, by the parts of a profile, too; those that contradict it are left out. */
    private Explanation weighed(Subject subject, Explanation found, Set<String> between, ProfiledStep profiled)
            throws InputException {
        Explanation.Log own = own(found.logs());
        Map<String, String> at = own.measured().at();
        try {
            ProfileEvidence evidence = new ProfileEvidence(profiled, subject.point(at));
            List<String> words = new ArrayList<>(found.others().profiled());
            words.addAll(evidence.longer());
            List<Explanation.Suspect> left = new ArrayList<>();
            for (Explanation.Suspect one : found.suspects()) {
                boolean fitting = between.contains(one.fault());
                if (!(one.explains() || fitting) || one.runs().isEmpty() || isInterrupted()) {
                    left.add(one);
                    continue;
                }
                ProfileEvidence.Finding finding =
                        evidence.of(Objects.requireNonNull(changed(subject, at, one.settings())));
                if (finding.contradiction().isEmpty()) {
                    left.add(one.with(finding.distance() / own.expected().deviation(), fitting));
                } else {
                    words.add("not " + one.title() + ": " + finding.contradiction());
                }
            }
            return Explanation.of(
                    found.name(), found.logs(), left, found.others().with(words));
        } catch (IOException failure) {
            throw new InputException(profiled.file(), "cannot be compared: " + failure.getMessage());
        } catch (InterruptedException interrupted) {
            interrupt();
            return found;
        }
    }

    /** The event budget of fault runs. */
    private static final class Costs {
        private final long foreseen;
        private final long ofOne;
        /** State. */
        private long left;

        private Costs(long foreseen, long ofOne, long left) {
            this.foreseen = foreseen;
            this.ofOne = ofOne;
            this.left = left;
        }

        static Costs of(List<Explanation.Log> logs, boolean all) {
            long largest = 0;
            long sum = 0;
            for (Explanation.Log log : logs) {
                long events = log.healthy().effort().executedEvents();
                largest = Math.max(largest, events);
                sum += events;
            }
            return new Costs(
                    sum,
                    Math.max(EVENTS_MAX, EVENTS_FACTOR * largest),
                    all ? Long.MAX_VALUE : Math.max(ALL_EVENTS_MAX, ALL_EVENTS_FACTOR * sum));
        }

        long ofOne() {
            return ofOne;
        }

        /** Spends a case's events; returns whether it may run. */
        boolean spend(Case one) {
            boolean enough = one.points().isEmpty() || foreseen <= left;
            left -= enough && !one.points().isEmpty() ? foreseen : 0;
            return enough;
        }
    }

    /** Returns questions about faults whose keys are not set. */
    private static Map<String, String> questions(Set<String> given) {
        Map<String, String> questions = new LinkedHashMap<>();
        for (String name : KnownFault.names()) {
            KnownFault fault = KnownFault.named(name);
            if (!fault.question().isEmpty()
                    && fault.strengths().stream()
                            .allMatch(strength ->
                                    Collections.disjoint(strength.settings().keySet(), given))) {
                questions.put(name, fault.question());
            }
        }
        return questions;
    }

    /** Tries each fault alone. If one shown by a log explains the speed, runs only faults that the scenario leaves open besides it. */
    private Explanation single(
            Explanation alone,
            List<Case> cases,
            Map<Case, List<RunResult>> ran,
            Costs costs,
            ProgressListener progress) {
        Explanation.Others known = alone.others();
        if (!known.shown().isEmpty()) {
            Predicate<Case> isShown = one -> known.shown().containsKey(one.fault());
            Predicate<Case> isOpen = one -> known.questions().containsKey(one.fault());
            run(alone, cases.stream().filter(isShown).toList(), ran, costs, progress);
            run(alone, cases.stream().filter(isShown.or(isOpen)).toList(), ran, costs, progress);
            Explanation shown = explanation(alone, cases, ran);
            if (!shown.suspects().isEmpty()
                    && shown.suspects().get(0).explains()
                    && known.shown().containsKey(shown.suspects().get(0).fault())) {
                return shown;
            }
        }
        run(alone, cases, ran, costs, progress);
        return explanation(alone, cases, ran);
    }

    /**
     * Runs outstanding cases, common faults first. Of ordered strengths the middle one runs first, then milder and stronger ones until one is far
     * from the measurement.
     *
     * @param ran cases run so far, without results if interrupted or too expensive; receives the new ones
     */
    private void run(
            Explanation alone,
            List<Case> cases,
            Map<Case, List<RunResult>> ran,
            Costs costs,
            ProgressListener progress) {
        Map<String, List<Case>> faults = new LinkedHashMap<>();
        cases.forEach(one ->
                faults.computeIfAbsent(one.fault(), name -> new ArrayList<>()).add(one));
        List<Case> wave = new ArrayList<>();
        do {
            List<Case> paid = wave.stream()
                    .sorted(Comparator.comparing(
                                    (Case one) -> !alone.others().shown().containsKey(one.fault()))
                            .thenComparing(one -> -one.odds()))
                    .filter(costs::spend)
                    .toList();
            PointRuns runs = further.runWhole(
                    paid.stream().flatMap(one -> one.points().stream()).toList(),
                    options -> options.within(costs.ofOne()),
                    progress);
            wave.forEach(one -> ran.put(one, runs == null || !paid.contains(one) ? List.of() : results(one, runs)));
            wave.clear();
            faults.values().forEach(strengths -> wave.addAll(next(alone, strengths, ran)));
        } while (!wave.isEmpty());
    }

    private static List<Case> next(Explanation alone, List<Case> strengths, Map<Case, List<RunResult>> ran) {
        List<Integer> done = IntStream.range(0, strengths.size())
                .filter(i -> ran.containsKey(strengths.get(i)))
                .boxed()
                .toList();
        if (!strengths.get(0).known().ordered()) {
            return done.isEmpty() ? strengths : List.of();
        }
        if (done.isEmpty()) {
            return List.of(strengths.get((strengths.size() - 1) / 2));
        }
        int milder = done.get(0) - 1;
        int stronger = done.get(done.size() - 1) + 1;
        List<Case> next = new ArrayList<>();
        if (milder >= 0 && !isBeyond(alone, ran.get(strengths.get(milder + 1)), 1)) {
            next.add(strengths.get(milder));
        }
        if (stronger < strengths.size() && !isBeyond(alone, ran.get(strengths.get(stronger - 1)), -1)) {
            next.add(strengths.get(stronger));
        }
        return next;
    }

    /** Returns whether a run is much faster (1) or slower (-1) than measured. */
    private static boolean isBeyond(Explanation alone, @Nullable List<RunResult> runs, int sign) {
        return runs != null
                && runs.size() == alone.logs().size()
                && IntStream.range(0, runs.size())
                        .filter(i ->
                                alone.logs().get(i).isSpeed() && runs.get(i).fits())
                        .anyMatch(i -> sign * alone.logs().get(i).deviations(runs.get(i)) > FAR);
    }

    /** Checks that logs are independent, which two figures of one run in one unit are not. */
    private static void requireOneEach(List<Measured> measured) throws InputException {
        for (int i = 0; i < measured.size(); i++) {
            Measured log = measured.get(i);
            for (Measured before : measured.subList(0, i)) {
                if (log.unit() == before.unit() && log.at().equals(before.at())) {
                    throw new InputException(List.of(new Problem(
                            "--measured",
                            Position.NONE,
                            before.words(before.value()) + " and " + log.words(log.value())
                                    + " are for the same run; give one of them, or where they differ, for example '"
                                    + log.words(log.value()) + " at cluster.nodes=1'")));
                }
            }
        }
    }

    private static void requirePossible(Subject subject, List<Explanation.Log> logs, List<ScenarioPoint> points)
            throws InputException {
        for (int i = 0; i < logs.size(); i++) {
            String beyond =
                    HardwareLimit.beyond(logs.get(i).measured(), logs.get(i).healthy(), points.get(i));
            if (beyond != null) {
                throw new InputException(List.of(new Problem(subject.name(), Position.NONE, beyond)));
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

    /** Returns the settings that cause the fault in this cluster and with this strategy; empty if they do not apply. */
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

    /** Returns a run with the fault; null if the strategy cannot run with it. */
    static @Nullable ScenarioPoint changed(Subject subject, Map<String, String> at, Map<String, String> settings) {
        Map<String, String> values = new LinkedHashMap<>(at);
        values.putAll(settings);
        try {
            return subject.point(values);
        } catch (InputException impossible) {
            return null;
        }
    }

    /** Returns the runs of a case that were not given up. */
    static List<RunResult> results(Case one, PointRuns runs) {
        return one.points().stream().map(runs::result).filter(Objects::nonNull).toList();
    }

    /** @param all cases run so far; others are left out */
    static Explanation explanation(Explanation alone, List<Case> cases, Map<Case, List<RunResult>> all) {
        List<Explanation.Suspect> suspects = new ArrayList<>();
        List<String> same = new ArrayList<>();
        List<String> large = new ArrayList<>();
        List<String> tooLong = new ArrayList<>();
        List<String> healthyToo = new ArrayList<>();
        for (Case one : cases) {
            List<RunResult> ran = all.get(one);
            if (ran == null) {
                continue;
            }
            if (ran.size() < one.points().size()) {
                tooLong.add(one.title());
            } else if (!ran.stream().allMatch(RunResult::fits)) {
                large.add(one.title());
            } else if (!ran.isEmpty() && changesNothing(ran, alone.logs())) {
                same.add(one.title());
            } else if (!ran.isEmpty()
                    && !alone.others().shown().containsKey(one.fault())
                    && isHealthyToo(ran, alone.logs())) {
                healthyToo.add(one.title());
            } else if (!ran.isEmpty() || isPossible(one.known(), alone.logs())) {
                suspects.add(suspect(one, ran, alone.logs()));
            }
        }
        Explanation.Others known = alone.others();
        return Explanation.of(
                alone.name(),
                alone.logs(),
                suspects,
                new Explanation.Others(
                        same,
                        large,
                        tooLong,
                        healthyToo,
                        known.ruledOut(),
                        known.shown(),
                        known.questions(),
                        known.profiled()));
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

    /** Returns whether a fault leaves every run that was measured slower or faster as fast as a healthy one. */
    private static boolean isHealthyToo(List<RunResult> runs, List<Explanation.Log> logs) {
        return IntStream.range(0, runs.size())
                .filter(i -> logs.get(i).isSpeed() && !logs.get(i).isUsual())
                .allMatch(i -> logs.get(i).isHealthyToo(runs.get(i)));
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

    /** Returns by how many standard deviations a measured speed exceeds the known cost of a fault that is not simulated. */
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

    private static Explanation.Expected expected(Measured measured, RunResult healthy, ScenarioPoint point) {
        RecordedErrors recorded = RecordedErrors.builtIn();
        ErrorInterval range = measured.unit().isMemory()
                ? recorded.ofMemory(point)
                : healthy.facts().accuracy();
        return range == null
                ? new Explanation.Expected(
                        StrictMath.log1p(-ERROR_UNKNOWN), StrictMath.log1p(ERROR_UNKNOWN), assumed(healthy, point))
                : new Explanation.Expected(StrictMath.log1p(range.low()), StrictMath.log1p(range.high()), "");
    }

    /** Returns why no published runs give the range, with the most similar one. */
    private static String assumed(RunResult healthy, ScenarioPoint point) {
        String why = healthy.facts().messages().stream()
                .filter(message -> message.code().isBeyondMeasurements())
                .map(message -> message.code().id() + ", " + message.text().split("\\.(?: |$)")[0])
                .findFirst()
                .orElse("no similar run was published");
        return why
                + RecordedErrors.builtIn()
                        .nearest(point)
                        .map(near -> "; the nearest published run, " + near.id() + ", is simulated "
                                + ExplanationText.percent(near.error()) + " off")
                        .orElse("");
    }

    boolean isInterrupted() {
        return further.isInterrupted();
    }

    /** Cancels the runs and starts no more. */
    public void interrupt() {
        further.interrupt();
    }
}

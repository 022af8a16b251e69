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
    /** The same as a multiple of those of the healthy run. */
    private static final int EVENTS_FACTOR = 2;

    /** Events that faults may execute together where the answer is not to keep anybody waiting: some twelve seconds of one core. */
    private static final long ALL_EVENTS_MAX = 36_000_000;
    /** The same as a multiple of those of the healthy runs. */
    private static final int ALL_EVENTS_FACTOR = 4;

    /** A run so many standard deviations from what was measured makes those of milder or stronger faults beyond it needless. */
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

        /** The run with some values changed, by dotted key. */
        public ScenarioPoint point(Map<String, String> changes) throws InputException {
            return file.point(place, changes);
        }
    }

    /**
     * What is known of a run.
     *
     * @param measured what logs show, of the run or of others that differ in a few values; a speed at least
     * @param ruledOut names of faults that somebody has looked for and not found
     * @param shown a line of a log by name of the fault that it shows
     * @param profiles files of profiles of the run itself, one of each rank; empty for none
     * @param pairs whether two faults at once are tried where no single one fits, and all faults whatever they cost
     */
    public record Evidence(
            List<Measured> measured,
            Set<String> ruledOut,
            Map<String, String> shown,
            List<String> profiles,
            boolean pairs) {
        public Evidence {
            profiles = List.copyOf(profiles);
            measured = List.copyOf(measured);
            shown = Collections.unmodifiableMap(new LinkedHashMap<>(shown));
        }

        /**
         * What logs show beside that.
         *
         * @param told faults that somebody says are not there, whatever a log shows
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
            return new Evidence(measured, ruledOut, shown, List.of(), false);
        }

        /** What people say, without a log. */
        public static Evidence of(List<Measured> measured, Set<String> ruledOut) {
            return new Evidence(measured, ruledOut, Map.of(), List.of(), true);
        }

        /** With profiles of the run itself; empty for none. */
        public Evidence with(List<String> files) {
            return new Evidence(measured, ruledOut, shown, files, pairs);
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
     * @return null where it was interrupted
     * @throws InputException where a log is not of such a run
     * @throws IllegalStateException where a run breaks a rule of the model
     */
    public @Nullable Explanation explain(Subject subject, Evidence evidence, ProgressListener progress)
            throws InputException {
        Explanation explanation = explain(subject, evidence, progress, healthy -> {});
        return isInterrupted() ? null : explanation;
    }

    /**
     * The same, as far as it comes before it is interrupted.
     *
     * @param first hears what was measured beside a healthy run, before any fault is tried
     * @return null where it was interrupted before the healthy runs were done
     */
    @Nullable
    Explanation explain(Subject subject, Evidence evidence, ProgressListener progress, Consumer<Explanation> first)
            throws InputException {
        List<Measured> measured = evidence.measured();
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
                        ofProfile(evidence.profiles(), own(logs))));
        if (alone.verdict() != Explanation.Verdict.UNEXPLAINED) {
            return alone;
        }
        first.accept(alone);
        List<Case> cases = cases(subject, points, logs, evidence.ruledOut());
        Costs costs = Costs.of(logs, evidence.pairs());
        Map<Case, List<RunResult>> ran = new IdentityHashMap<>();
        Explanation single = single(alone, cases, ran, costs, progress);
        if (!evidence.profiles().isEmpty() && alone.logs().get(0).healthy().training() != null) {
            single = weighed(subject, single, between(alone, ran), evidence.profiles());
        }
        return isInterrupted() || single.verdict() == Explanation.Verdict.EXPLAINED || !evidence.pairs()
                ? single
                : new BeyondSingleFaults(subject, single, further, costs.ofOne(), progress).tried(cases);
    }

    /** Faults some of whose strengths make the only run faster than was measured, and others slower: one between them fits. */
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

    /** The log of the run itself, where there is one. */
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
    private static List<String> ofProfile(List<String> profiles, Explanation.Log own) throws InputException {
        if (profiles.isEmpty() || own.healthy().training() == null || !own.isSpeed()) {
            return List.of();
        }
        double profiled = ProfileEvidence.stepSeconds(profiles.get(0));
        double measured =
                Measured.Unit.seconds(own.healthy()) * own.measured().timesAsFast(own.healthy(), own.healthy());
        double slower = Math.max(profiled / measured, measured / profiled);
        String words = "takes " + Quantities.seconds(profiled) + " a step, and "
                + own.measured().words(own.measured().value()) + " are " + Quantities.seconds(measured);
        if (slower > PROFILE_SLOWER_MAX) {
            throw new InputException(
                    profiles.get(0), words + "; give a profile of the slow run, or leave out --measured");
        }
        return slower > PROFILE_SLOWER ? List.of("it " + words) : List.of();
    }

    /** Faults that fit the speed, by the parts of a profile, too; those that contradict it are left out. */
    private Explanation weighed(Subject subject, Explanation found, Set<String> between, List<String> profiles)
            throws InputException {
        Explanation.Log own = own(found.logs());
        Map<String, String> at = own.measured().at();
        try {
            ProfileEvidence evidence = new ProfileEvidence(profiles, subject.point(at));
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
            throw new InputException(profiles.get(0), "cannot be compared: " + failure.getMessage());
        } catch (InterruptedException interrupted) {
            interrupt();
            return found;
        }
    }

    /** What runs with faults may execute. */
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

        /** Whether a case may run. */
        boolean spend(Case one) {
            boolean enough = one.points().isEmpty() || foreseen <= left;
            left -= enough && !one.points().isEmpty() ? foreseen : 0;
            return enough;
        }
    }

    /** Of faults whose keys nobody gives. */
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

    /** Every fault alone. Where one that a log shows explains the speed, only what the scenario leaves open runs beside it. */
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
     * Runs what has not run, common faults first. Of ordered strengths the middle one runs first, then milder and stronger ones until one lies far from what was measured.
     *
     * @param ran what has run, without results where it was interrupted or would have cost too much; takes what runs
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

    /** Whether a run is much faster (1) or slower (-1) than was measured. */
    private static boolean isBeyond(Explanation alone, @Nullable List<RunResult> runs, int sign) {
        return runs != null
                && runs.size() == alone.logs().size()
                && IntStream.range(0, runs.size())
                        .filter(i ->
                                alone.logs().get(i).isSpeed() && runs.get(i).fits())
                        .anyMatch(i -> sign * alone.logs().get(i).deviations(runs.get(i)) > FAR);
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

    /** Of the runs of a case those that were not given up. */
    static List<RunResult> results(Case one, PointRuns runs) {
        return one.points().stream().map(runs::result).filter(Objects::nonNull).toList();
    }

    /** @param all what has run; other cases are left out */
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

    /** Whether a fault leaves every run as fast as healthy ones that was measured slower or faster. */
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

    /** Why no published runs make the range, and the one that is most like it. */
    private static String assumed(RunResult healthy, ScenarioPoint point) {
        String why = healthy.facts().messages().stream()
                .filter(message -> message.code().isBeyondMeasurements())
                .map(message -> message.code().id() + ", " + message.text().split("\\.(?: |$)")[0])
                .findFirst()
                .orElse("no such run was published");
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

    /** Stops what runs and begins nothing further. */
    public void interrupt() {
        further.interrupt();
    }
}

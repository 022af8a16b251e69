package io.shardsim.scenarios.explaining;

import io.shardsim.reports.ErrorInterval;
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
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
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

    /** Ratio of profiled to measured step time above which it is noted, since profiling takes time. */
    private static final double PROFILE_SLOWER = 1.1;

    private static final double PROFILE_SLOWER_MAX = 1.5;

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
        List<FaultCase> cases = FaultCase.all(subject, points, logs, evidence.ruledOut());
        FaultSearch search = new FaultSearch(alone, cases, evidence.pairs(), further, progress);
        Explanation single = search.run();
        ProfiledStep profiled = evidence.profiled();
        if (profiled != null && alone.logs().get(0).healthy().training() != null) {
            single = weighed(subject, single, between(alone, search.ran()), profiled);
        }
        return isInterrupted() || single.verdict() == Explanation.Verdict.EXPLAINED || !evidence.pairs()
                ? single
                : new BeyondSingleFaults(subject, single, further, search.eventsOfOne(), progress).tried(cases);
    }

    /** Returns faults whose strengths bracket the measured speed of the only run: a strength in between fits. */
    private static Set<String> between(Explanation alone, Map<FaultCase, List<RunResult>> ran) {
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
     * Returns how the profiled step differs from the measured one; empty if it does not.
     *
     * @throws InputException if they cannot be of the same run
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

    /** Returns the explanation with faults also judged by the parts of a profile; faults that contradict it are left out. */
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
                        evidence.of(Objects.requireNonNull(FaultCase.changed(subject, at, one.settings())));
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

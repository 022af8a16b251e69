package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Advice;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.evaluation.Trials;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says of a run that is given by its files and logs whether it is slow, why, what that costs, and which settings gain most. */
public final class Doctor {
    /** Settings that are told. */
    private static final int GAINS = 3;
    /** What trials may execute, as a multiple of the run. */
    private static final int TRIALS = 6;

    /** Events of a run with another setting, beyond which it is given up: some four seconds. */
    private static final long EVENTS_MAX = 12_000_000;

    private final Explainer explainer;
    private final FurtherRuns further;

    public Doctor(RunnerFactory runners, int threads) {
        explainer = new Explainer(runners, threads);
        further = new FurtherRuns(runners, threads);
    }

    /**
     * What the files say.
     *
     * @param read what each file is, and what it tells
     * @param left what no file says and the answer assumes
     * @param evidence lines of logs that show or rule out a fault
     */
    public record Understood(List<String> read, List<String> left, List<String> evidence) {
        public Understood {
            read = List.copyOf(read);
            left = List.copyOf(left);
            evidence = List.copyOf(evidence);
        }
    }

    /**
     * The answer.
     *
     * @param run without a fault
     * @param gains what gains most, each simulated
     */
    public record Answer(Understood understood, RunResult run, Explanation explanation, List<Advice> gains) {
        public Answer {
            gains = List.copyOf(gains);
        }
    }

    /**
     * Answers.
     *
     * @return null where it was interrupted
     * @throws InputException where a log is not of such a run
     */
    public @Nullable Answer examine(
            Explainer.Subject subject, Understood understood, Explainer.Evidence evidence, ProgressListener progress)
            throws InputException {
        Explanation explanation = explainer.explain(subject, evidence, progress);
        if (explanation == null) {
            return null;
        }
        Explanation.Log own = explanation.logs().stream()
                .filter(log -> log.measured().at().isEmpty())
                .findFirst()
                .orElse(explanation.logs().get(0));
        RunResult run = own.healthy();
        ScenarioPoint point = subject.point(own.measured().at());
        Trials trials = Trials.of(
                new Scenario("doctor", "", true, List.of(point)),
                List.of(run),
                TRIALS * run.effort().executedEvents());
        PointRuns runs = further.runWhole(trials.points(), options -> options.within(EVENTS_MAX), progress);
        return runs == null
                ? null
                : new Answer(
                        understood,
                        run,
                        explanation,
                        Advice.of(trials.with(runs)).stream().limit(GAINS).toList());
    }

    /** What makes the run so, its micro-batch always. */
    public static Map<String, String> settings(Advice advice) {
        Map<String, String> settings = new LinkedHashMap<>(advice.trial().settings());
        settings.putIfAbsent(
                "training.micro_batch", String.valueOf(advice.trial().microBatch()));
        return settings;
    }

    /** Stops what runs and begins nothing further. */
    public void interrupt() {
        explainer.interrupt();
        further.interrupt();
    }
}

package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Advice;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.evaluation.Trials;
import io.shardsim.scenarios.logs.TrainingLog;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Diagnoses a run from its files and logs: whether it is slow, why, what that costs, and which settings gain most. */
public final class Doctor {
    /** Maximum number of settings reported. */
    private static final int TOLD = 3;
    /** Events that trials of settings may execute: some twelve seconds on one core. */
    private static final long EVENTS_MAX = 36_000_000;
    /** Minimum budget of trials for a large run, as a multiple of its own events. */
    private static final int RUNS_MIN = 2;

    /** Events of a run that takes a second or more. */
    private static final long LARGE = 3_000_000;

    private final Explainer explainer;
    private final FurtherRuns further;

    public Doctor(RunnerFactory runners, int threads) {
        explainer = new Explainer(runners, threads);
        further = new FurtherRuns(runners, threads);
    }

    /**
     * Content of the files.
     *
     * @param read each file's type and contents
     * @param left assumptions that no file settles
     * @param evidence log lines that show or rule out a fault
     * @param contradictions contradictions between the logs and the scenario
     * @param scenario name on a command line; null if {@code import} has yet to write the scenario
     */
    public record Understood(
            List<String> read,
            List<String> left,
            List<String> evidence,
            List<String> contradictions,
            @Nullable String scenario) {
        public Understood(
                List<String> read,
                List<String> left,
                List<String> evidence,
                List<String> contradictions,
                @Nullable String scenario) {
            this.read = List.copyOf(read);
            this.left = List.copyOf(left);
            this.evidence = List.copyOf(evidence);
            this.contradictions = List.copyOf(contradictions);
            this.scenario = scenario;
        }

        /** Returns a command on the scenario. */
        String command(String name, String arguments) {
            String file = scenario == null ? "my.yaml" : scenario;
            return "shardsim " + name + " " + file + arguments
                    + (scenario == null ? " (my.yaml: run shardsim import on these files)" : "");
        }
    }

    /**
     * The diagnosis.
     *
     * @param run the run without a fault
     * @param gains settings that gain most, each simulated
     * @param room settings that free memory in a tight run without a gain, each simulated
     * @param untried settings too expensive to try
     * @param interrupted whether an interruption skipped faults and settings
     */
    public record Answer(
            Understood understood,
            RunResult run,
            Explanation explanation,
            List<Advice> gains,
            List<Advice> room,
            List<String> untried,
            boolean interrupted) {
        static Answer of(Understood understood, Explanation explanation, RunResult run) {
            List<Advice> all = Advice.of(run);
            return new Answer(
                    understood,
                    run,
                    explanation,
                    all.stream().filter(Advice::gains).limit(TOLD).toList(),
                    all.stream().filter(one -> !one.gains()).limit(TOLD).toList(),
                    run.facts().tried().untried(),
                    false);
        }
    }

    /**
     * Diagnoses the run, as far as it gets before an interruption.
     *
     * @param first receives, for a large run, lines about the healthy run before anything else is simulated
     * @return null if interrupted before the run was done
     * @throws InputException if a log does not match such a run
     */
    public @Nullable Answer examine(
            Explainer.Subject subject,
            Understood understood,
            Explainer.Evidence evidence,
            ProgressListener progress,
            Consumer<List<String>> first)
            throws InputException {
        Explanation explanation = explainer.explain(subject, evidence, progress, healthy -> {
            if (healthy.logs().get(0).healthy().effort().executedEvents() > LARGE) {
                first.accept(ExplanationText.healthy(healthy));
            }
        });
        if (explanation == null) {
            return null;
        }
        Explanation.Log own = explanation.logs().stream()
                .filter(log -> log.measured().at().isEmpty())
                .findFirst()
                .orElse(explanation.logs().get(0));
        RunResult run = own.healthy();
        if (explainer.isInterrupted()) {
            return interrupted(understood, explanation, run);
        }
        ScenarioPoint point = subject.point(own.measured().at());
        long events = Math.max(EVENTS_MAX, RUNS_MIN * run.effort().executedEvents());
        Trials trials = Trials.ofEverySetting(point, run, events);
        PointRuns runs = further.runWhole(trials, progress);
        return runs == null
                ? interrupted(understood, explanation, run)
                : Answer.of(understood, explanation, trials.with(runs));
    }

    private static Answer interrupted(Understood understood, Explanation explanation, RunResult run) {
        return new Answer(understood, run, explanation, List.of(), List.of(), List.of(), true);
    }

    /** Returns how logs contradict the scenario: both values, and how to make them agree. */
    public static List<String> contradictions(ScenarioPoint point, List<TrainingLog> logs) {
        List<String> all = new ArrayList<>();
        int perNode = point.cluster().gpusPerNode();
        for (TrainingLog log : logs) {
            TrainingLog.Stated batch = log.stated().get(TrainingLog.Stated.BATCH);
            TrainingLog.Stated gpus = log.stated().get(TrainingLog.Stated.GPUS);
            TrainingLog.Stated nodes = log.stated().get(TrainingLog.Stated.NODES);
            if (batch != null
                    && point.task() instanceof Task.Training training
                    && batch.value() != training.globalBatch()) {
                all.add(contradiction(
                        log,
                        batch,
                        "a global batch of ",
                        training.globalBatch(),
                        "",
                        "training.global_batch=" + batch.value()));
            }
            if (gpus != null && gpus.value() > point.cluster().worldSize()) {
                long needed = (gpus.value() + perNode - 1) / perNode;
                all.add(contradiction(
                        log, gpus, "at least ", point.cluster().worldSize(), " GPUs", "cluster.nodes=" + needed));
            } else if (nodes != null && nodes.value() > point.cluster().nodes()) {
                all.add(contradiction(
                        log, nodes, "at least ", point.cluster().nodes(), " nodes", "cluster.nodes=" + nodes.value()));
            }
        }
        return all;
    }

    private static String contradiction(
            TrainingLog log, TrainingLog.Stated stated, String what, long described, String unit, String set) {
        return YamlReader.printable(log.name()) + " line " + stated.line() + " says " + what + stated.value() + unit
                + ", the scenario says " + described + ". If the log is right, add --set " + set;
    }

    /** Returns the settings of some advice, always with its micro-batch. */
    public static Map<String, String> settings(Advice advice) {
        Map<String, String> settings = new LinkedHashMap<>(advice.trial().settings());
        settings.putIfAbsent(
                "training.micro_batch", String.valueOf(advice.trial().microBatch()));
        return settings;
    }

    /** Cancels the runs and starts no more. */
    public void interrupt() {
        explainer.interrupt();
        further.interrupt();
    }
}

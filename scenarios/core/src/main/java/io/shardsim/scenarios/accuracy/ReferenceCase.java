package io.shardsim.scenarios.accuracy;

import io.shardsim.reports.validation.CaseOutcome;
import io.shardsim.reports.validation.FitOutcome;
import io.shardsim.reports.validation.Metric;
import io.shardsim.scenarios.scenario.CollectiveSettings;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A published measurement and the scenario that should reproduce it.
 *
 * @param id identifier, unique in its file
 * @param family the source's cases, by their file's name
 * @param source document and place in it
 * @param role {@code calibration} or {@code validation}
 * @param confidence high, medium or low
 * @param written the scenarios that should reproduce it
 * @param measured published figures
 * @param ran false if the published run ran out of memory; null if that is not compared
 */
public record ReferenceCase(
        String id,
        String family,
        String source,
        String role,
        String confidence,
        Written written,
        Map<Metric, Double> measured,
        @Nullable Boolean ran) {
    /** Metric name of an outcome that compares whether a run fits. */
    static final String FITS = "fits";

    public ReferenceCase(
            String id,
            String family,
            String source,
            String role,
            String confidence,
            Written written,
            Map<Metric, Double> measured,
            @Nullable Boolean ran) {
        this.id = id;
        this.family = family;
        this.source = source;
        this.role = role;
        this.confidence = confidence;
        this.written = written;
        this.measured = Collections.unmodifiableMap(new EnumMap<>(measured));
        this.ran = ran;
    }

    /**
     * Two ways to write one run.
     *
     * @param coded with software settings from the source's own code
     * @param released with settings from framework and release alone; null if the case names none
     */
    public record Written(ScenarioPoint coded, @Nullable ScenarioPoint released) {}

    /** Returns the run with software settings from the source's own code. */
    public ScenarioPoint point() {
        return written.coded();
    }

    /** Returns whether its name or its source's contains a string. */
    public boolean isNamed(String text) {
        return id.contains(text) || family.contains(text);
    }

    /** The simulated run without its name: cases with equal questions have equal results. */
    public record Question(Cluster cluster, Task task, CollectiveSettings collectives) {}

    /** Returns the question of one of its points. */
    public static Question question(ScenarioPoint point) {
        return new Question(point.cluster(), point.task(), point.collectives());
    }

    /** The setting shared by strategies that one source compared; each strategy has its own micro-batch. */
    private record Setting(
            String family,
            Cluster cluster,
            ModelShape model,
            int sequenceLength,
            long globalBatch,
            Precision precision,
            Checkpointing checkpointing,
            int checkpointedLayers) {}

    /** Returns an outcome for each published figure of the case, from the results of both points. */
    public List<CaseOutcome> outcomes(
            Function<Metric, @Nullable Double> simulated, Function<Metric, @Nullable Double> byRelease, boolean fits) {
        List<CaseOutcome> outcomes = new ArrayList<>();
        measured.forEach((metric, value) -> outcomes.add(new CaseOutcome(
                published(), metric, value, simulated.apply(metric), byRelease.apply(metric), fits, contest())));
        return outcomes;
    }

    /** Returns the fit outcome, if the case has one. */
    public Optional<FitOutcome> fitOutcome(boolean fits) {
        return Optional.ofNullable(ran).map(did -> FitOutcome.of(published(), did, fits));
    }

    private CaseOutcome.Published published() {
        return new CaseOutcome.Published(
                id, role, confidence, family, point().cluster().instance().gpu().name());
    }

    private CaseOutcome.@Nullable Contest contest() {
        return point().task() instanceof Task.Training training
                ? new CaseOutcome.Contest(
                        training.strategy().kind(),
                        new Setting(
                                family,
                                point().cluster(),
                                training.model(),
                                training.sequenceLength(),
                                training.globalBatch(),
                                training.learning().precision(),
                                training.execution().kept().checkpointing(),
                                training.execution().kept().checkpointedLayers()))
                : null;
    }
}

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
 * @param id unique in its file
 * @param family cases of one source: the name of their file
 * @param source document and place
 * @param role {@code calibration} or {@code validation}
 * @param confidence high, medium or low
 * @param written the scenarios that should reproduce it
 * @param measured published figures
 * @param ran false where the published run ran out of memory; null where that is not asked
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
    /** The key of an outcome beside those of figures. */
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
     * @param coded with software settings as the source's own code has them
     * @param released with those that follow from framework and release alone; null where the case names none
     */
    public record Written(ScenarioPoint coded, @Nullable ScenarioPoint released) {}

    /** The run with software settings as the source's own code has them. */
    public ScenarioPoint point() {
        return written.coded();
    }

    /** Whether its name or that of its source contains a text. */
    public boolean isNamed(String text) {
        return id.contains(text) || family.contains(text);
    }

    /** What is simulated, whatever it is called: two cases with equal questions have equal answers. */
    public record Question(Cluster cluster, Task task, CollectiveSettings collectives) {}

    /** What is asked by one of its points. */
    public static Question question(ScenarioPoint point) {
        return new Question(point.cluster(), point.task(), point.collectives());
    }

    /** What strategies have in common that one source compared; the micro-batch is each strategy's own. */
    private record Setting(
            String family,
            Cluster cluster,
            ModelShape model,
            int sequenceLength,
            long globalBatch,
            Precision precision,
            Checkpointing checkpointing,
            int checkpointedLayers) {}

    /** An outcome for each published figure of the case, from what either point makes of it. */
    public List<CaseOutcome> outcomes(
            Function<Metric, @Nullable Double> simulated, Function<Metric, @Nullable Double> byRelease, boolean fits) {
        List<CaseOutcome> outcomes = new ArrayList<>();
        measured.forEach((metric, value) -> outcomes.add(new CaseOutcome(
                published(), metric, value, simulated.apply(metric), byRelease.apply(metric), fits, contest())));
        return outcomes;
    }

    /** The outcome, where the case has one. */
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

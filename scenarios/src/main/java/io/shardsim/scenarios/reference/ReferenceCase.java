package io.shardsim.scenarios.reference;

import io.shardsim.reports.validation.Metric;
import io.shardsim.scenarios.question.CollectiveSettings;
import io.shardsim.scenarios.question.ScenarioPoint;
import io.shardsim.scenarios.question.Task;
import io.shardsim.topology.Cluster;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A published measurement and the scenario that should reproduce it.
 *
 * @param id unique in its file
 * @param family cases of one source: the name of their file
 * @param source document and place
 * @param role {@code calibration} or {@code validation}
 * @param confidence high, medium or low
 * @param note what had to be assumed, or null
 * @param measured published figures
 */
public record ReferenceCase(
        String id,
        String family,
        String source,
        String role,
        String confidence,
        @Nullable String note,
        ScenarioPoint point,
        Map<Metric, Double> measured) {
    public ReferenceCase {
        measured = Collections.unmodifiableMap(new EnumMap<>(measured));
    }

    /** What is simulated, whatever it is called: two cases with equal questions have equal answers. */
    public record Question(Cluster cluster, Task task, CollectiveSettings collectives) {}

    public Question question() {
        return new Question(point.cluster(), point.task(), point.collectives());
    }
}

package io.shardsim.scenarios.accuracy;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.validation.Metric;
import io.shardsim.scenarios.scenario.Task;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Advice rests on the order of runs. Published runs of one source, model, precision and cluster differ in split, micro-batch, checkpointing or software;
 * these are compared in pairs.
 */
class RankingTest {
    /** Measured speeds closer than this may change places from one run to the next. */
    private static final double APART = 1.05;

    private static final double RIGHT_MIN = 0.95;
    private static final double LOSS_MAX = 0.05;

    /** @param simulated today's prediction, as a speed like the measured one */
    private record Speed(String id, double measured, double simulated) {}

    @Test
    @Tag("slow")
    void pairsThatDifferAreRankedAsMeasuredAndTheBestPickLosesLittle() {
        int pairs = 0;
        int right = 0;
        int sweeps = 0;
        int goodPicks = 0;
        for (List<Speed> sweep : sweeps().values()) {
            for (Speed fast : sweep) {
                for (Speed slow : sweep) {
                    if (fast.measured > APART * slow.measured) {
                        pairs++;
                        right += fast.simulated > slow.simulated ? 1 : 0;
                    }
                }
            }
            if (sweep.size() > 1) {
                Speed pick = sweep.stream()
                        .max(Comparator.comparingDouble(Speed::simulated))
                        .orElseThrow();
                double best = sweep.stream().mapToDouble(Speed::measured).max().orElseThrow();
                sweeps++;
                goodPicks += pick.measured >= (1 - LOSS_MAX) * best ? 1 : 0;
            }
        }
        System.out.println(
                right + " of " + pairs + " pairs right, " + goodPicks + " of " + sweeps + " picks within 5 %");
        assertThat(pairs).isGreaterThan(400);
        assertThat((double) right / pairs).isGreaterThanOrEqualTo(RIGHT_MIN);
        assertThat((double) goodPicks / sweeps).isGreaterThanOrEqualTo(RIGHT_MIN);
    }

    private static Map<List<Object>, List<Speed>> sweeps() {
        Map<String, ReferenceCase> cases = new HashMap<>();
        PublishedCases.all().forEach(one -> cases.put(one.id(), one));
        Map<List<Object>, List<Speed>> sweeps = new LinkedHashMap<>();
        for (RecordedErrors.Row row : RecordedErrors.builtIn().rows()) {
            if (row.likeness().isTraining() && !row.metric().isMemory()) {
                boolean isTime = row.metric() == Metric.STEP_SECONDS;
                Speed speed = isTime
                        ? new Speed(row.id(), 1 / row.measured(), 1 / row.simulated())
                        : new Speed(row.id(), row.measured(), row.simulated());
                Task.Training training =
                        (Task.Training) cases.get(row.id()).point().task();
                List<Object> alike = List.of(
                        row.source(),
                        row.metric(),
                        training.model(),
                        training.sequenceLength(),
                        training.learning().precision(),
                        cases.get(row.id()).point().cluster(),
                        isTime ? training.globalBatch() : 0);
                sweeps.computeIfAbsent(alike, first -> new ArrayList<>()).add(speed);
            }
        }
        return sweeps;
    }
}

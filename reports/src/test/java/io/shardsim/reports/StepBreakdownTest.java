package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StepBreakdownTest {
    private static final long S = 1_000_000_000_000L;

    @Test
    void partsAreMeansOverRanks() {
        StepBreakdown b = StepBreakdown.of(observed(
                10 * S,
                rank(0, 5 * S, S, Map.of(Stream.GATHER, 2 * S, Stream.REDUCE, S, Stream.COMPUTE, S)),
                rank(1, 6 * S, 0, Map.of(Stream.GATHER, 2 * S, Stream.COMPUTE, S))));
        assertThat(b.workSeconds(Work.Kind.LAYER_FORWARD)).isEqualTo(5.5);
        assertThat(b.exposedSeconds(Stream.GATHER)).isEqualTo(2.0);
        assertThat(b.exposedSeconds(Stream.REDUCE)).isEqualTo(0.5);
        assertThat(b.slowdownSeconds()).isEqualTo(0.5);
        // Each waited a second before its first operation; rank 1 ends a second early.
        assertThat(b.idleSeconds()).isEqualTo(1.5);
        assertThat(b.stepPs()).isEqualTo(10 * S);
    }

    @Test
    void meansThatAreNoWholePicosecondsStillSumToTheStep() {
        StepBreakdown b = StepBreakdown.of(observed(
                100,
                rank(0, 50, 1, Map.of(Stream.GATHER, 49L)),
                rank(1, 51, 2, Map.of(Stream.GATHER, 47L)),
                rank(2, 50, 2, Map.of(Stream.REDUCE, 48L))));
        // 50 1/3, 1 2/3, 32 and 16: the picosecond that is left goes to the largest remainder.
        assertThat(b.workPs()).containsExactly(Map.entry(Work.Kind.LAYER_FORWARD, 50L));
        assertThat(b.slowdownPs()).isEqualTo(2);
        assertThat(b.exposedPs()).containsEntry(Stream.GATHER, 32L).containsEntry(Stream.REDUCE, 16L);
        assertThat(b.idlePs()).isZero();
    }

    @Test
    void sumsOverManyRanksDoNotOverflow() {
        long longPs = Long.MAX_VALUE / 2;
        StepBreakdown b = StepBreakdown.of(observed(
                longPs, rank(0, longPs, 0, Map.of()), rank(1, longPs, 0, Map.of()), rank(2, longPs, 0, Map.of())));
        assertThat(b.workPs()).containsExactly(Map.entry(Work.Kind.LAYER_FORWARD, longPs));
    }

    @Test
    void bothDirectionsOfAPipelineCountWhereReportsCountThem() {
        StepBreakdown b = StepBreakdown.of(
                observed(10, rank(0, 3, 0, Map.of(Stream.PIPELINE_FORWARD, 4L, Stream.PIPELINE_FORWARD_ODD, 3L))));
        assertThat(b.exposedPs()).containsEntry(Stream.PIPELINE_FORWARD, 7L);
        assertThat(b.exposedPs()).doesNotContainKey(Stream.PIPELINE_FORWARD_ODD);
    }

    @Test
    void partsThatDoNotSumAreRefused() {
        assertThatThrownBy(() -> new StepBreakdown(10, Map.of(Work.Kind.LAYER_FORWARD, 7L), 1, Map.of(), 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a step of 10 ps is not the sum 9 ps");
        assertThatThrownBy(() -> new RankTotals(
                        3, 10, Map.of(Stream.COMPUTE, 7L), Map.of(Work.Kind.LAYER_FORWARD, 7L), 1, Map.of()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("rank 3")
                .hasMessageContaining("lost 1 ps");
    }

    private static StepObservation observed(long endPs, RankTotals... ranks) {
        return new StepObservation(endPs, List.of(ranks), List.of(), List.of(), 0, 0, 0, "");
    }

    private static RankTotals rank(int rank, long workPs, long slowdownPs, Map<Stream, Long> exposedPs) {
        long finishPs = workPs
                + slowdownPs
                + exposedPs.values().stream().mapToLong(Long::longValue).sum();
        return new RankTotals(
                rank,
                finishPs,
                Map.of(Stream.COMPUTE, workPs + slowdownPs),
                Map.of(Work.Kind.LAYER_FORWARD, workPs),
                slowdownPs,
                exposedPs);
    }
}

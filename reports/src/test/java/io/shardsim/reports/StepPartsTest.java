package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StepPartsTest {
    /** For any two runs, the differences of their parts sum to the difference of their steps, as in the gap. */
    @Test
    void differencesSumToTheGap() {
        List<RunResult> runs =
                SampleRuns.sweep("s").runs().stream().filter(RunResult::fits).toList();
        int pairs = 0;
        for (RunResult fast : runs) {
            for (RunResult slow : runs) {
                long samples = fast.facts().model().globalBatch();
                if (slow.facts().model().globalBatch() == samples) {
                    long gap = StepParts.sum(StepParts.of(slow, samples)) - StepParts.sum(StepParts.of(fast, samples));
                    StepGap split = StepGap.between(fast, slow);
                    assertThat(gap).isEqualTo(split.gapPs());
                    for (String part : List.of("kernels", "recomputation", "interference", "idle")) {
                        assertThat(split.parts().getOrDefault(part, 0L))
                                .as(part)
                                .isEqualTo(StepParts.of(slow, samples).getOrDefault(part, 0L)
                                        - StepParts.of(fast, samples).getOrDefault(part, 0L));
                    }
                    pairs++;
                }
            }
        }
        assertThat(pairs).isGreaterThan(100);
    }

    @Test
    void partsOfAnotherBatchAreInProportion() {
        RunResult run = SampleRuns.single("s").runs().get(0);
        long batch = run.facts().model().globalBatch();
        Map<String, Long> once = StepParts.of(run, batch);
        StepParts.of(run, 3 * batch).forEach((name, ps) -> assertThat(ps).isEqualTo(3 * once.get(name)));
        assertThat(StepParts.names()).containsAll(once.keySet());
    }
}

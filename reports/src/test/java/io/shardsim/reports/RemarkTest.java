package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class RemarkTest {
    private static final ScenarioResult SWEEP = SampleRuns.sweep("s");

    private static String runsOf(Predicate<RunResult> condition) {
        List<Remark> remarks = Remark.of(SWEEP, run -> condition.test(run) ? List.of("text") : List.of());
        assertThat(remarks).extracting(Remark::text).containsExactly("text");
        return remarks.get(0).runs();
    }

    @Test
    void namesTheRunsInAsFewWordsAsTellWhich() {
        assertThat(runsOf(run -> true)).isEqualTo(Remark.ALL);
        assertThat(runsOf(run -> run.gpus() == 32 || run.gpus() == 16)).isEqualTo("16, 32 GPUs");
        assertThat(runsOf(run -> run.label().startsWith("FSDP"))).isEqualTo("FSDP");
        assertThat(runsOf(SWEEP.runs().get(3)::is)).isEqualTo("ZeRO-3, 32 GPUs");
        assertThat(runsOf(run -> run.gpus() > 16 && run.label().startsWith("FSDP")))
                .isEqualTo("FSDP, 32 GPUs and 3 more runs");
    }

    @Test
    void saysNothingTwice() {
        assertThat(Remark.of(SWEEP, run -> List.of("one", "two", "one")))
                .containsExactly(new Remark("one", Remark.ALL), new Remark("two", Remark.ALL));
    }

    /** Whole figures are listed, fractions become a range, signs and names stay. */
    @Test
    void sentencesThatDifferInFiguresAreOne() {
        assertThat(Remark.of(
                        SWEEP,
                        run -> List.of("capped to " + run.gpus() / 100 + ": needs " + run.gpus() / 10.0
                                + " GiB under zero3-0.11, 2.0.1")))
                .containsExactly(
                        new Remark("capped to 0, 1 or 2: needs 1.6 to 25.6 GiB under zero3-0.11, 2.0.1", Remark.ALL));
        assertThat(Remark.of(SWEEP, run -> List.of("-" + run.nodes() + " % off")))
                .hasSize(5);
    }

    /** The merged range reaches from the lowest to the highest end of the runs' ranges; figures in commands are not merged. */
    @Test
    void rangesAndCommandsStayTrue() {
        assertThat(Remark.of(
                        SWEEP, run -> List.of("needs " + run.gpus() + " to " + 2 * run.gpus() + " GiB, on 16 to 1")))
                .containsExactly(new Remark("needs 16 to 512 GiB, on 16 to 1", Remark.ALL));
        assertThat(Remark.of(SWEEP, run -> List.of("--set cluster.nodes=" + run.nodes())))
                .hasSize(5);
    }

    @Test
    void ofSentencesThatDifferInManyFiguresOneIsTold() {
        assertThat(Remark.of(
                        SWEEP,
                        run -> run.gpus() > 32
                                ? List.of()
                                : List.of("needs " + run.gpus() + ", " + 2 * run.gpus() + ", " + 3 * run.gpus()
                                        + " and " + 4 * run.gpus())))
                .containsExactly(
                        new Remark("needs 16, 32, 48 and 64", "ZeRO-3, 16 GPUs and 5 more like it: 16, 32 GPUs"));
    }

    @Test
    void publishedSourcesAreListedOnce() {
        String range = "memory is -1.0 % off, by 2 published sources: ";
        assertThat(Remark.of(
                        SWEEP,
                        run -> List.of(range
                                + (run.gpus() > 16
                                        ? "A (+1.0 %, calibration), B (-2.0 %)"
                                        : "B (-2.0 %), C (+3.0 %)"))))
                .containsExactly(
                        new Remark("memory is -1.0 % off", Remark.ALL),
                        new Remark(
                                "Sources of accuracy: B (-2.0 %), C (+3.0 %), A (+1.0 %, calibration).", Remark.ALL));
    }
}

package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ShortNamesTest {
    private static final String REDUCE = "Megatron-Core, tensor parallel 8, overlap_grad_reduce";

    @Test
    void whatFitsStays() {
        assertThat(ShortNames.of(List.of(REDUCE, "x"), REDUCE.length()).values())
                .containsExactly(REDUCE, "x");
    }

    @Test
    void abbreviationsComeBeforeAnythingIsLeftOut() {
        assertThat(ShortNames.of(List.of("PyTorch FSDP, context parallel 8, no checkpointing", "x"), 33)
                        .values())
                .containsExactly("PyTorch FSDP, CP 8, no ckpt", "x");
        assertThat(ShortNames.of(List.of("MiCS (shard group 16), p4d.24xlarge", "PyTorch FSDP, p5.48xlarge"), 20)
                        .values())
                .containsExactly("MiCS (group 16), p4d", "FSDP, p5");
    }

    @Test
    void whatAllNamesShareGoesBeforeTheMiddleIsCut() {
        assertThat(ShortNames.of(
                                List.of("Megatron-Core, TP 8, one_setting_of_many", "Megatron-Core, TP 8, another"), 25)
                        .values())
                .containsExactly("one_setting_of_many", "another");
    }

    @Test
    void noWordIsCutBetweenTheFirstAndTheLast() {
        assertThat(ShortNames.of(List.of("no overlap of gathers, two hops", "overlapped reductions in backward"), 22)
                        .values())
                .containsExactly("no overlap\u2026two hops", "overlapped\u2026in backward");
    }

    /** Two sizes of an instance, and names that differ only by a letter in the middle. */
    @Test
    void namesThatDifferStayDifferent() {
        assertThat(ShortNames.of(List.of("p5.4xlarge, full", "p5.48xlarge, full"), 12)
                        .values())
                .doesNotHaveDuplicates()
                .allSatisfy(name -> assertThat(name).hasSizeLessThanOrEqualTo(12));
        String long1 = "a".repeat(30) + "1" + "b".repeat(30);
        String long2 = "a".repeat(30) + "2" + "b".repeat(30);
        assertThat(ShortNames.of(List.of(long1, long2, long1), 20).values())
                .hasSize(2)
                .doesNotHaveDuplicates()
                .allSatisfy(name -> assertThat(name).hasSizeLessThanOrEqualTo(20));
    }
}

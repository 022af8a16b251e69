package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RunNamesTest {
    private static final String REDUCE = "Megatron-Core, tensor parallel 8, overlap grad reduce";

    @Test
    void aNameThatIsTooLongLosesTheSystemAndThenItsMiddle() {
        assertThat(RunNames.shortened(REDUCE, REDUCE.length())).isEqualTo(REDUCE);
        assertThat(RunNames.shortened(REDUCE, 44)).isEqualTo("tensor parallel 8, overlap grad reduce");
        assertThat(RunNames.shortened(REDUCE, 20)).isEqualTo("TP 8, ove\u2026rad reduce");
    }

    @Test
    void namesThatDifferAtTheEndStayApart() {
        assertThat(RunNames.shortened(REDUCE, 35))
                .hasSizeLessThanOrEqualTo(35)
                .isNotEqualTo(RunNames.shortened(REDUCE + ", overlap param gather", 35));
    }

    @Test
    void wordsOfTheFieldGiveWayToItsAbbreviationsBeforeAnythingIsCutOut() {
        assertThat(RunNames.shortened("Megatron-Core, context parallel 8, activation checkpointing none", 35))
                .isEqualTo("CP 8, checkpointing none");
    }
}

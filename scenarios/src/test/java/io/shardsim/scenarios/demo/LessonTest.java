package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LessonTest {
    /** Choices of lesson 5: half, the same, 1.5 times, 4 times. */
    @ParameterizedTest
    @CsvSource({
        "0.3, 0, false",
        "0.62, 0, true",
        "0.8, 1, true",
        "1.24, 2, true",
        "1.44, 2, true",
        "1.9, 2, false",
        "5.1, 3, false"
    })
    void nearestChoiceDiffersLeastAndIsRightWithinAQuarter(double ratio, int choice, boolean right) {
        Lesson lesson = Lessons.load().lesson("5-gradient-sync");
        assertThat(lesson.nearestChoice(ratio)).isEqualTo(choice);
        assertThat(lesson.isRight(choice, ratio)).isEqualTo(right);
    }
}

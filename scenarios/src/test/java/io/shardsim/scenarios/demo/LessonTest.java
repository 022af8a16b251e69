package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LessonTest {
    /** Choices of lesson 5: half, the same, 2 times, 8 times. */
    @ParameterizedTest
    @CsvSource({"0.3, 0", "0.7, 0", "0.8, 1", "1.44, 1", "1.6, 2", "4.9, 2", "5.1, 3"})
    void nearestChoiceDiffersLeast(double ratio, int choice) {
        Lesson lesson = Lessons.load().lesson("5-gradient-sync");
        assertThat(lesson.nearestChoice(ratio)).isEqualTo(choice);
    }
}

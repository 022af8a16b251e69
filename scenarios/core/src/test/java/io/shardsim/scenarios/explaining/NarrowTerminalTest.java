package io.shardsim.scenarios.explaining;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.reports.writing.TextTable;
import java.util.List;
import org.junit.jupiter.api.Test;

class NarrowTerminalTest {
    private static final List<List<String>> ROWS =
            List.of(List.of("what it is called", "1,234", "-5.6 %"), List.of("short", "7", "0 %"));

    @Test
    void wordsMakeRoomForFigures() {
        assertThat(TextTable.lines(ROWS, 1, 32))
                .containsExactly("what it is called  1,234  -5.6 %", "short                  7     0 %");
        assertThat(TextTable.lines(ROWS, 1, 27))
                .containsExactly("what it is ~  1,234  -5.6 %", "short             7     0 %");
        assertThat(new Paragraphs(27).table(ROWS, 1).toString().lines()).allMatch(line -> line.length() <= 27);
    }

    @Test
    void figuresAreNeverCut() {
        assertThat(TextTable.lines(ROWS, 1, 5))
                .containsExactly("what it i~  1,234  -5.6 %", "short           7     0 %");
        assertThat(TextTable.lines(ROWS, 0, 5)).first().isEqualTo("what it is called  1,234  -5.6 %");
    }
}

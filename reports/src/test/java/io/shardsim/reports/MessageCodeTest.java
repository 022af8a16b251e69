package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MessageCodeTest {
    /** A headline fits on one line with its code and runs; a page says what is the case and what to do. */
    @ParameterizedTest
    @EnumSource(MessageCode.class)
    void everyCodeHasAPage(MessageCode code) {
        MessagePage page = code.page();
        assertThat(page.headline()).endsWith(".").doesNotContain("\n").hasSizeLessThan(90);
        assertThat(page.paragraphs())
                .hasSizeGreaterThanOrEqualTo(2)
                .allSatisfy(text -> assertThat(text).isNotBlank());
    }

    @Test
    void everyPageIsOfACode() {
        assertThat(MessagePage.names()).containsExactlyInAnyOrderElementsOf(MessageCode.ids());
    }

    @Test
    void codesAreFoundByTheirNames() {
        assertThat(MessageCode.of("memory-edge")).hasValue(MessageCode.MEMORY_EDGE);
        assertThat(MessageCode.of("memory_edge")).isEmpty();
    }
}

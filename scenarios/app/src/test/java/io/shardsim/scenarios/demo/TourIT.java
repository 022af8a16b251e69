package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;

/** The tour of the page, by keyboard alone. */
@Tag("slow")
@ExtendWith(OnceMore.class)
class TourIT extends TeachingPage {
    private static final int STOPS = 8;
    private static final int SENTENCE_WORDS_MAX = 20;
    private static final int PRESENTED_WORDS_MAX = 25;
    private static final String CLOCK = "Number(document.querySelector('#clock').dataset.ps)";

    /** Counts visible words of paragraphs, legends and lists, without names and buttons. */
    private static final String WORDS_IN_SIGHT =
            "[...document.querySelectorAll('main p, main li, main dd')].filter(e => e.checkVisibility() && e.id !== 'tour-stop')"
                    + ".map(e => e.innerText).join(' ').trim().split(/\\s+/).length";

    private static void untilPhase(int stop, String phases) {
        browser.until(
                "stop " + stop + ", " + phases,
                "(d => d.stop === '" + stop + "' && '" + phases
                        + "'.split(' ').includes(d.phase))(document.querySelector('#tour').dataset)");
    }

    /** A sentence with its halo, then motion, then rest until Space; Backspace goes back. */
    @Test
    void leadsThroughEightStopsByKeys() throws IOException {
        browser.tabTo("#show-tour");
        browser.press(Keys.ENTER);
        browser.find("h1").click();
        for (int stop = 1; stop <= STOPS; stop++) {
            untilPhase(stop, "text");
            assertThat(browser.text("#tour-words").split("\\s+"))
                    .as("sentence " + stop)
                    .hasSizeBetween(5, SENTENCE_WORDS_MAX);
            assertThat(browser.text("#tour-words")).doesNotContain("{");
            assertThat((String) browser.script("location.search")).isEqualTo("?tour=" + stop);
            boolean isChart = "chart".equals(browser.script("document.body.dataset.halo"));
            if (!isChart) {
                double before = browser.number(CLOCK);
                browser.press(" ");
                browser.until("motion", CLOCK + " > " + before);
                browser.press(Keys.PAGE_DOWN);
            } else {
                browser.press(" ");
            }
            untilPhase(stop, stop == STOPS ? "end" : "rest");
            assertThat(browser.script("document.querySelector('.chart-box') !== null"))
                    .as("a chart at stop " + stop)
                    .isEqualTo(isChart);
            if (isChart) {
                assertThat(browser.find("#tour-chart .chart").isDisplayed()).isTrue();
            }
            double rests = browser.number(CLOCK);
            assertThat(browser.number(CLOCK)).as("the clock at rest").isEqualTo(rests);
            if (stop == 3) {
                browser.press(Keys.BACK_SPACE);
                untilPhase(3, "text");
                browser.press(Keys.BACK_SPACE);
                untilPhase(2, "text");
                browser.press("3");
                untilPhase(3, "text");
                browser.assertAccessible("of the tour");
                browser.press(" ", " ");
                untilPhase(3, "rest");
            }
            if (stop < STOPS) {
                browser.press(" ");
            }
        }
        // The race is that of the scenario, whatever the tour has shown.
        browser.find("#show-race").click();
        browser.until("the race", "document.querySelector('#race').dataset.ready === 'true'");
        assertThat(browser.text("#subject")).isEqualTo("16 layers, hidden 4096, on p4d.24xlarge");
        assertThat(browser.find("#leave").isDisplayed()).isFalse();
        browser.open(server.address() + "?watch&at=1000000000000", 1280, "light");
        browser.until("both runs", "document.body.dataset.ready === 'all'");
        assertThat(browser.number(CLOCK)).isEqualTo(1e12);
        browser.assertNothingWentWrong(server.address());
    }

    /** A file without lessons has no tour, but plays. */
    @Test
    void savedPageOfTwoRunsAlonePlays() throws Exception {
        Path file = saved("#save-page", "shardsim-run.html");
        browser.open(file.toUri().toString(), 1280, "light");
        browser.until("the file plays", "document.body.dataset.ready === 'all'");
        browser.until("time goes on", CLOCK + " > 0");
        assertThat(browser.find("#show-tour").isDisplayed()).isFalse();
        browser.assertNothingWentWrong(file.toUri().toString());
    }

    /** Text is readable from the last row, and few words are visible at once. */
    @Test
    void presentsInLargeLettersAndFewWords() throws IOException {
        browser.open(server.address() + "?present&tour=3", 1280, "light");
        untilPhase(3, "text");
        assertThat(browser.number("Math.min(...[...document.querySelectorAll('body *')].filter(e => e.checkVisibility()"
                        + " && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()))"
                        + ".map(e => parseFloat(getComputedStyle(e).fontSize)))"))
                .as("least letters")
                .isGreaterThanOrEqualTo(24);
        assertThat(browser.number(WORDS_IN_SIGHT)).isLessThanOrEqualTo(PRESENTED_WORDS_MAX);
        assertThat(browser.find("#key").isDisplayed()).as("the legend").isTrue();
        browser.press(".");
        assertThat(browser.find("#dark").isDisplayed()).isTrue();
        browser.press("b");
        assertThat(browser.find("#dark").isDisplayed()).isFalse();
        for (int width : new int[] {1280, 1920, 3840}) {
            browser.resize(width, width * 9 / 16);
            browser.assertAccessible("presented at " + width);
            browser.screenshot("present-" + width + ".png", width);
        }
        browser.assertNothingWentWrong(server.address());
    }

    /** The notes are those of the current view. */
    @Test
    void notesOpenInASecondWindow() {
        browser.open(server.address() + "?teacher=3-slow-nic", 1280, "light");
        browser.until("the notes", "document.querySelector('#teacher').dataset.shown === '3-slow-nic'");
        Lesson lesson = Lessons.load().lesson("3-slow-nic");
        assertThat(browser.text("#teacher"))
                .contains(lesson.title(), lesson.question().words(), "490 ms", "Hint:");
        browser.assertAccessible("of the notes");
        browser.assertNothingWentWrong(server.address());
    }
}

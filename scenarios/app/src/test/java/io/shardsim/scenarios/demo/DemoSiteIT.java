package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The page as a file, opened from disk. */
@Tag("slow")
@ExtendWith(OnceMore.class)
class DemoSiteIT {
    private static final long BYTES_MAX = 10_000_000;

    @TempDir
    static Path folder;

    @AutoClose
    static Browser browser;

    private static Path file;

    @BeforeAll
    static void write() throws Exception {
        browser = new Browser(folder);
        List<String> told = new ArrayList<>();
        file = Files.writeString(
                folder.resolve("index.html"), DemoSite.write(Main.demo(DemoScenario.open(null), 2), told::add));
        assertThat(told).hasSize(1 + Lessons.load().all().size());
    }

    private static void open(String at) {
        browser.open(file.toUri() + at, 1280, "light");
        browser.until("the page", "document.body.dataset.ready !== undefined");
    }

    @Test
    void opensWithTheRaceAndAsksNobody() throws Exception {
        assertThat(Files.size(file)).isLessThan(BYTES_MAX);
        open("");
        assertThat(browser.script("document.body.dataset.part")).isEqualTo("race");
        browser.find("h1").click();
        browser.press(Keys.END);
        browser.until("the line", "document.querySelectorAll('.lane[data-place=\"1\"]').length === 1");
        assertThat(browser.text("#race-verdict")).contains(" wins");
        browser.press(Keys.ENTER);
        browser.until("both runs", "document.querySelectorAll('.panel[data-label]').length === 2");
        browser.assertAccessible("of the file");
        browser.assertNothingWentWrong(file.toUri().toString());
    }

    @Test
    void answersEveryLessonAndPlaysItsRuns() {
        open("#lesson=1-sharding");
        for (Lesson lesson : Lessons.load().all()) {
            browser.find("#show-lessons").click();
            browser.find("#open-" + lesson.id()).click();
            browser.until("the scale of " + lesson.id(), "document.querySelector('#predict') !== null");
            browser.find("#predict").click();
            browser.until("the chart of " + lesson.id(), "document.querySelector('#answer .chart canvas') !== null");
            assertThat(browser.all("#answer tbody tr"))
                    .as(lesson.id())
                    .hasSize(lesson.points().size());
            if (lesson.shown().watch().isEmpty()) {
                assertThat(browser.all("#watch-lesson")).isEmpty();
                continue;
            }
            browser.find("#watch-lesson").click();
            browser.until(
                    "both runs of " + lesson.id(),
                    "[...document.querySelectorAll('.panel')].every(p => p.dataset.scenario === '" + lesson.scenario()
                            + "') && document.querySelectorAll('.panel.running').length === 0");
            browser.until("it plays", "Number(document.querySelector('#clock').dataset.ps) > 0");
        }
        browser.assertNothingWentWrong(file.toUri().toString());
    }

    /** A shared address shows what its sender saw. */
    @Test
    void addressNamesLessonAnswerInstantAndStop() {
        open("#lesson=3-slow-nic&said=0.26");
        browser.until("the verdict", "document.querySelector('.verdict') !== null");
        assertThat(browser.text(".verdict")).isEqualTo("You said 260 ms, it is 490 ms: 1.9 times too low.");
        open("#watch=3-slow-nic&at=50000000000");
        browser.until("both runs", "document.body.dataset.ready === 'all'");
        assertThat(browser.number("Number(document.querySelector('#clock').dataset.ps)"))
                .isEqualTo(5e10);
        browser.find("#step").click();
        browser.until("the next event", "document.querySelector('#clock').dataset.ps > 5e10");
        assertThat((String) browser.script("location.hash"))
                .startsWith("#watch=3-slow-nic&at=")
                .endsWith(String.valueOf(browser.script("document.querySelector('#clock').dataset.ps")));
        open("#tour=3");
        browser.until("its sentence", "document.querySelector('#tour').dataset.phase === 'text'");
        assertThat(browser.text("#tour-words")).contains("2.43 times");
        browser.assertNothingWentWrong(file.toUri().toString());
    }
}

package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** Each lesson is predicted, answered, watched and saved. */
@ExtendWith(OnceMore.class)
@Tag("slow")
class LessonPageIT extends TeachingPage {
    /** A visitor without a mouse: opens each lesson, predicts, reads the answer, continues. */
    @Test
    void everyLessonCanBeCompletedByKeyboard() throws Exception {
        browser.tabTo("#show-lessons");
        browser.press(Keys.ENTER);
        browser.press("1");
        List<Lesson> lessons = Lessons.load().all();
        for (Lesson lesson : lessons) {
            browser.until(
                    "the question of " + lesson.id(),
                    "document.querySelector('#lesson').dataset.lesson === '" + lesson.id()
                            + "' && document.querySelector('#prediction') !== null");
            assertThat(browser.text("#lesson h2")).isEqualTo(lesson.title());
            assertThat(browser.script("location.search")).isEqualTo("?lesson=" + lesson.id());
            assertThat(browser.all("#lesson [data-kind=given]"))
                    .hasSameSizeAs(lesson.question().given());
            browser.tabTo("#prediction");
            String before = browser.text("#lesson output");
            browser.press(Keys.ARROW_LEFT, Keys.ARROW_LEFT);
            String said = browser.text("#lesson output");
            assertThat(said).isNotEqualTo(before);
            browser.tabTo("#predict");
            browser.press(Keys.ENTER);
            browser.until("a chart for " + lesson.id(), "document.querySelector('#answer .chart canvas') !== null");
            assertThat(browser.text("#answer .verdict")).contains("ou said " + said, "it is ");
            assertThat(browser.all("#prediction")).as("a guess is locked").isEmpty();
            assertThat(browser.text("#lesson [data-kind=guessed]")).isEqualTo(said);
            assertHasAMarkForEachRun(lesson);
            if (!lesson.shown().watch().isEmpty()) {
                browser.until("why, at " + lesson.id(), "document.querySelectorAll('.why canvas').length === 2");
            }
            browser.tabTo("#predict-again");
            browser.press(Keys.ENTER);
            assertThat(browser.all("#answer form .verdict"))
                    .as("a second verdict")
                    .hasSize(1);
            if (lesson.id().startsWith("1-")) {
                browser.assertAccessible("in a lesson");
                assertFitsEveryScreen("lesson");
            }
            browser.screenshot("lesson-" + lesson.id() + ".png", 1280);
            if (!browser.all("#next-lesson").isEmpty()) {
                browser.tabTo("#next-lesson");
                browser.press(Keys.ENTER);
            }
        }
        assertThat(browser.all("#next-lesson")).as("behind the last lesson").isEmpty();
        assertThat(browser.text("#progress")).isEqualTo("14 of 14 answered");
        browser.assertNothingWentWrong(server.address());

        browser.open(server.address() + "?lesson=3-slow-nic", 1280, "light");
        browser.until("the lesson of the address", "document.querySelector('#prediction') !== null");
        assertThat(browser.text("#lesson h2")).isEqualTo(lessons.get(2).title());
        assertThat(browser.text("#progress")).as("kept").isEqualTo("14 of 14 answered");
        browser.press("5");
        browser.until("the fifth", "document.querySelector('#lesson').dataset.lesson === '5-overlap'");
        browser.press("n");
        browser.until("the next", "document.querySelector('#lesson').dataset.lesson === '6-gradient-sync'");
        browser.assertNothingWentWrong(server.address());
    }

    private static void assertHasAMarkForEachRun(Lesson lesson) {
        WebElement chart = browser.find("#answer .chart-box");
        assertThat(browser.all("#answer tbody tr")).hasSize(lesson.points().size());
        assertThat(chart.getDomAttribute("data-marks"))
                .isEqualTo(String.valueOf(lesson.points().size()));
        assertThat(
                        browser.number(
                                "echarts.getInstanceByDom(document.querySelector('#answer .chart')).getOption().series"
                                        + ".filter(each => each.type === 'bar' || each.type === 'line' && each.name !== '(p - 1) / (m + p - 1)')"
                                        + ".reduce((most, each) => each.type === 'bar' ? each.data.length : most + each.data.length, 0)"))
                .as("marks that are drawn")
                .isEqualTo(lesson.points().size());
    }

    /** A guess close to the answer is right or near, in both directions. */
    @Test
    void predictionIsJudgedByItsFactor() {
        for (String each : List.of("1.2 right", "1.5 near", "2 too high")) {
            String[] factor = each.split(" ", 2);
            String below = factor[1].equals("too high") ? "too low" : factor[1];
            assertThat(browser.scriptAsync("const done = arguments[0]; import('./scale.js').then(({judged}) =>"
                            + " done([judged(" + factor[0] + " * 490, 490).word, judged(490 / " + factor[0]
                            + ", 490).word].join()))"))
                    .isEqualTo(factor[1] + "," + below);
        }
        browser.assertNothingWentWrong(server.address());
    }

    @Test
    void lessonIsWatchedSideBySideAndSavedWithItsAnswer() throws Exception {
        browser.find("#show-lessons").click();
        browser.find("#open-1-sharding").click();
        predict();
        browser.until("an answer", "document.querySelector('#watch-lesson') !== null");
        browser.find("#watch-lesson").click();
        browser.until(
                "both points of the lesson",
                "[...document.querySelectorAll('.panel')].map(p => p.dataset.label).join() === 'DeepSpeed ZeRO-2,PyTorch FSDP, full shard'");
        browser.until("no run goes on", "document.querySelectorAll('.panel.running').length === 0");
        Path file = saved("#save-page", "shardsim-run.html");
        browser.assertNothingWentWrong(server.address());

        browser.open(file.toUri().toString(), 1280, "light");
        browser.until("the file plays", "document.body.dataset.ready === 'all'");
        double before = virtualMillis();
        browser.until("time goes on", "document.querySelector('#clock').dataset.ps / 1e9 > " + (before + 0.2));
        browser.find("#play").click();
        double paused = virtualMillis();
        browser.find("#step").click();
        browser.until("one event on", "document.querySelector('#clock').dataset.ps / 1e9 > " + paused);
        followAChunk(
                () -> browser.find("#follow").click(),
                () -> browser.find("#step").click());
        assertThat(browser.find("#change").isDisplayed()).isFalse();
        // Long after the last chunk in the file.
        browser.script(
                "(s => { s.value = 9000; s.dispatchEvent(new Event('input')); })(document.querySelector('#scrub'))");
        browser.until("a sentence", "/^\\d+ of 32 GPUs compute/.test(document.querySelector('.state').textContent)");
        browser.find("#show-lessons").click();
        browser.find("#open-1-sharding").click();
        predict();
        browser.until("the answer in the file", "document.querySelector('#answer .chart canvas') !== null");
        browser.assertAccessible("in the saved file");
        browser.find("#show-watch").click();
        assertFitsEveryScreen("saved");
        browser.assertNothingWentWrong(file.toUri().toString());
    }

    private static void predict() {
        browser.until("a scale", "document.querySelector('#predict') !== null");
        browser.find("#predict").click();
    }

    /** Heading, title, labels and runs are those of the lesson, whatever knobs change; marks never compare with another scenario. */
    @Test
    void everyKnobOfEveryLessonTurnsThatLesson() {
        for (Lesson lesson : Lessons.load().all()) {
            browser.find("#show-lessons").click();
            if (lesson.shown().watch().isEmpty()) {
                continue;
            }
            browser.find("#open-" + lesson.id()).click();
            predict();
            browser.until("an answer", "document.querySelector('#watch-lesson') !== null");
            browser.find("#watch-lesson").click();
            assertShows(lesson, "");
            assertThat(browser.all(".panel .changed"))
                    .as("marks of another scenario")
                    .isEmpty();
            for (WebElement knob : browser.all("#knobs input")) {
                if (knob.getDomAttribute("id").equals("knob-nodes")) {
                    Object before = browser.script(NODES_SHOWN);
                    browser.script(
                            "(s => { s.value = s.value === '0' ? 1 : 0; s.dispatchEvent(new Event('input')); })(arguments[0])",
                            knob);
                    browser.until("runs of another size", NODES_SHOWN + " !== '" + before + "'");
                    assertShows(lesson, "nodes");
                }
            }
        }
        browser.find("#leave").click();
        browser.until("the scenario before", "document.body.dataset.scenario === 'demo'");
        assertThat(browser.script("document.title")).isEqualTo("shardsim: demo");
        browser.assertNothingWentWrong(server.address());
    }

    /** Nodes of the run that each side shows. */
    private static final String NODES_SHOWN =
            "[...document.querySelectorAll('.panel')].map(panel => panel.dataset.nodes).join()";

    private static void assertShows(Lesson lesson, String turned) {
        browser.until(
                "no run goes on",
                "document.querySelectorAll('.panel.running').length === 0"
                        + " && document.body.dataset.scenario === '" + lesson.scenario() + "'"
                        + " && [...document.querySelectorAll('.panel')].every(p => p.dataset.scenario === '"
                        + lesson.scenario() + "')");
        assertThat(browser.script("document.title")).isEqualTo("shardsim: " + lesson.title());
        assertThat(browser.text("#subject")).contains(lesson.title());
        for (WebElement panel : browser.all(".panel")) {
            String point = String.valueOf(
                    browser.script("arguments[0].querySelector('.point').selectedOptions[0].textContent", panel));
            String nodes = panel.getDomAttribute("data-nodes");
            if (point.contains("nodes ") || !turned.isEmpty()) {
                assertThat(point + ",").as(lesson.id()).containsPattern("nodes " + nodes + "\\b");
            }
            String strategy = panel.getDomAttribute("data-strategy");
            if (!strategy.isEmpty()) {
                assertThat(browser.script("arguments[0].querySelector('.strategy').value", panel))
                        .isEqualTo(strategy);
            }
        }
    }
}

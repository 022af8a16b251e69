package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.scenarios.composition.Composition;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** The teaching page in Chromium, played by mouse and keyboard; screenshots are left in {@code target/demo-samples}. */
class DemoPageIT {
    @TempDir
    private static Path folder;

    private static Browser browser;
    private static DemoServer server;

    @BeforeAll
    static void start() throws Exception {
        browser = Browser.start(folder, folder);
        server = Composition.demo(DemoScenario.open(null), InetAddress.getLoopbackAddress(), 0, 2);
        server.start();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() {
        browser.open(server.address(), 1280, "light");
        browser.until("both runs", "document.body.dataset.ready === 'all'");
    }

    private static double virtualMillis() {
        return Double.parseDouble(browser.text("#clock").replace(" ms", ""));
    }

    @Test
    void playsPausesScrubsAndStepsInBothDirections() {
        browser.until("it plays by itself", "document.querySelector('#play').textContent === 'Pause'");
        double before = virtualMillis();
        browser.until("time goes on", "parseFloat(document.querySelector('#clock').textContent) > " + before);
        browser.find("#play").click();
        double paused = virtualMillis();
        browser.find("#step").click();
        browser.until("one event on", "parseFloat(document.querySelector('#clock').textContent) > " + paused);
        assertThat(browser.text("#words")).contains(": ", "GPUs compute");
        double stepped = virtualMillis();
        browser.find("#back").click();
        browser.until("one event back", "parseFloat(document.querySelector('#clock').textContent) < " + stepped);

        browser.script(
                "(s => { s.value = 7000; s.dispatchEvent(new Event('input')); })(document.querySelector('#scrub'))");
        double late = virtualMillis();
        assertThat(late).isGreaterThan(stepped);
        browser.script(
                "(s => { s.value = 100; s.dispatchEvent(new Event('input')); })(document.querySelector('#scrub'))");
        assertThat(virtualMillis()).isLessThan(late);
        browser.assertNothingWentWrong(server.address());
    }

    @Test
    void keysPlayStepAndFollowAChunkFromGpuToGpu() {
        browser.find("h1").click();
        browser.press(" ");
        browser.until("paused", "document.querySelector('#play').textContent === 'Play'");
        double paused = virtualMillis();
        browser.press(Keys.ARROW_RIGHT);
        browser.until("one event on", "parseFloat(document.querySelector('#clock').textContent) > " + paused);
        browser.press("f");
        browser.until("stations", "document.querySelectorAll('#stations tr').length > 2");
        assertThat(browser.all("#stations tr").get(0).getText()).matches("(?s)Node\\[\\d]\\.Gpu\\[\\d].*");
        assertThat(browser.all("#stations tr")
                        .get(browser.all("#stations tr").size() - 1)
                        .getText())
                .matches("(?s)Node\\[\\d]\\.Gpu\\[\\d].*");
        browser.assertNothingWentWrong(server.address());
    }

    @Test
    void countsEndAtTheFiguresOfTheResultDocument() {
        browser.find("h1").click();
        browser.press(Keys.END);
        for (int side = 0; side < 2; side++) {
            String panel = "document.querySelectorAll('.panel')[" + side + "]";
            for (String figure : new String[] {"nic", "exposed", "step"}) {
                double counted = browser.number(
                        "Number(" + panel + ".querySelector('[data-figure=" + figure + "-now]').dataset.value)");
                double document = browser.number(
                        "Number(" + panel + ".querySelector('[data-figure=" + figure + "]').dataset.value)");
                assertThat(counted).as(figure).isPositive().isCloseTo(document, within(1e-11 * document));
            }
        }
        browser.assertNothingWentWrong(server.address());
    }

    @Test
    void knobRunsAgainAndMarksWhatChanged() {
        String step = browser.text(".panel [data-figure=step]");
        browser.tabTo("#knob-link_rate");
        browser.press(Keys.ARROW_LEFT);
        browser.until("a change is marked", "document.querySelectorAll('.panel .changed').length > 0");
        assertThat(browser.text(".panel [data-figure=step]")).isNotEqualTo(step);
        assertThat(browser.text(".panel [data-figure=step-change]")).isNotEmpty();
        browser.assertNothingWentWrong(server.address());
    }

    /** A visitor without a mouse: opens each lesson, predicts, reads the answer, goes on. */
    @Test
    void everyLessonCanBeCompletedByKeyboard() throws Exception {
        browser.tabTo("#show-lessons");
        browser.press(Keys.ENTER);
        browser.tabTo("#open-1-sharding");
        browser.press(Keys.ENTER);
        for (Lesson lesson : Lessons.load().all()) {
            assertThat(browser.text("#lesson h2")).isEqualTo(lesson.title());
            browser.tabTo("input[name=prediction]");
            browser.press(" ");
            browser.tabTo("#predict");
            browser.press(Keys.ENTER);
            browser.until("an answer to " + lesson.id(), "document.querySelector('#answer table') !== null");
            assertThat(browser.text("#answer .verdict")).contains("the simulation says");
            assertThat(browser.all("#answer tbody tr")).hasSize(lesson.points().size());
            if (lesson.id().startsWith("1")) {
                browser.assertAccessible("in a lesson");
                assertFitsEveryScreen("lesson");
            }
            if (!browser.all("#next-lesson").isEmpty()) {
                browser.tabTo("#next-lesson");
                browser.press(Keys.ENTER);
            }
        }
        assertThat(browser.all("#next-lesson")).as("behind the last lesson").isEmpty();
        browser.assertNothingWentWrong(server.address());
    }

    @Test
    void lessonIsWatchedSideBySideAndSavedWithItsAnswer() throws Exception {
        browser.find("#show-lessons").click();
        browser.find("#open-1-sharding").click();
        browser.find("input[name=prediction]").click();
        browser.find("#predict").click();
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
        browser.until("time goes on", "parseFloat(document.querySelector('#clock').textContent) > " + (before + 0.2));
        browser.find("#play").click();
        double paused = virtualMillis();
        browser.find("#step").click();
        browser.until("one event on", "parseFloat(document.querySelector('#clock').textContent) > " + paused);
        browser.find("#follow").click();
        assertThat(browser.all("#stations tr")).hasSizeGreaterThan(2);
        assertThat(browser.find("#change").isDisplayed()).isFalse();
        browser.find("#show-lessons").click();
        browser.find("#open-1-sharding").click();
        browser.find("input[name=prediction]").click();
        browser.find("#predict").click();
        browser.until("the answer in the file", "document.querySelector('#answer table') !== null");
        browser.assertAccessible("in the saved file");
        browser.find("#show-watch").click();
        assertFitsEveryScreen("saved");
        browser.assertNothingWentWrong(file.toUri().toString());
    }

    @Test
    void momentIsSavedAsSvgAndPng() throws Exception {
        browser.find("h1").click();
        browser.press(" ");
        Path svg = saved("#save-svg", "shardsim-\\d+us\\.svg");
        assertThat(Files.readString(svg)).startsWith("<svg").contains("Node 0", "whole step", "MiCS", "ZeRO-3");
        Path png = saved("#save-png", "shardsim-\\d+us\\.png");
        assertThat(ImageIO.read(png.toFile()).getWidth()).isGreaterThanOrEqualTo(1200);
        browser.assertNothingWentWrong(server.address());
    }

    /** Presses a button and waits for the file that the browser saves. */
    private static Path saved(String button, String name) {
        browser.script("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", button);
        browser.find(button).click();
        return Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> file(name), Objects::nonNull);
    }

    private static Path file(String name) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().matches(name))
                    .findFirst()
                    .orElse(null);
        }
    }

    @Test
    void fitsEveryScreenInLightAndDark() throws Exception {
        browser.find("h1").click();
        browser.press(" ", "f");
        assertFitsEveryScreen("watch");
        browser.assertNothingWentWrong(server.address());
    }

    /** On telephone, laptop and projector, light and dark; leaves screenshots. */
    private static void assertFitsEveryScreen(String name) throws IOException {
        for (String scheme : new String[] {"dark", "light"}) {
            browser.scheme(scheme);
            for (int width : new int[] {360, 1920, 1280}) {
                browser.resize(width, 900);
                assertThat(browser.number("document.documentElement.scrollWidth"))
                        .as("width of the page at %d pixels", width)
                        .isLessThanOrEqualTo(width);
                browser.screenshot(name + "-" + width + "-" + scheme + ".png", width);
            }
            browser.assertAccessible("of " + name + " in " + scheme);
        }
        browser.resize(1280, 900);
    }

    @Test
    void drawsAtMostTwentyFramesASecond() {
        browser.until("it plays by itself", "document.querySelector('#play').textContent === 'Pause'");
        double framesPerSecond = ((Number)
                        browser.scriptAsync("const done = arguments[0]; let frames = 0; let first = 0; let last = 0;"
                                + " new MutationObserver(() => { last = performance.now(); first ||= last; frames++; })"
                                + "   .observe(document.querySelector('#clock'), {childList: true});"
                                + " setTimeout(() => done(1000 * (frames - 1) / (last - first)), 3000)"))
                .doubleValue();
        assertThat(framesPerSecond).isBetween(1.0, 20.2);
        browser.assertNothingWentWrong(server.address());
    }

    @Test
    void largeClusterIsDrawnByNodeAndZooms() throws Exception {
        browser.find("h1").click();
        browser.press(" ");
        browser.tabTo("#knob-nodes");
        browser.press(Keys.END);
        browser.until("both runs on more nodes", "document.querySelectorAll('.panel .changed').length > 4");
        browser.until("no run goes on", "document.querySelectorAll('.panel.running').length === 0");
        browser.find("h1").click();
        browser.press("z", Keys.ARROW_RIGHT, Keys.ARROW_RIGHT);
        assertThat(browser.text("#words")).contains(" of 256 GPUs compute");
        browser.screenshot("large-1280.png", 1280);
        browser.assertNothingWentWrong(server.address());
    }

    /** Streams that the built-in scenario does not have: a tensor-parallel group's, and those between stages. */
    @Test
    void modelParallelStepsPlayToTheirEnd() throws Exception {
        Path file = Files.writeString(folder.resolve("split.yaml"), """
                scenario: split
                cluster: {instance: p4d.24xlarge, nodes: 2}
                model: {hidden: 1024, layers: 4, heads: 16, ffn: 4096, vocab: 4096}
                training: {global_batch: 16, sequence_length: 512, micro_batch: 1, precision: bf16, activation_checkpointing: full}
                strategy: {kind: megatron, tensor_parallel: 2, pipeline_parallel: 2}
                """);
        try (DemoServer split =
                Composition.demo(DemoScenario.open(file.toString()), InetAddress.getLoopbackAddress(), 0, 2)) {
            split.start();
            browser.open(split.address(), 1280, "light");
            browser.until("both runs", "document.body.dataset.ready === 'all'");
            browser.find("h1").click();
            browser.press(" ", Keys.HOME, Keys.ARROW_RIGHT);
            browser.until("an event", "parseFloat(document.querySelector('#clock').textContent) > 0");
            browser.press(Keys.END);
            browser.until("the end", "document.querySelector('#words').textContent.includes(' of 16 GPUs compute')");
            browser.screenshot("split-1280.png", 1280);
            browser.assertNothingWentWrong(split.address());
        }
    }

    @Test
    void leavingThePageFreesItsRuns() throws Exception {
        Awaitility.await().until(() -> server.viewers() == 1);
        browser.open("about:blank", 1280, "light");
        Awaitility.await("the page is freed").atMost(Duration.ofSeconds(5)).until(() -> server.viewers() == 0);
    }

    /** A laptop that slept, or a server that was started anew: the page runs everything again by itself. */
    @Test
    void pageFindsItsServerAgain() throws Exception {
        DemoServer first = Composition.demo(DemoScenario.open(null), InetAddress.getLoopbackAddress(), 0, 2);
        first.start();
        String address = first.address();
        browser.open(address, 1280, "light");
        browser.until("both runs", "document.body.dataset.ready === 'all'");
        browser.script("""
                new MutationObserver(changes => {
                  for (const change of changes) {
                    if (change.target.classList.contains('running')) window.began = (window.began ?? 0) + 1;
                  }
                }).observe(document.querySelector('#panels'), {subtree: true, attributeFilter: ['class']})
                """);
        first.close();
        int port = Integer.parseInt(address.replaceAll(".*:(\\d+)/", "$1"));
        try (DemoServer second = Composition.demo(DemoScenario.open(null), InetAddress.getLoopbackAddress(), port, 2)) {
            second.start();
            Awaitility.await("the page is back").atMost(Duration.ofSeconds(30)).until(() -> second.viewers() == 1);
            browser.until("both have begun", "window.began >= 2");
            browser.until("both are done", "document.querySelectorAll('.panel.running').length === 0");
            browser.find("h1").click();
            browser.press(" ", Keys.HOME, Keys.ARROW_RIGHT);
            browser.until(
                    "an event",
                    "document.querySelector('#words').textContent.includes('begins')"
                            + " || document.querySelector('#words').textContent.includes('chunk')");
        }
    }
}

package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.scenarios.app.Main;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.support.ui.Select;

/** The teaching page in Chromium, played by mouse and keyboard; screenshots are left in {@code target/demo-samples}. */
@ExtendWith(OnceMore.class)
class DemoPageIT {
    @TempDir
    private static Path folder;

    static Browser browser;
    private static DemoServer server;

    @BeforeAll
    static void start() throws Exception {
        browser = new Browser(folder);
        server = Main.demo(DemoScenario.open(null), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 2);
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
        browser.open(server.address() + "?watch", 1280, "light");
        browser.until("both runs", "document.body.dataset.ready === 'all'");
    }

    private static double virtualMillis() {
        return browser.number("document.querySelector('#clock').dataset.ps / 1e9");
    }

    @Test
    void playsPausesScrubsAndStepsInBothDirections() {
        browser.until("it plays by itself", "document.querySelector('#play').textContent === 'Pause'");
        double before = virtualMillis();
        browser.until("time goes on", "document.querySelector('#clock').dataset.ps / 1e9 > " + before);
        browser.find("#play").click();
        double paused = virtualMillis();
        browser.find("#step").click();
        browser.until("one event on", "document.querySelector('#clock').dataset.ps / 1e9 > " + paused);
        assertThat(browser.text("#happened")).contains(": ");
        assertThat(browser.text(".panel .state")).contains("GPUs compute");
        double stepped = virtualMillis();
        browser.find("#back").click();
        browser.until("one event back", "document.querySelector('#clock').dataset.ps / 1e9 < " + stepped);

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
        browser.until("one event on", "document.querySelector('#clock').dataset.ps / 1e9 > " + paused);
        followAChunk(() -> browser.press("f"), () -> browser.press(Keys.ARROW_RIGHT));
        assertThat(browser.all("#stations tr").get(0).getText()).matches("(?s)Node\\[\\d]\\.Gpu\\[\\d].*");
        assertThat(browser.all("#stations tr")
                        .get(browser.all("#stations tr").size() - 1)
                        .getText())
                .matches("(?s)Node\\[\\d]\\.Gpu\\[\\d].*");
        browser.assertNothingWentWrong(server.address());
    }

    /** Where no chunk is under way at the instant of the pause, the page says to step to the next event. */
    private static void followAChunk(Runnable follow, Runnable step) {
        String stations = "document.querySelectorAll('#stations tr').length > 2";
        follow.run();
        for (int tries = 0; tries < 100; tries++) {
            browser.until(
                    "a chunk or none",
                    stations + " || document.querySelector('#followed-title').textContent.startsWith('No chunk')");
            if (Boolean.TRUE.equals(browser.script(stations))) {
                return;
            }
            step.run();
            follow.run();
        }
        browser.until("stations", stations);
    }

    @Test
    void countsEndAtTheFiguresOfTheResultDocument() {
        browser.find("h1").click();
        browser.press(Keys.END);
        for (int side = 0; side < 2; side++) {
            countsEndAtTheFigures(side);
        }
        browser.assertNothingWentWrong(server.address());
    }

    private static void countsEndAtTheFigures(int side) {
        String panel = "document.querySelectorAll('.panel')[" + side + "]";
        for (String figure : new String[] {"nic", "exposed", "step"}) {
            double counted = browser.number(
                    "Number(" + panel + ".querySelector('[data-figure=" + figure + "-now]').dataset.value)");
            double document =
                    browser.number("Number(" + panel + ".querySelector('[data-figure=" + figure + "]').dataset.value)");
            assertThat(counted).as(figure).isPositive().isCloseTo(document, within(1e-11 * document));
        }
    }

    /** Pauses for a moment each tenth of a second and counts the GPUs that are filled on the canvas. */
    @Test
    void sentenceAgreesWithThePictureInEveryFrame() {
        browser.script("document.querySelector('h1').click()");
        Object samples = browser.scriptAsync("""
                const done = arguments[0];
                import('/layout.js').then(({layoutOf}) => {
                  const panel = document.querySelector('.panel');
                  const canvas = panel.querySelector('canvas.cluster');
                  const cluster = {nodes: 8, gpusPerNode: 8, nicsPerNode: 4, pcieSwitches: 4};
                  const style = getComputedStyle(document.documentElement).getPropertyValue('--w3').trim();
                  const blue = [1, 3, 5].map(at => parseInt(style.slice(at, at + 2), 16)).join();
                  const samples = [];
                  const timer = setInterval(() => {
                    const {boxes} = layoutOf(cluster, canvas.clientWidth, 0);
                    const pen = canvas.getContext('2d');
                    const filled = boxes.flatMap(box => box.gpus).filter(gpu =>
                      [...pen.getImageData(gpu.x + gpu.width / 2, gpu.y + gpu.height / 2, 1, 1).data].slice(0, 3).join() === blue).length;
                    samples.push(`${filled} ${parseInt(panel.querySelector('.state').textContent)}`);
                    if (samples.length === 60) { clearInterval(timer); done(samples.join(';')); }
                  }, 100);
                })""");
        List<String> pairs = List.of(String.valueOf(samples).split(";"));
        assertThat(pairs).allSatisfy(pair -> assertThat(pair.split(" ")[1]).isEqualTo(pair.split(" ")[0]));
        assertThat(pairs).as("GPUs that compute and GPUs that wait").contains("64 64", "0 0");
    }

    @Test
    void stepPlaysInAboutHalfAMinuteAndSlowerAsOneZoomsIn() {
        double stepMillis = 1e3
                * browser.number("Math.max(...[...document.querySelectorAll('[data-figure=step]')]"
                        + ".map(each => Number(each.dataset.value)))");
        assertThat(stepMillis / millisPerSecond()).isBetween(25.0, 45.0);
        browser.find("h1").click();
        browser.press("+");
        assertThat(stepMillis / millisPerSecond()).isBetween(100.0, 180.0);
        browser.press("+", "+");
        assertThat(browser.text("#slow")).contains("step in 32 min");
        browser.press("-", "-", "-");
        assertThat(browser.find("#slow").getDomProperty("value")).isEqualTo("1");
    }

    /** Virtual milliseconds that pass in a second on the screen, over some seconds that are long enough for a slow machine. */
    private static double millisPerSecond() {
        return ((Number) browser.scriptAsync("""
                const done = arguments[0];
                const now = () => [performance.now(), document.querySelector('#clock').dataset.ps / 1e9];
                const [real, virtual] = now();
                setTimeout(() => { const [later, on] = now(); done(1000 * (on - virtual) / (later - real)); }, 3000)""")).doubleValue();
    }

    /** A window in full is far shorter than the stretch, which goes on in outline on both sides of it. */
    @Test
    void stretchAroundTheClockIsDrawnWhollyWhileTheClockStands() {
        browser.find("h1").click();
        browser.press(" ");
        browser.script(
                "(s => { s.value = 3000; s.dispatchEvent(new Event('input')); })(document.querySelector('#scrub'))");
        browser.press(Keys.ARROW_RIGHT);
        browser.until("an event", "document.querySelector('#happened').textContent !== ''");
        // Drawn with the next frame.
        browser.until("columns that compute", """
                (canvas => {
                  const style = getComputedStyle(document.documentElement).getPropertyValue('--w3').trim();
                  const blue = [1, 3, 5].map(at => parseInt(style.slice(at, at + 2), 16)).join();
                  const lanes = ['GPUs', 'gather', 'reduce'].length;
                  const {data} = canvas.getContext('2d').getImageData(0, 28 + 12 * lanes + 18 + 6, canvas.width, 1);
                  return Array.from({length: canvas.width}, (_, x) => data.slice(4 * x, 4 * x + 3).join()).filter(at => at === blue).length;
                })(document.querySelector('canvas.timeline')) > 200""");
    }

    @Test
    void legendIsInViewWithoutScrolling() {
        browser.resize(1280, 800);
        double transport = browser.number("document.querySelector('.transport').getBoundingClientRect().top");
        assertThat(browser.number("document.querySelector('#key').getBoundingClientRect().top"))
                .isPositive();
        assertThat(browser.number("document.querySelector('#key').getBoundingClientRect().bottom"))
                .isLessThan(transport);
        assertThat(browser.all("#key li")).allMatch(WebElement::isDisplayed).hasSizeGreaterThan(6);
        browser.resize(1280, 900);
    }

    @ParameterizedTest
    @CsvSource({
        "gpt2-30b-on-p4d, DeepSpeed ZeRO-3|PyTorch FSDP&comma; full shard",
        "zero3-against-mics, DeepSpeed ZeRO-3|MiCS (SMP sharded data parallel)"
    })
    void bothHalvesOfASweepPlayAndAnotherPointCanBePicked(String scenario, String labels) throws Exception {
        try (DemoServer own = open("library/" + scenario + ".yaml")) {
            assertThat(shownLabels()).isEqualTo(labels.replace("&comma;", ","));
            assertThat(browser.all(".panel .status"))
                    .allMatch(status -> status.getText().isEmpty());
            assertThat(browser.all(".panel canvas.cluster")).hasSize(2).allMatch(WebElement::isDisplayed);
            String nodes = browser.text(".panel .state");
            pick(".panel .point", "nodes 16, zero3");
            assertThat(browser.text(".panel .state")).isNotEqualTo(nodes).contains(" of 128 GPUs compute");
            pick(".panel:last-child .point", "nothing beside it");
            assertThat(browser.all(".panel canvas.cluster"))
                    .filteredOn(WebElement::isDisplayed)
                    .hasSize(1);
            browser.assertNothingWentWrong(own.address());
        }
    }

    private static DemoServer open(String file) throws Exception {
        DemoServer own =
                Main.demo(DemoScenario.open(file), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 2);
        own.start();
        browser.open(own.address() + "?watch", 1280, "light");
        browser.until("all runs", "document.body.dataset.ready === 'all'");
        return own;
    }

    private static String shownLabels() {
        return String.valueOf(browser.script("[...document.querySelectorAll('.panel')].filter(p => !p.matches('.none'))"
                + ".map(p => p.dataset.label.replace(/, shard group .*/, '')).join('|')"));
    }

    private static void pick(String css, String option) {
        new Select(browser.find(css)).selectByVisibleText(option);
        browser.until("no run goes on", "document.querySelectorAll('.panel.running').length === 0");
    }

    @Test
    void pointThatDoesNotFitSaysWhatWould() throws Exception {
        try (DemoServer own = open("library/gpt2-30b-on-p4d.yaml")) {
            pick(".panel .point", "nodes 2, zero3 (does not fit)");
            assertThat(browser.text(".panel .status")).contains("does not fit in memory");
            assertThat(browser.find(".panel canvas.cluster").isDisplayed()).isFalse();
            browser.find("#step").click();
            pick(".panel .point", "nodes 8, mics");
            assertThat(browser.text(".panel .status")).isEmpty();
            assertThat(browser.find(".panel canvas.cluster").isDisplayed()).isTrue();
            browser.assertNothingWentWrong(own.address());
        }
    }

    @Test
    void bareCollectivePlaysToItsEnd() throws Exception {
        try (DemoServer own = open("library/lesson-4-hierarchical-gather.yaml")) {
            assertThat(browser.text("h1")).isEqualTo("Watch a collective");
            assertThat(browser.all(".panel canvas.cluster")).hasSize(2).allMatch(WebElement::isDisplayed);
            assertThat(browser.find(".panel .strategy").isDisplayed()).isFalse();
            assertThat(browser.text(".panel .state")).contains("64 of 64 GPUs exchange data");
            assertThat(browser.text(".panel .figures"))
                    .contains("bus bandwidth")
                    .doesNotContain("exposed");
            browser.find("h1").click();
            browser.press(" ", Keys.HOME, Keys.ARROW_RIGHT);
            browser.until("an event", "document.querySelector('#clock').dataset.ps > 0");
            browser.press(Keys.END);
            assertThat(browser.number("Number(document.querySelector('[data-figure=nic-now]').dataset.value)"))
                    .isPositive()
                    .isEqualTo(browser.number("Number(document.querySelector('[data-figure=nic]').dataset.value)"));
            browser.assertNothingWentWrong(own.address());
        }
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
            assertThat(browser.all("#lesson input")).as("a guess is locked").isEmpty();
            assertThat(browser.text("#lesson [data-kind=guessed]")).isEqualTo(said);
            assertHasAMarkForEachRun(lesson);
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

    /** Near the truth is right or near, in both directions. */
    @Test
    void predictionIsJudgedByItsFactor() {
        for (String each : List.of("1.2 right", "1.5 near", "2 too high")) {
            String[] factor = each.split(" ", 2);
            String below = factor[1].equals("too high") ? "too low" : factor[1];
            assertThat(browser.scriptAsync("const done = arguments[0]; import('./lessons.js').then(({judged}) =>"
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
        // Long after the last chunk that the file holds.
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

    /** Heading, title, labels and runs are those of the lesson, whatever is turned; marks compare with no other scenario. */
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

    @ParameterizedTest
    @CsvSource({"zero3-against-mics, gather", "pipeline-schedules, pipeline_forward"})
    void overviewDrawsTheSharesOfTheResult(String scenario, String waits) throws Exception {
        try (DemoServer own = open("library/" + scenario + ".yaml")) {
            for (WebElement panel : browser.all(".panel:not(.none)")) {
                String read = "Object.entries(JSON.parse(arguments[0].querySelector('.timeline').dataset.overview))";
                double step = number(panel, "step");
                double exposed = ((Number) browser.script(
                                read + ".filter(([part]) => !['compute', 'idle', 'host', 'copy'].includes(part))"
                                        + ".reduce((sum, [, share]) => sum + share, 0)",
                                panel))
                        .doubleValue();
                assertThat(exposed).isCloseTo(number(panel, "exposed") / step, within(0.01));
                assertThat(browser.script(
                                read + ".some(([part, share]) => part === '" + waits + "' && share > 0.01)", panel))
                        .isEqualTo(true);
                assertThat(panel.findElement(By.cssSelector(".state")).getText())
                        .doesNotContain("wait for communication");
            }
            browser.screenshot("overview-" + scenario + ".png", 1280);
            browser.assertNothingWentWrong(own.address());
        }
    }

    private static double number(WebElement panel, String figure) {
        return ((Number) browser.script(
                        "Number(arguments[0].querySelector('[data-figure=" + figure + "]').dataset.value)", panel))
                .doubleValue();
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
        // The first frame that is seen may have been late by most of its time; the clock makes up for that in the next
        // ones.
        double framesPerSecond = ((Number)
                        browser.scriptAsync("const done = arguments[0]; let frames = 0; let first = 0; let last = 0;"
                                + " new MutationObserver(() => { last = performance.now(); first ||= last; frames++; })"
                                + "   .observe(document.querySelector('#clock'), {childList: true});"
                                + " setTimeout(() => done(1000 * (frames - 2) / (last - first)), 3000)"))
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
        assertThat(browser.text(".panel .state")).contains(" of 256 GPUs compute");
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
        try (DemoServer split = Main.demo(
                DemoScenario.open(file.toString()), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 2)) {
            split.start();
            browser.open(split.address() + "?watch", 1280, "light");
            browser.until("its run", "document.body.dataset.ready === 'all'");
            browser.find("h1").click();
            browser.press(" ", Keys.HOME, Keys.ARROW_RIGHT);
            browser.until("an event", "document.querySelector('#clock').dataset.ps / 1e9 > 0");
            browser.press(Keys.END);
            browser.until("the end", "document.querySelector('.state').textContent.includes('it is over')");
            assertThat(browser.text("#happened")).as("an event that is past").isEmpty();
            countsEndAtTheFigures(0);
            browser.screenshot("split-1280.png", 1280);
            browser.assertNothingWentWrong(split.address());
        }
    }

    @Test
    void leavingThePageFreesItsRuns() throws Exception {
        Awaitility.await().until(() -> server.viewers() == 1);
        browser.open("about:blank", 1280, "light");
        Awaitility.await("the page is freed").atMost(Duration.ofSeconds(60)).until(() -> server.viewers() == 0);
    }

    /** A laptop that slept, or a server that was started anew: the page runs everything again by itself. */
    @Test
    void pageFindsItsServerAgain() throws Exception {
        DemoServer first =
                Main.demo(DemoScenario.open(null), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 2);
        first.start();
        String address = first.address();
        browser.open(address + "?watch", 1280, "light");
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
        try (DemoServer second =
                Main.demo(DemoScenario.open(null), new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 2)) {
            second.start();
            Awaitility.await("the page is back").atMost(Duration.ofSeconds(60)).until(() -> second.viewers() == 1);
            browser.until("both have begun", "window.began >= 2");
            browser.until("both are done", "document.querySelectorAll('.panel.running').length === 0");
            browser.find("h1").click();
            browser.press(" ", Keys.HOME, Keys.ARROW_RIGHT);
            browser.until(
                    "an event",
                    "document.querySelector('#happened').textContent.includes('begins')"
                            + " || document.querySelector('#happened').textContent.includes('chunk')");
        }
    }
}

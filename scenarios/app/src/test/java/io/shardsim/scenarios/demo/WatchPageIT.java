package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;

/** Two runs side by side: playback, drawing, counters, and the connection to their server. */
@ExtendWith(OnceMore.class)
@Tag("slow")
class WatchPageIT extends TeachingPage {
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

    @Test
    void countsEndAtTheFiguresOfTheResultDocument() {
        browser.find("h1").click();
        browser.press(Keys.END);
        for (int side = 0; side < 2; side++) {
            countsEndAtTheFigures(side);
        }
        browser.assertNothingWentWrong(server.address());
    }

    /** Pauses briefly each tenth of a second, and counts the GPUs that are filled on the canvas. */
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

    /** Returns virtual milliseconds per second on the screen, measured over some seconds, long enough for a slow machine. */
    private static double millisPerSecond() {
        return ((Number) browser.scriptAsync("""
                const done = arguments[0];
                const now = () => [performance.now(), document.querySelector('#clock').dataset.ps / 1e9];
                const [real, virtual] = now();
                setTimeout(() => { const [later, on] = now(); done(1000 * (on - virtual) / (later - real)); }, 3000)""")).doubleValue();
    }

    /** A window is far shorter than the stretch, which continues in outline on both sides of it. */
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
                  const {data} = canvas.getContext('2d').getImageData(0, 34 + 14 * lanes + 22 + 6, canvas.width, 1);
                  return Array.from({length: canvas.width}, (_, x) => data.slice(4 * x, 4 * x + 3).join()).filter(at => at === blue).length;
                })(document.querySelector('canvas.timeline')) > 200""");
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

    @Test
    void leavingThePageFreesItsRuns() throws Exception {
        Awaitility.await().until(() -> server.viewers() == 1);
        browser.open("about:blank", 1280, "light");
        Awaitility.await("the page is freed").atMost(Duration.ofSeconds(60)).until(() -> server.viewers() == 0);
    }

    /** After a laptop slept or a server was restarted, the page reruns everything by itself. */
    @Test
    void pageFindsItsServerAgain() throws Exception {
        DemoServer first =
                Main.demo(DemoScenario.open(null), 2).at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
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
        try (DemoServer second = Main.demo(DemoScenario.open(null), 2)
                .at(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))) {
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

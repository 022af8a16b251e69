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
import java.util.Objects;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The teaching page in Chromium, opened before each test and driven by mouse and keyboard; screenshots are in {@code target/demo-samples}. */
abstract class TeachingPage {
    @TempDir
    static Path folder;

    @AutoClose
    static Browser browser;

    @AutoClose
    static DemoServer server;

    @BeforeAll
    static void start() throws Exception {
        browser = new Browser(folder);
        server = served(DemoScenario.open(null));
    }

    static DemoServer served(DemoScenario scenario) throws IOException {
        DemoServer served = Main.demo(scenario, 2).at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        served.start();
        return served;
    }

    @BeforeEach
    void open() {
        browser.open(server.address() + "?watch", 1280, "light");
        browser.until("both runs", "document.body.dataset.ready === 'all'");
    }

    static double virtualMillis() {
        return browser.number("document.querySelector('#clock').dataset.ps / 1e9");
    }

    /** If no chunk is in flight when the page pauses, it says to step to the next event. */
    static void followAChunk(Runnable follow, Runnable step) {
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

    static void countsEndAtTheFigures(int side) {
        String panel = "document.querySelectorAll('.panel')[" + side + "]";
        for (String figure : new String[] {"nic", "exposed", "step"}) {
            double counted = browser.number(
                    "Number(" + panel + ".querySelector('[data-figure=" + figure + "-now]').dataset.value)");
            double document =
                    browser.number("Number(" + panel + ".querySelector('[data-figure=" + figure + "]').dataset.value)");
            assertThat(counted).as(figure).isPositive().isCloseTo(document, within(1e-11 * document));
        }
    }

    /** Presses a button and waits for the file that the browser saves. */
    static Path saved(String button, String name) {
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

    /** On phone, laptop and projector, light and dark; saves screenshots. */
    static void assertFitsEveryScreen(String name) throws IOException {
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
}

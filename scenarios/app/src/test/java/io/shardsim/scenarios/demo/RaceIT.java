package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointSimulation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** The page's initial race, with the README's scenario, in Chromium. */
@Tag("slow")
class RaceIT {
    @TempDir
    private static Path folder;

    @AutoClose
    private static Browser browser;

    @AutoClose
    private static DemoServer server;

    private static DemoScenario scenario;

    @BeforeAll
    static void start() throws Exception {
        browser = new Browser(folder);
        scenario = DemoScenario.open("library/gpt2-30b-on-p4d.yaml");
        server = TeachingPage.served(scenario);
    }

    @BeforeEach
    void open() {
        browser.open(server.address(), 1280, "light");
        browser.until("all runs", "document.querySelector('#race').dataset.ready === 'true'");
    }

    private static String data(WebElement lane, String name) {
        return lane.getDomAttribute("data-" + name);
    }

    private static void toTheLine() {
        browser.find("h1").click();
        browser.press(Keys.END);
        browser.until("over", "document.querySelector('#race').dataset.over === 'true'");
    }

    @Test
    void lanesFinishInTheOrderAndTimesOfTheRuns() throws Exception {
        browser.until("it starts by itself", "Number(document.querySelector('.lane').dataset.nowPs) > 0");
        toTheLine();
        List<WebElement> lanes = browser.all(".lane");
        assertThat(lanes).hasSize(3);
        List<Long> steps = new ArrayList<>();
        try (PointSimulation runner = new PointSimulation(2, true)) {
            for (WebElement lane : lanes) {
                RunResult run = runner.run(scenario.points().get(Integer.parseInt(data(lane, "point"))));
                assertThat(run.gpus()).isEqualTo(256);
                assertThat(data(lane, "gpus")).isEqualTo("256");
                assertThat(Long.parseLong(data(lane, "step-ps")) / 1e12)
                        .as(data(lane, "label"))
                        .isEqualTo(run.step().stepSeconds());
                assertThat(Double.parseDouble(data(lane, "nic-bytes")))
                        .as(data(lane, "label"))
                        .isPositive();
                steps.add(Long.parseLong(data(lane, "step-ps")));
            }
        }
        long first = steps.stream().min(Comparator.naturalOrder()).orElseThrow();
        long last = steps.stream().max(Comparator.naturalOrder()).orElseThrow();
        List<Long> order = steps.stream().sorted().toList();
        for (int i = 0; i < lanes.size(); i++) {
            WebElement lane = lanes.get(i);
            assertThat(data(lane, "place")).isEqualTo(String.valueOf(order.indexOf(steps.get(i)) + 1));
            assertThat(Double.parseDouble(data(lane, "finish-seconds")))
                    .isCloseTo(20.0 * steps.get(i) / last, within(0.001));
            if (steps.get(i) > first) {
                assertThat(Long.parseLong(data(lane, "gap-ps"))).isEqualTo(steps.get(i) - first);
            }
        }
        assertThat(browser.text("#race-verdict")).contains("MiCS", " wins", "takes 1.46 times as long");
        browser.assertNothingWentWrong(server.address());
    }

    @Test
    void keysAloneVoteRaceAndAskWhy() {
        browser.find("h1").click();
        browser.press("3");
        assertThat(browser.find("#race").getDomAttribute("data-voted")).isEqualTo("3");
        browser.press(Keys.END);
        browser.until("over", "document.querySelector('#race').dataset.over === 'true'");
        assertThat(browser.text("#race-verdict")).endsWith("As you voted.");
        browser.press("r");
        browser.until("again", "document.querySelector('#race').dataset.playing === 'true'");
        browser.press(" ");
        browser.until("paused", "document.querySelector('#race').dataset.playing === 'false'");
        browser.press(Keys.ENTER);
        browser.until("both runs", "document.body.dataset.ready === 'all'");
        assertThat(browser.find("#watch").isDisplayed()).isTrue();
        assertThat(browser.find("#race").isDisplayed()).isFalse();
        browser.press(Keys.ESCAPE);
        assertThat(browser.find("#race").isDisplayed()).isTrue();
        browser.assertNothingWentWrong(server.address());
    }

    /** Without the parts that no strategy affects, the parts of the gap still sum to it. */
    @Test
    void runsAgainWithTheSameKernels() {
        long before = Long.parseLong(data(browser.all(".lane").get(0), "step-ps"));
        browser.find("#race-same").click();
        browser.until(
                "another race",
                "(d => d.ready === 'true' && !d.kernels.includes(','))(document.querySelector('#race').dataset)");
        toTheLine();
        List<WebElement> lanes = browser.all(".lane");
        assertThat(Long.parseLong(data(lanes.get(0), "step-ps"))).isEqualTo(before);
        long first = lanes.stream()
                .mapToLong(lane -> Long.parseLong(data(lane, "step-ps")))
                .min()
                .orElseThrow();
        for (WebElement lane : lanes) {
            if (data(lane, "gap-ps") != null) {
                assertThat(Long.parseLong(data(lane, "gap-ps")))
                        .isEqualTo(Long.parseLong(data(lane, "step-ps")) - first);
                assertThat(lane.findElement(By.cssSelector(".block.kernels")).getText())
                        .isEqualTo("equal kernels");
            }
        }
        browser.press(Keys.ENTER);
        browser.until("both runs", "document.body.dataset.ready === 'all'");
        assertThat(browser.number("Number(document.querySelector('.panel [data-figure=step]').dataset.value)"))
                .isEqualTo(before / 1e12);
        browser.assertNothingWentWrong(server.address());
    }

    @Test
    void everyoneCanFollowIt() throws IOException {
        for (String scheme : List.of("light", "dark")) {
            for (int width : new int[] {360, 1280, 1920}) {
                browser.scheme(scheme);
                browser.resize(width, 900);
                toTheLine();
                browser.assertAccessible(scheme + " at " + width);
                browser.screenshot("race-" + scheme + "-" + width + ".png", width);
                assertThat(browser.number("document.documentElement.scrollWidth"))
                        .as("no sideways scrolling at " + width)
                        .isLessThanOrEqualTo(width);
            }
        }
        browser.assertNothingWentWrong(server.address());
    }
}

package io.shardsim.reports.writing.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.deque.html.axecore.results.Rule;
import com.deque.html.axecore.selenium.AxeBuilder;
import io.shardsim.reports.SampleRuns;
import io.shardsim.reports.ScenarioResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The report in Chromium: at telephone, laptop and projector width, light and dark. Skipped where no Chromium is installed; screenshots are left
 * in {@code target/report-samples}.
 */
class HtmlReportIT {
    private static final List<Integer> WIDTHS = List.of(360, 1280, 1920);
    private static final Path SAMPLES = Path.of("target", "report-samples");

    @TempDir
    private static Path profile;

    private static ChromeDriver browser;

    @BeforeAll
    static void startBrowser() throws IOException {
        Path chromium = firstOf("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
        Path driver = firstOf("/usr/bin/chromedriver", "/usr/lib/chromium-browser/chromedriver");
        boolean installed = chromium != null && driver != null;
        if (System.getenv("CI") != null) {
            assertThat(installed)
                    .as("chromium and chromium-driver are installed in CI")
                    .isTrue();
        }
        assumeTrue(installed, "skipped: install chromium and chromium-driver to test the report in a browser");
        Files.createDirectories(SAMPLES);
        ChromeOptions options = new ChromeOptions();
        options.setBinary(chromium.toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--user-data-dir=" + profile.resolve("profile"));
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        browser = new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(driver.toFile())
                        .build(),
                options);
        // What the browser's own first page loads is not ours.
        browser.get("about:blank");
        browser.manage().logs().get(LogType.BROWSER);
        browser.manage().logs().get(LogType.PERFORMANCE);
    }

    @AfterAll
    static void stopBrowser() {
        if (browser != null) {
            browser.quit();
        }
    }

    @Test
    void sweepFitsEveryScreenInLightAndDark() throws IOException {
        lookAt(SampleRuns.sweep("gpt2-30b-on-p4d"));
    }

    @Test
    void singleRunFitsEveryScreenInLightAndDark() throws IOException {
        lookAt(SampleRuns.single("mics-30b-on-p4d"));
    }

    @Test
    void collectiveFitsEveryScreenInLightAndDark() throws IOException {
        lookAt(SampleRuns.collective("all-reduce-1gib"));
    }

    @Test
    void hostileNamesRunNothing() throws IOException {
        open(
                SampleRuns.single(
                        "</title><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"),
                1280,
                "light");
        assertThat(browser.getTitle()).startsWith("</title><script>");
        assertNothingWentWrong();
    }

    @Test
    void keyboardReachesSectionsTablesAndGlossary() throws IOException {
        open(SampleRuns.sweep("keys"), 1280, "light");
        browser.switchTo().activeElement().sendKeys(Keys.TAB);
        assertThat(browser.switchTo().activeElement().getText()).isEqualTo("Skip to the report");
        WebElement summary = browser.findElement(By.cssSelector("#throughput summary"));
        summary.sendKeys(Keys.ENTER);
        assertThat(browser.findElement(By.cssSelector("#throughput table")).isDisplayed())
                .isTrue();
        WebElement term = browser.findElement(By.cssSelector("#efficiency a.term"));
        WebElement tip = browser.findElement(By.cssSelector("#efficiency .tip"));
        assertThat(tip.isDisplayed()).isFalse();
        browser.executeScript("arguments[0].focus()", term);
        assertThat(tip.isDisplayed()).isTrue();
        assertThat(tip.getText()).startsWith("scaling efficiency Throughput per GPU");
        term.sendKeys(Keys.ENTER);
        assertThat(browser.getCurrentUrl()).endsWith("#g-scaling");
        assertNothingWentWrong();
    }

    @Test
    void printsOnPaperWithoutLosingTables() throws IOException {
        open(SampleRuns.sweep("print"), 794, "dark");
        browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("media", "print"));
        assertThat(browser.executeScript("return getComputedStyle(document.documentElement).backgroundColor"))
                .isEqualTo("rgb(255, 255, 255)");
        assertThat(browser.findElement(By.cssSelector("nav")).isDisplayed()).isFalse();
        assertThat(number("return document.documentElement.scrollWidth")).isLessThanOrEqualTo(794);
        screenshot("print.png", 794);
        browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("media", ""));
        assertNothingWentWrong();
    }

    @Test
    void largeSweepsStayReadable() throws IOException {
        lookAt(SampleRuns.manyPoints("many-points"));
    }

    private static void lookAt(ScenarioResult result) throws IOException {
        for (String scheme : List.of("light", "dark")) {
            for (int width : WIDTHS) {
                open(result, width, scheme);
                assertThat(number("return document.documentElement.scrollWidth"))
                        .as("width of the page at %d pixels", width)
                        .isLessThanOrEqualTo(width);
                assertThat(browser.findElements(By.cssSelector(width < 700 ? ".wide svg" : ".narrow svg")))
                        .noneMatch(WebElement::isDisplayed);
                assertTextStaysInsideDrawings();
                assertNothingWentWrong();
                screenshot(result.scenario() + "-" + width + "-" + scheme + ".png", width);
            }
            List<Rule> violations = new AxeBuilder().analyze(browser).getViolations();
            assertThat(violations.stream()
                            .filter(rule -> List.of("serious", "critical").contains(rule.getImpact()))
                            .map(rule -> rule.getId() + ": " + rule.getNodes()))
                    .as("accessibility in " + scheme)
                    .isEmpty();
        }
    }

    private static void open(ScenarioResult result, int width, String scheme) throws IOException {
        Path file = profile.resolve("report.html");
        Files.writeString(file, HtmlReportTest.page(result));
        browser.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", width < 700));
        browser.get(file.toUri().toString());
    }

    /** Words that leave a drawing would be cut off or lie over others. */
    private static void assertTextStaysInsideDrawings() {
        assertThat(browser.executeScript("return [...document.querySelectorAll('svg text')].filter(t => {"
                        + " const s = t.ownerSVGElement.getBoundingClientRect(); if (s.width === 0) return false;"
                        + " const b = t.getBoundingClientRect();"
                        + " return b.left < s.left - 3 || b.right > s.right + 3 || b.bottom > s.bottom + 3; })"
                        + ".map(t => t.textContent)"))
                .as("text outside its drawing")
                .isEqualTo(List.of());
    }

    private static void assertNothingWentWrong() {
        List<String> problems = new ArrayList<>();
        for (LogEntry entry : browser.manage().logs().get(LogType.BROWSER)) {
            problems.add(entry.getMessage());
        }
        JsonMapper mapper = new JsonMapper();
        int loaded = 0;
        for (LogEntry entry : browser.manage().logs().get(LogType.PERFORMANCE)) {
            JsonNode message = mapper.readTree(entry.getMessage()).get("message");
            if (message.get("method").asString().equals("Network.requestWillBeSent")) {
                String url = message.get("params").get("request").get("url").asString();
                loaded++;
                if (!url.startsWith("file:") && !url.startsWith("data:")) {
                    problems.add("request for " + url);
                }
            }
        }
        assertThat(problems).isEmpty();
        assertThat(loaded).as("requests seen, the page itself at least").isPositive();
    }

    private static void screenshot(String name, int width) throws IOException {
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of(
                        "width",
                        width,
                        "height",
                        (int) number("return document.documentElement.scrollHeight"),
                        "deviceScaleFactor",
                        1,
                        "mobile",
                        width < 700));
        Files.write(SAMPLES.resolve(name), browser.getScreenshotAs(OutputType.BYTES));
    }

    private static long number(String script) {
        return (Long) browser.executeScript(script);
    }

    private static Path firstOf(String... paths) {
        for (String path : paths) {
            if (Files.isExecutable(Path.of(path))) {
                return Path.of(path);
            }
        }
        return null;
    }
}

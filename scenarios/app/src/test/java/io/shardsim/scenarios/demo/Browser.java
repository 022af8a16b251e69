package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.deque.html.axecore.results.Rule;
import com.deque.html.axecore.selenium.AxeBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.awaitility.Awaitility;
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

/** Headless Chromium for tests of pages; without it they are skipped with a message, or fail in CI. */
public final class Browser implements AutoCloseable {
    private static final Path SAMPLES = Path.of("target", "demo-samples");
    private static final JsonMapper MAPPER = new JsonMapper();

    private final Path folder;
    private int started;
    private ChromeDriver driver;

    /** @param folder folder for the profile and saved files */
    public Browser(Path folder) {
        this.folder = folder;
        driver = start();
    }

    private ChromeDriver start() {
        Path chromium = firstOf("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
        Path chromedriver = firstOf("/usr/bin/chromedriver", "/usr/lib/chromium-browser/chromedriver");
        boolean installed = chromium != null && chromedriver != null;
        if (System.getenv("CI") != null) {
            assertThat(installed)
                    .as("chromium and chromium-driver are installed in CI")
                    .isTrue();
        }
        assumeTrue(installed, "skipped: install chromium and chromium-driver to test the page in a browser");
        createSamples();
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
                "--user-data-dir=" + folder.resolve("profile-" + ++started));
        options.setExperimentalOption("prefs", Map.of("download.default_directory", folder.toString()));
        LoggingPreferences logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        return new ChromeDriver(
                new ChromeDriverService.Builder()
                        .usingDriverExecutable(chromedriver.toFile())
                        .withLogFile(SAMPLES.resolve("chromedriver-" + started + ".log")
                                .toFile())
                        .build(),
                options);
    }

    private static void createSamples() {
        try {
            Files.createDirectories(SAMPLES);
        } catch (IOException cause) {
            throw new UncheckedIOException(cause);
        }
    }

    /** Starts another browser instead of one that no longer answers, whose last output is in its driver's log. */
    public void startAgain() {
        ProcessHandle.current()
                .descendants()
                .filter(process -> process.info().command().orElse("").contains("chrom"))
                .forEach(ProcessHandle::destroyForcibly);
        driver = start();
    }

    /** Leaves the page and forgets its requests, so that late ones are not attributed to the next page. */
    private void leave() {
        driver.get("about:blank");
        driver.manage().logs().get(LogType.BROWSER);
        driver.manage().logs().get(LogType.PERFORMANCE);
    }

    private static Path firstOf(String... paths) {
        for (String path : paths) {
            if (Files.isExecutable(Path.of(path))) {
                return Path.of(path);
            }
        }
        return null;
    }

    public void open(String address, int width, String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
        resize(width, 900);
        leave();
        driver.get(address);
    }

    public void scheme(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    public void resize(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 700));
    }

    public Object script(String script, Object... arguments) {
        return driver.executeScript("return " + script, arguments);
    }

    /** Runs a script that calls its last argument when it is done. */
    public Object scriptAsync(String script) {
        return driver.executeAsyncScript(script);
    }

    public double number(String script) {
        return ((Number) script(script)).doubleValue();
    }

    public WebElement find(String css) {
        return driver.findElement(By.cssSelector(css));
    }

    public List<WebElement> all(String css) {
        return driver.findElements(By.cssSelector(css));
    }

    public String text(String css) {
        return find(css).getText();
    }

    /** Presses keys at the current focus. */
    public void press(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    /** Moves the focus with Tab until it is on an element, like a user without a mouse. */
    public void tabTo(String css) {
        for (int i = 0; i < 120; i++) {
            if (Boolean.TRUE.equals(script("document.activeElement.matches(arguments[0])", css))) {
                return;
            }
            press(Keys.TAB);
        }
        throw new AssertionError("no way to " + css + " with the tabulator");
    }

    public void until(String what, String script) {
        Awaitility.await(what)
                .atMost(Duration.ofMinutes(3))
                .pollInterval(Duration.ofMillis(40))
                .until(() -> Boolean.TRUE.equals(script(script)));
    }

    public void screenshot(String name, int width) throws IOException {
        resize(width, (int) number("document.documentElement.scrollHeight"));
        Files.write(SAMPLES.resolve(name), driver.getScreenshotAs(OutputType.BYTES));
    }

    /** Checks that there was no message on the console, and no request except to the page's own origin. */
    public void assertNothingWentWrong(String origin) {
        List<String> problems = new ArrayList<>();
        for (LogEntry entry : driver.manage().logs().get(LogType.BROWSER)) {
            problems.add(entry.getMessage());
        }
        for (LogEntry entry : driver.manage().logs().get(LogType.PERFORMANCE)) {
            JsonNode message = MAPPER.readTree(entry.getMessage()).get("message");
            if (message.get("method").asString().equals("Network.requestWillBeSent")) {
                String url = message.get("params").get("request").get("url").asString();
                if (!url.startsWith(origin) && !url.startsWith("data:") && !url.startsWith("blob:")) {
                    problems.add("request for " + url);
                }
            }
        }
        assertThat(problems).isEmpty();
    }

    /** Checks that the accessibility checker has no serious or critical finding. */
    public void assertAccessible(String when) {
        List<Rule> violations = new AxeBuilder().analyze(driver).getViolations();
        assertThat(violations.stream()
                        .filter(rule -> List.of("serious", "critical").contains(rule.getImpact()))
                        .map(rule -> rule.getId() + ": " + rule.getNodes()))
                .as("accessibility " + when)
                .isEmpty();
    }

    @Override
    public void close() {
        driver.quit();
    }
}

package io.shardsim.reports.writing.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.deque.html.axecore.results.Rule;
import com.deque.html.axecore.selenium.AxeBuilder;
import io.shardsim.reports.SampleRuns;
import io.shardsim.reports.ScenarioResult;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.print.PrintOptions;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The report in Chromium, at phone, laptop and projector width, light and dark. Skipped without Chromium; screenshots are in
 * {@code target/report-samples}.
 */
@Tag("slow")
class HtmlReportIT {
    private static final int LAPTOP = 1280;
    private static final List<Integer> WIDTHS = List.of(360, LAPTOP, 1920);
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
        // Requests of the browser's own first page are not ours.
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

    /** Headline, curve and the fastest runs are visible without scrolling. */
    @Test
    void theCurveIsOnTheFirstScreen() throws IOException {
        for (int width : List.of(360, 1280)) {
            open(SampleRuns.sweep("gpt2-30b-on-p4d"), width, "light");
            assertThat(number("return document.querySelector('h1').getBoundingClientRect().top"))
                    .isBetween(0L, 100L);
            assertThat(number("return document.querySelector('.first .chart svg').getBoundingClientRect().bottom"))
                    .as("bottom of the curve at %d pixels", width)
                    .isLessThanOrEqualTo(800);
        }
        assertThat(number("return document.querySelector('.second table').getBoundingClientRect().bottom"))
                .isLessThanOrEqualTo(800);
    }

    @Test
    void hoverAndKeyboardReadValues() throws IOException {
        open(SampleRuns.sweep("values"), 1280, "light");
        WebElement chart = browser.findElement(By.cssSelector("[data-figure=throughput] .chart"));
        new Actions(browser).moveToElement(chart, 30, 20).perform();
        await(() -> text("[data-figure=throughput] .chart > div:nth-child(2)").contains("MiCS"));
        assertThat(text("[data-figure=throughput] .chart > div:nth-child(2)"))
                .containsPattern("\\d+ GPUs")
                .containsPattern("MiCS[^:]*: [0-9.]+ samples/s");
        chart.sendKeys(Keys.ARROW_RIGHT);
        String first = text("[data-figure=throughput] .readout");
        chart.sendKeys(Keys.ARROW_RIGHT);
        String second = text("[data-figure=throughput] .readout");
        chart.sendKeys(Keys.ARROW_DOWN);
        assertThat(List.of(first, second, text("[data-figure=throughput] .readout")))
                .doesNotHaveDuplicates()
                .allMatch(
                        words -> words.matches(".+, \\d+ GPUs: [0-9.]+ samples/s( \\(80 %: [0-9.]+ to [0-9.]+\\).*)?"));
        assertNothingWentWrong();
    }

    /** The labels of the time axis change with the visible range. */
    @Test
    void timeZooms() throws IOException {
        open(SampleRuns.single("zoom"), 1280, "light");
        for (String figure : List.of("timeline-1", "memory-1")) {
            WebElement chart = browser.findElement(By.cssSelector("[data-figure=" + figure + "] .chart"));
            browser.executeScript("arguments[0].scrollIntoView()", chart);
            await(() -> !texts(chart).isEmpty());
            List<String> before = texts(chart);
            chart.sendKeys(figure.startsWith("timeline") ? "-" : "+");
            await(() -> !texts(chart).equals(before));
        }
        assertNothingWentWrong();
    }

    @Test
    void seriesGoOffAndOn() throws IOException {
        open(SampleRuns.sweep("series"), 1280, "light");
        String lines =
                "return document.querySelectorAll('[data-figure=throughput] svg path[stroke-width=\"2.2\"]').length";
        long before = number(lines);
        browser.executeScript("[...document.querySelectorAll('[data-figure=throughput] svg text')]"
                + ".find(t => t.textContent.startsWith('MiCS')).setAttribute('id', 'legend-of-mics')");
        new Actions(browser)
                .moveToElement(browser.findElement(By.id("legend-of-mics")))
                .click()
                .perform();
        await(() -> number(lines) < before);
        assertNothingWentWrong();
    }

    @Test
    void figuresAreSavedAsSvgAndPng() throws IOException {
        Path downloads = Files.createDirectories(profile.resolve("downloads"));
        browser.executeCdpCommand(
                "Browser.setDownloadBehavior",
                Map.of(
                        "behavior",
                        "allow",
                        "downloadPath",
                        downloads.toAbsolutePath().toString()));
        open(SampleRuns.sweep("saved"), 1280, "dark");
        for (String format : List.of("svg", "png")) {
            browser.executeScript(
                    "document.querySelector('[data-figure=step-time] [data-save=" + format + "]').click()");
            Path file = downloads.resolve("saved-step-time." + format);
            await(() -> Files.exists(file) && Files.size(file) > 0);
            byte[] bytes = Files.readAllBytes(file);
            if (format.equals("svg")) {
                assertThat(new String(bytes, StandardCharsets.UTF_8))
                        .startsWith("<svg")
                        .contains("xmlns=\"http://www.w3.org/2000/svg\"", "Where the time of a training step goes")
                        .contains("<pattern", "forward");
            } else {
                assertThat(bytes).startsWith(0x89, 'P', 'N', 'G').hasSizeGreaterThan(20_000);
            }
        }
        assertNothingWentWrong();
    }

    /**
     * The files of {@code --svg} are drawn without the page. Both have the same words, including legend, ticks and digits, and as many marks of each
     * colour and shape.
     */
    /** An area reaches from the axis to the top of its layer, the sum of the layers up to it, which the chart does not compute itself. */
    @Test
    void memoryLiesOnMemory() throws IOException {
        open(SampleRuns.sweep("areas"), LAPTOP, "light");
        browser.executeScript("document.querySelector('[data-figure=memory-1]').scrollIntoView()");
        String series =
                "echarts.getInstanceByDom(document.querySelector('[data-figure=memory-1] .chart')).getOption().series";
        browser.executeScript("return new Promise(done => setTimeout(done, 1000))");
        assertThat(number("return " + series + ".length")).isGreaterThan(4);
        assertThat(number("return " + series + ".filter(one => one.stack).length"))
                .isZero();
        assertThat(
                        number(
                                "const all = " + series
                                        + "; return Math.round(1e6 * Math.max(...all.flatMap((one, i) => one.data.map("
                                        + "(at, k) => Math.abs(at[1] - all.slice(0, i + 1).reduce((sum, each) => sum + each.data[k][2], 0))))))"))
                .isZero();
        assertThat(number("const all = " + series
                        + "; return all.filter((one, i) => i > 0 && one.z >= all[i - 1].z).length"))
                .as("lower layers are drawn later")
                .isZero();
    }

    @Test
    void filesShowWhatThePageShows() throws IOException {
        int compared = 0;
        for (ScenarioResult result : List.of(
                SampleRuns.sweep("sweep"),
                SampleRuns.single("single"),
                SampleRuns.collective("collective"),
                SampleRuns.instances("instances"),
                SampleRuns.tight("tight"))) {
            open(result, LAPTOP, "light");
            browser.executeScript("URL.createObjectURL = blob => { blob.text().then(text => window.saved = text);"
                    + " return 'data:,'; }; HTMLAnchorElement.prototype.click = () => {};");
            for (Map.Entry<String, String> file : SvgFigures.of(result).entrySet()) {
                String id = file.getKey().replace(".svg", "");
                browser.executeScript("window.saved = ''; document.querySelector('[data-figure=\"" + id
                        + "\"] [data-save=svg]').click()");
                await(() -> !browser.executeScript("return window.saved").equals(""));
                boolean cells = id.equals("map") || id.startsWith("links");
                List<Object> page = drawn(String.valueOf(browser.executeScript("return window.saved")), cells);
                assertThat(drawn(file.getValue(), cells))
                        .as(result.scenario() + ", " + file.getKey())
                        .isEqualTo(page);
                assertThat((List<?>) page.get(0)).hasSizeGreaterThan(4);
                compared++;
            }
            assertNothingWentWrong();
        }
        assertThat(compared).isGreaterThanOrEqualTo(20);
    }

    /** Words, points by shape and colour (including the legend's), colours of all areas, and of each cell of a grid. */
    @SuppressWarnings("unchecked")
    private static List<Object> drawn(String svg, boolean cells) {
        return (List<Object>) browser.executeScript("""
                const svg = new DOMParser().parseFromString(arguments[0], 'image/svg+xml');
                const words = [...svg.querySelectorAll('text')].map(text => text.textContent).filter(text => text.trim()).sort();
                const points = [], fills = new Set(), cells = [];
                const base = fill => {
                  const id = /url\\(#(.*)\\)/.exec(fill);
                  return id ? svg.getElementById(id[1]).querySelector('rect')?.getAttribute('fill') : fill;
                };
                for (const mark of svg.querySelectorAll('circle, path, rect')) {
                  if (mark.closest('defs')) continue;
                  const d = mark.getAttribute('d') ?? '', fill = base(mark.getAttribute('fill') ?? ''), moved = mark.getAttribute('transform') ?? '';
                  if (!fill || ['none', '#000'].includes(fill) || mark.hasAttribute('fill-opacity')) continue;
                  const round = mark.tagName === 'circle' || d.includes('A');
                  const placed = moved.startsWith('matrix') || (moved && mark.previousElementSibling?.getAttribute('fill') === '#000');
                  if (round && (mark.tagName === 'circle' || placed)) {
                    points.push(fill === '#fff' ? 'hollow ' + mark.getAttribute('stroke') : 'circle ' + fill);
                  } else if (placed || /^M\\S+ \\S+m/.test(d)) {
                    const corners = d.replace(/^M\\S+ \\S+m/, 'M').match(/[MLlhv]/g).length;
                    points.push((corners === 3 ? 'triangle ' : /h\\S+v|l\\S+ 0l0/.test(d) ? 'rect ' : 'diamond ') + fill);
                  } else if (!moved && mark.tagName === 'rect' && mark.getAttribute('height') >= 17) {
                    if (mark.getAttribute('width') >= 2) fills.add(fill);
                    cells.push(fill);
                  } else if (!moved && d) {
                    const wide = /^M\\S+ \\S+l(-?[\\d.]+) 0l0/.exec(d);
                    if (!wide || wide[1] >= 2) fills.add(fill);
                    if (wide) cells.push(fill);
                  }
                }
                return [words, points.sort(), [...fills].sort(), arguments[1] ? cells.sort() : []];
                """, svg, cells);
    }

    /** From a file, without a mouse. */
    @Test
    void theCommandAndTheEntryAreCopied() throws IOException {
        String command = "shardsim run a.yaml --set 'cluster.nodes=[1, 2]'";
        open(SampleRuns.single("copied").from(new ScenarioResult.Origin(command, "shardsim 1")), LAPTOP, "light");
        browser.executeScript("document.body.append(document.createElement('textarea'))");
        WebElement paper = browser.findElement(By.tagName("textarea"));
        for (String text : List.of("command", "bibtex")) {
            WebElement button = browser.findElement(By.cssSelector("[data-copy=" + text + "]"));
            button.sendKeys(Keys.ENTER);
            await(() -> button.getText().equals("Copied"));
            paper.clear();
            paper.sendKeys(Keys.chord(Keys.CONTROL, "v"));
            assertThat(paper.getDomProperty("value").strip())
                    .isEqualTo(browser.findElement(By.id(text)).getText())
                    .contains(text.equals("command") ? command : "@misc{shardsim:copied,");
        }
        assertNothingWentWrong();
    }

    /** Any two runs on equally large clusters; the savings of the parts sum to the saving of the run. */
    @Test
    void theReaderPicksTwoRuns() throws IOException {
        open(SampleRuns.sweep("pick"), 1280, "light");
        int runs =
                browser.findElements(By.cssSelector("[data-run=slow] option")).size();
        assertThat(runs).isEqualTo(14);
        browser.executeScript(
                "arguments[0].scrollIntoView()", browser.findElement(By.cssSelector("[data-figure=gap]")));
        await(() ->
                !browser.findElements(By.cssSelector("[data-figure=gap] svg")).isEmpty());
        for (int pick = 0; pick < runs; pick += 4) {
            browser.findElements(By.cssSelector("[data-run=slow] option"))
                    .get(pick)
                    .click();
            browser.findElements(By.cssSelector("[data-run=fast] option"))
                    .get(0)
                    .click();
            List<String> texts = texts(browser.findElement(By.cssSelector("[data-figure=gap] .chart")));
            List<BigDecimal> figures = texts.stream()
                    .filter(text -> text.matches("\u2212?[0-9.]+ (s|ms|us)"))
                    .map(text -> new BigDecimal(text.replaceAll(" .*", "").replace('\u2212', '-')))
                    .toList();
            BigDecimal total = figures.get(figures.size() - 1);
            BigDecimal parts = figures.subList(0, figures.size() - 1).stream().reduce(BigDecimal.ZERO, BigDecimal::add);
            assertThat(parts).as("run " + pick).isEqualByComparingTo(total);
        }
        assertNothingWentWrong();
    }

    @Test
    void withoutScriptsTheTablesAreThere() throws IOException {
        browser.executeCdpCommand("Emulation.setScriptExecutionDisabled", Map.of("value", true));
        try {
            open(SampleRuns.sweep("plain"), 1280, "light", false);
            List<WebElement> tables = browser.findElements(By.cssSelector("details.data table"));
            assertThat(tables).hasSizeGreaterThan(8).allMatch(WebElement::isDisplayed);
            assertThat(browser.findElements(By.cssSelector(".chart, .save"))).noneMatch(WebElement::isDisplayed);
        } finally {
            browser.executeCdpCommand("Emulation.setScriptExecutionDisabled", Map.of("value", false));
        }
    }

    @Test
    void keyboardReachesSectionsTablesAndGlossary() throws IOException {
        open(SampleRuns.sweep("keys"), 1280, "light");
        browser.switchTo().activeElement().sendKeys(Keys.TAB);
        assertThat(browser.switchTo().activeElement().getText()).isEqualTo("Skip to the report");
        WebElement summary = browser.findElement(By.cssSelector("[data-figure=throughput] summary"));
        summary.sendKeys(Keys.ENTER);
        assertThat(browser.findElement(By.cssSelector("[data-figure=throughput] table"))
                        .isDisplayed())
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
        browser.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
        byte[] pdf =
                Base64.getDecoder().decode(browser.print(new PrintOptions()).getContent());
        Files.write(SAMPLES.resolve("print.pdf"), pdf);
        assertThat(pdf.length).isLessThanOrEqualTo(2_000_000);
        assertNothingWentWrong();
    }

    @Test
    void largeSweepsStayReadable() throws IOException {
        lookAt(SampleRuns.manyPoints("many-points"));
    }

    @Test
    void galleryFitsEveryScreenAndIsFiltered() throws IOException {
        String page = GalleryPageTest.gallery().write();
        lookAt("gallery", page);
        show(page, LAPTOP, "light", true);
        String shown = "return document.querySelectorAll('#points tbody tr:not([hidden])').length";
        assertThat(text("#filtered"))
                .as("training speeds that judge")
                .isEqualTo(
                        "2 figures, 6.7 % off on average; of these, 2 with known framework and release: 6.7 % off on average.");
        choose("filter=kind", "");
        choose("filter=role", "");
        assertThat(number(shown)).isEqualTo(3);
        choose("filter=gpu", "h100-80gb");
        choose("view", "error");
        assertThat(number(shown)).isEqualTo(1);
        assertThat(text("#filtered")).isEqualTo("1 figures, 20.0 % off on average.");
        browser.findElement(By.cssSelector("[data-figure=scatter] .chart")).sendKeys(Keys.ARROW_RIGHT);
        assertThat(text("[data-figure=scatter] .readout"))
                .isEqualTo("C-3: collective_seconds, measured 0.01, predicted 0.012, 20.0 %");
        assertNothingWentWrong();
    }

    private static void choose(String select, String value) {
        browser.executeScript(
                "const s = document.querySelector('[data-' + arguments[0] + ']'); s.value = arguments[1];"
                        + " s.dispatchEvent(new Event('change'))",
                select,
                value);
    }

    /** Every width, each in light and in dark; the page follows a change of the reader's system. */
    private static void lookAt(ScenarioResult result) throws IOException {
        lookAt(result.scenario(), HtmlReportTest.page(result));
    }

    private static void lookAt(String name, String page) throws IOException {
        for (int width : WIDTHS) {
            show(page, width, "light", true);
            for (String scheme : List.of("light", "dark")) {
                prefer(scheme);
                assertThat(number("return document.documentElement.scrollWidth"))
                        .as("width of the page at %d pixels", width)
                        .isLessThanOrEqualTo(width);
                screenshot(name + "-" + width + "-" + scheme + ".png", width);
                assertTextStaysInsideDrawings();
                assertThat(browser.findElements(By.cssSelector(".chart svg text")).stream()
                                .limit(1)
                                .map(text -> text.getDomAttribute("fill")))
                        .isSubsetOf(scheme.equals("light") ? "#565d68" : "#a3a9b2");
                if (width == LAPTOP) {
                    assertAccessible(scheme);
                }
            }
            assertNothingWentWrong();
        }
    }

    private static void assertAccessible(String scheme) {
        List<Rule> violations = new AxeBuilder().analyze(browser).getViolations();
        assertThat(violations.stream()
                        .filter(rule -> List.of("serious", "critical").contains(rule.getImpact()))
                        .map(rule -> rule.getId() + ": " + rule.getNodes()))
                .as("accessibility in " + scheme)
                .isEmpty();
    }

    private static void prefer(String scheme) {
        browser.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    private static void open(ScenarioResult result, int width, String scheme) throws IOException {
        open(result, width, scheme, true);
    }

    private static void open(ScenarioResult result, int width, String scheme, boolean scripts) throws IOException {
        show(HtmlReportTest.page(result), width, scheme, scripts);
    }

    private static void show(String page, int width, String scheme, boolean scripts) throws IOException {
        Path file = profile.resolve("report.html");
        Files.writeString(file, page);
        prefer(scheme);
        browser.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", 800, "deviceScaleFactor", 1, "mobile", width < 700));
        browser.get(file.toUri().toString());
        if (scripts) {
            await(
                    () -> (Boolean)
                            browser.executeScript(
                                    "const first = document.querySelector('.first .chart');"
                                            + " return 'drawn' in document.documentElement.dataset && (!first || first.querySelector('svg') !== null)"));
        }
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(50))
                .until(condition);
    }

    private static String text(String selector) {
        return String.valueOf(browser.executeScript(
                "const e = document.querySelector(arguments[0]); return e === null ? '' : e.textContent", selector));
    }

    @SuppressWarnings("unchecked")
    private static List<String> texts(WebElement chart) {
        return (List<String>) browser.executeScript(
                "return [...arguments[0].querySelectorAll('svg text')].map(t => t.textContent)", chart);
    }

    /** Words that leave a drawing would be cut off or overlap others. */
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
        await(() -> (Boolean) browser.executeScript(
                "return [...document.querySelectorAll('.chart')].every(c => c.querySelector('svg') !== null)"));
        Files.write(SAMPLES.resolve(name), browser.getScreenshotAs(OutputType.BYTES));
    }

    private static long number(String script) {
        return Math.round(((Number) browser.executeScript(script)).doubleValue());
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

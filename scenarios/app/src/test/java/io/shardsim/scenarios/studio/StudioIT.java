package io.shardsim.scenarios.studio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.scenarios.api.PointResult;
import io.shardsim.scenarios.api.Scenario;
import io.shardsim.scenarios.api.Simulator;
import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.catalog.Library;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.cli.ShardsimCommand;
import io.shardsim.scenarios.demo.Browser;
import io.shardsim.scenarios.scenario.OpenedFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The studio page in Chromium, simulated by this server. */
@Tag("slow")
class StudioIT {
    private static final String SETTLED =
            "['done', 'problems', 'stopped'].includes(document.querySelector('#answer').dataset.state)";
    private static final int CHANGES = 20;

    @TempDir
    private static Path folder;

    @AutoClose
    private static Browser browser;

    @AutoClose
    private static StudioServer server;

    /** Opens with a scenario that is simulated quickly. */
    @AutoClose
    private static StudioServer walked;

    @BeforeAll
    static void start() throws Exception {
        browser = new Browser(folder);
        server = open();
        walked = open(OpenedFile.text("walk.yaml", SMALL));
    }

    private static StudioServer open() throws Exception {
        return open(null);
    }

    private static StudioServer open(OpenedFile start) throws Exception {
        StudioServer opened = new StudioServer(
                ShardsimCommand.answering(Main.services()),
                StudioOffer.of("test", start),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                "",
                null);
        opened.start();
        return opened;
    }

    @BeforeEach
    void openPage() {
        browser.open(server.address(), 1280, "light");
        answered();
    }

    private static void answered() {
        browser.until("an answer", SETTLED);
    }

    private static void write(String key, String value) {
        browser.script(
                "((key, value) => { const field = document.getElementById('f-' + key); field.value = value;"
                        + " field.dispatchEvent(new Event('change')); })(arguments[0], arguments[1])",
                key,
                value);
    }

    private static String shownRate() {
        return browser.find("#figures").getDomAttribute("data-samples-per-second");
    }

    /** The answer belongs to the question, and agrees with the embedded simulator. */
    private static void assertTrue() throws Exception {
        String question = browser.find("#question").getDomAttribute("data-question");
        assertThat(browser.find("#answer").getDomAttribute("data-question")).isEqualTo(question);
        double fastest = Simulator.onThreads(2).run(Scenario.parse("question", question)).points().stream()
                .map(PointResult::training)
                .filter(training -> training != null)
                .mapToDouble(PointResult.Training::samplesPerSecond)
                .max()
                .orElse(0);
        assertThat(shownRate().isEmpty() ? 0 : Double.parseDouble(shownRate()))
                .as(question)
                .isCloseTo(fastest, within(fastest * 1e-11));
    }

    @Test
    void whatThePageOpensWithIsUnderWayBeforeAPageAsks() throws Exception {
        try (StudioServer fresh = open()) {
            fresh.prepare();
            browser.open(fresh.address(), 1280, "light");
            answered();
            assertTrue();
            browser.open(fresh.address() + "metrics", 1280, "light");
            assertThat(browser.text("body"))
                    .contains("shardsim_studio_asked_total 2.0", "shardsim_studio_answered_total 1.0");
        }
    }

    @Test
    void theMouseAloneAsksFromNothing() throws Exception {
        browser.find("#examples button:last-child").click();
        browser.until("another question", "document.querySelector('#answer').dataset.question.includes('lora')");
        assertTrue();
        browser.find("#what-if").click();
        browser.until("proposals", "document.querySelector('#found table') !== null");
        String question = browser.find("#question").getDomAttribute("data-question");
        browser.find("#pin").click();
        if (!browser.all("#found td button").isEmpty()) {
            browser.find("#found td button").click();
            browser.until(
                    "the proposal",
                    "document.querySelector('#question').dataset.question !== arguments[0]"
                            .replace("arguments[0]", "'" + question.replace("'", "\\'") + "'"));
            answered();
            assertTrue();
        }
        assertThat(browser.all("#pins td")).isNotEmpty();
        browser.assertNothingWentWrong(server.address());
    }

    @Test
    void keysAloneAskAndCompare() throws Exception {
        String before = shownRate();
        browser.tabTo("[id='f-cluster.nodes']");
        browser.press(Keys.chord(Keys.CONTROL, "a"), "16", Keys.ENTER);
        browser.until("it asks", "document.querySelector('#question').dataset.question.includes('\"nodes\":16')");
        answered();
        assertTrue();
        assertThat(shownRate()).isNotEqualTo(before);
        assertThat(browser.text("#figures")).contains("was ");
        browser.until("what it changed", "document.querySelector('#change table') !== null");
        assertThat(browser.text("#change")).contains("became", "cause");
        browser.assertNothingWentWrong(server.address());
    }

    @Test
    void whatIsWrongStandsBesideItsFieldWithARemedy() throws Exception {
        write("strategy.kind", "zero33");
        browser.until("a problem", "document.querySelector('#answer').dataset.state === 'problems'");
        assertThat(browser.text("[data-key='strategy.kind'] .wrong-text")).contains("did you mean zero3?");
        browser.find("[data-key='strategy.kind'] .wrong-text button").click();
        browser.until("an answer", "document.querySelector('#answer').dataset.state === 'done'");
        assertThat(browser.text("[data-key='strategy.kind'] .wrong-text")).isEmpty();
        assertTrue();
        browser.assertNothingWentWrong(server.address());
    }

    @Test
    void anAddressHoldsTheWholeQuestion() throws Exception {
        write("training.micro_batch", "1, 2, 4");
        browser.until("a sweep", "document.querySelector('#question').dataset.question.includes('sweep')");
        answered();
        String rate = shownRate();
        String hash = (String) browser.script("location.hash");
        try (StudioServer fresh = open()) {
            browser.open(fresh.address() + hash, 1280, "light");
            answered();
            assertThat(shownRate()).isEqualTo(rate);
            assertTrue();
        }
    }

    @Test
    void daysAndDollarsAreForTheTokensThatOneWrites() throws Exception {
        browser.find("#tokens").sendKeys("1T", Keys.ENTER);
        browser.until("another answer", "document.querySelector('#figures').textContent.includes('1 trillion')");
        answered();
        browser.open(server.address() + browser.script("location.hash"), 1280, "light");
        answered();
        assertThat(browser.text("#figures")).contains("for 1 trillion tokens");
        assertTrue();
    }

    /** Three here, all of them with {@code -Dnight}: the figures equal those of {@code run --json}, to the digit. */
    @ParameterizedTest
    @ValueSource(strings = {"zero3-against-mics", "all-gather-on-p4d", "zero-stages"})
    void theLibraryIsAnsweredAsRunAnswersIt(String name) {
        assertAnsweredAsByRun(name);
    }

    @Test
    @Tag("night")
    void theWholeLibraryIsAnsweredAsRunAnswersIt() {
        Library.names().forEach(StudioIT::assertAnsweredAsByRun);
    }

    private static void assertAnsweredAsByRun(String name) {
        browser.script(
                "(name => { const list = document.querySelector('#library'); list.value = name;"
                        + " list.dispatchEvent(new Event('change')); })(arguments[0])",
                name);
        browser.until(
                name,
                "document.querySelector('#answer').dataset.state === 'done' && JSON.parse(document.querySelector("
                        + "'#answer').dataset.question).scenario === '" + name + "'");
        StringWriter out = new StringWriter();
        ShardsimCommand.commandLine(Main.services())
                .setOut(new PrintWriter(out))
                .execute(
                        "run",
                        name,
                        "--json",
                        "--no-trials",
                        "-o",
                        folder.resolve(name).toString());
        JsonNode document = JsonMapper.shared().readTree(out.toString());
        int fastest = document.at("/summaries/0/fastest").asInt(-1);
        String rate = document.at("/runs/" + fastest + "/samples_per_second").asString("");
        assertThat(shownRate()).isEqualTo(rate);
        assertThat(browser.all("#runs tbody tr"))
                .hasSize((int) document.path("runs").valueStream().count());
    }

    @Test
    void theBackButtonAsksTheQuestionBefore() throws Exception {
        String before = shownRate();
        write("training.attention", "flash");
        browser.until("another question", "document.querySelector('#question').dataset.question.includes('flash')");
        answered();
        assertThat(shownRate()).isNotEqualTo(before);
        browser.script("history.back()");
        browser.until("the one before", "!document.querySelector('#question').dataset.question.includes('flash')");
        answered();
        assertThat(shownRate()).isEqualTo(before);
    }

    @Test
    void aConfigurationIsWrittenForAFramework() {
        write("strategy.kind", "zero3");
        browser.until("another question", "document.querySelector('#question').dataset.question.includes('zero3')");
        answered();
        browser.script("(() => { const select = document.querySelector('#keep select'); select.value = 'deepspeed';"
                + " select.dispatchEvent(new Event('change')); })()");
        browser.until("a configuration", "!document.querySelector('#exported').hidden");
        assertThat(browser.text("#exported")).contains("zero_optimization", "Run: ");
        browser.find("#keep button:nth-of-type(4)").click();
        assertThat(browser.text("#exported")).startsWith("shardsim run zero3-against-mics.yaml");
    }

    @Test
    void aSearchAndASlowRunAreAnswered() {
        write("training.sequence_length", "1024");
        write("model", "gpt2-1.5b");
        write("strategy.kind", "zero3");
        write("cluster.nodes", "1");
        browser.until(
                "another question", "document.querySelector('#answer').dataset.question.includes('\"nodes\":1}')");
        browser.find("#mine").click();
        browser.find("#measured").sendKeys("1 samples/s");
        browser.find("#doctor").click();
        browser.until("causes", "document.querySelector('#found ol') !== null");
        assertThat(browser.text("#found"))
                .contains(
                        "Healthy: ", "Measured: 1.", "The gap costs $", "that the cluster costs per day", "likely by");
        browser.find("#measured").clear();
        browser.find("#log").sendKeys("not a log");
        browser.find("#doctor").click();
        browser.until("what is wrong", "document.querySelector('#found .wrong') !== null");
        assertThat(browser.text("#found")).contains("log: has no speed and no known NCCL message");
        browser.script(
                "document.querySelector('#log').value = 'node0:1:2 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>'");
        browser.find("#measured").sendKeys("0.5 samples/s");
        browser.find("#doctor").click();
        browser.until("evidence", "document.querySelector('#found').textContent.includes('tcp-over-ethernet')");
        browser.find("#best").click();
        browser.find("#search").click();
        browser.until("candidates", "document.querySelector('#found table') !== null");
        assertThat(browser.text("#found")).contains("candidates", "Other strategies: ");
        browser.find("#found td button").click();
        browser.until(
                "it is asked",
                "document.querySelector('#answer').getAttribute('aria-busy') === 'true'"
                        + " || document.querySelector('#answer').dataset.state === 'done'");
        answered();
        assertThat(browser.find("#answer").getDomAttribute("data-state")).isEqualTo("done");
        browser.assertNothingWentWrong(server.address());
    }

    @Test
    void everyoneCanUseIt() throws IOException {
        // HtmlReportIT tests the report itself.
        browser.script("document.querySelector('#drawn').open = false");
        write("strategy.kind", "zero3");
        browser.until("what it changed", "document.querySelector('#change table') !== null");
        browser.find("#pin").click();
        for (String scheme : List.of("light", "dark")) {
            for (int width : new int[] {360, 1280, 1920}) {
                browser.scheme(scheme);
                browser.resize(width, 900);
                browser.assertAccessible(scheme + " at " + width);
                browser.screenshot("studio-" + scheme + "-" + width + ".png", width);
                assertThat(browser.number("document.documentElement.scrollWidth"))
                        .as("no sideways scrolling at " + width)
                        .isLessThanOrEqualTo(width);
            }
        }
        write("strategy.kind", "zero33");
        answered();
        browser.assertAccessible("with a problem");
    }

    @Test
    void aLogOfNcclTestsMeasuresTheInstance() throws Exception {
        write("cluster.instance", "p4de.24xlarge");
        browser.until("it asks", "document.querySelector('#answer').dataset.question.includes('p4de')");
        String before = shownRate();
        browser.find("#source summary").click();
        browser.find("#file")
                .sendKeys(Path.of("configurations/all_reduce.log")
                        .toAbsolutePath()
                        .toString());
        browser.until(
                "it asks", "document.querySelector('#answer').dataset.question.includes('p4de.24xlarge-measured')");
        JsonNode question = JsonMapper.shared().readTree(browser.find("#answer").getDomAttribute("data-question"));
        assertThat(question.at("/instances/0/extends").asString()).isEqualTo("p4de.24xlarge");
        assertThat(question.at("/instances/0/nic_effective/value").asString()).startsWith("11.");
        assertThat(question.at("/instances/0/sources/measured/source").asString())
                .isEqualTo("nccl-tests: all_reduce.log");
        assertThat(browser.text("#imported"))
                .contains("all_reduce on 16 GPUs, 2 nodes, 29 sizes", "nic_effective is 11.");
        assertThat(shownRate()).isNotEqualTo(before);
        assertTrue();
        String rate = shownRate();
        browser.open(server.address() + browser.script("location.hash"), 1280, "light");
        answered();
        assertThat(shownRate()).isEqualTo(rate);
        browser.assertNothingWentWrong(server.address());
    }

    /** A model that is simulated quickly. */
    private static final String SMALL = """
            scenario: walk
            model: {hidden: 512, layers: 4, heads: 8, vocab: 1024}
            cluster: {instance: p4d.24xlarge, nodes: 1}
            strategy: {kind: zero3}
            training: {sequence_length: 128, global_batch: 64}
            """;

    /** Values of fields, some of them invalid. */
    private static final Map<String, List<String>> VALUES = Map.of(
            "cluster.nodes", List.of("1", "2", "4", "1, 2", "0"),
            "cluster.instance", List.of("p4d.24xlarge", "p5.48xlarge", "p3dn.24xlarge", "p6"),
            "strategy.kind", Strategies.kinds(),
            "training.global_batch", List.of("64", "128", "63", ""),
            "training.micro_batch", List.of("1", "2", "", "1, 4"),
            "training.attention", List.of("flash", "standard", ""),
            "training.activation_checkpointing", List.of("none", "full", "selective", ""),
            "training.precision", List.of("bf16", "fp16", "fp8", ""));

    /** @param seed draws the changes; every second one is not waited for */
    private static void walk(long seed) throws Exception {
        Random random = new Random(seed);
        browser.open(walked.address(), 1280, "light");
        answered();
        // Drawing the report takes longer than everything else.
        browser.script("document.querySelector('#drawn').open = arguments[0]", seed % 5 == 0);
        List<String> keys = VALUES.keySet().stream().sorted().toList();
        for (int i = 0; i < CHANGES; i++) {
            String key = keys.get(random.nextInt(keys.size()));
            List<String> values = VALUES.get(key);
            write(key, values.get(random.nextInt(values.size())));
            if (random.nextBoolean()) {
                answered();
                if (browser.find("#answer").getDomAttribute("data-state").equals("done")) {
                    assertThat(browser.find("#answer").getDomAttribute("data-question"))
                            .isEqualTo(browser.find("#question").getDomAttribute("data-question"));
                }
            }
        }
        answered();
        if (browser.find("#answer").getDomAttribute("data-state").equals("done")) {
            assertTrue();
        }
        browser.assertNothingWentWrong(walked.address());
    }

    @Test
    void noStaleAnswerIsShown() throws Exception {
        for (long seed = 1; seed <= 20; seed++) {
            walk(seed);
        }
    }

    @Test
    @Tag("night")
    @Timeout(value = 60, unit = TimeUnit.MINUTES)
    void noStaleAnswerIsShownOnManyWalks() throws Exception {
        for (long seed = 21; seed <= 200; seed++) {
            walk(seed);
        }
    }
}

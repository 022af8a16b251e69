package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.scenarios.app.Main;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.support.ui.Select;

/** Scenarios other than the built-in one: sweeps, a bare collective and model-parallel steps. */
@ExtendWith(OnceMore.class)
@Tag("slow")
class DemoScenariosIT extends TeachingPage {
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
            pick(".panel:last-child .point", "no second run");
            assertThat(browser.all(".panel canvas.cluster"))
                    .filteredOn(WebElement::isDisplayed)
                    .hasSize(1);
            browser.assertNothingWentWrong(own.address());
        }
    }

    private static DemoServer open(String file) throws Exception {
        DemoServer own = served(DemoScenario.open(file));
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

    /** Streams that the built-in scenario lacks: tensor-parallel ones, and those between stages. */
    @Test
    void modelParallelStepsPlayToTheirEnd() throws Exception {
        Path file = Files.writeString(folder.resolve("split.yaml"), """
                scenario: split
                cluster: {instance: p4d.24xlarge, nodes: 2}
                model: {hidden: 1024, layers: 4, heads: 16, ffn: 4096, vocab: 4096}
                training: {global_batch: 16, sequence_length: 512, micro_batch: 1, precision: bf16, activation_checkpointing: full}
                strategy: {kind: megatron, tensor_parallel: 2, pipeline_parallel: 2}
                """);
        try (DemoServer split = Main.demo(DemoScenario.open(file.toString()), 2)
                .at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            split.start();
            browser.open(split.address() + "?watch", 1280, "light");
            browser.until("its run", "document.body.dataset.ready === 'all'");
            browser.find("h1").click();
            browser.press(" ", Keys.HOME, Keys.ARROW_RIGHT);
            browser.until("an event", "document.querySelector('#clock').dataset.ps / 1e9 > 0");
            browser.press(Keys.END);
            browser.until("the end", "document.querySelector('.state').textContent.includes('finished')");
            assertThat(browser.text("#happened")).as("an event that is past").isEmpty();
            countsEndAtTheFigures(0);
            browser.screenshot("split-1280.png", 1280);
            browser.assertNothingWentWrong(split.address());
        }
    }
}

package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

/** Layout on screens of several sizes, and saved pictures. */
@ExtendWith(OnceMore.class)
@Tag("slow")
class DemoScreensIT extends TeachingPage {
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

    @Test
    void fitsEveryScreenInLightAndDark() throws Exception {
        browser.find("h1").click();
        browser.press(" ", "f");
        assertFitsEveryScreen("watch");
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
}

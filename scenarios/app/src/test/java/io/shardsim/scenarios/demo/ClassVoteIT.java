package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;

/** A class that answers by raised hands and from a phone. */
@ExtendWith(OnceMore.class)
@Tag("slow")
class ClassVoteIT extends TeachingPage {
    private static final String SLIDE =
            "(s => { s.value = arguments[1]; s.dispatchEvent(new Event('input')); })(document.querySelector(arguments[0]))";

    @Test
    void handsAndPhonesAreCountedAndJudged(@TempDir Path other) throws Exception {
        try (Browser phone = new Browser(other)) {
            phone.open(server.address() + "vote", 360, "light");
            browser.open(server.address() + "?lesson=3-slow-nic", 1280, "light");
            browser.until("the question", "document.querySelector('#class-add') !== null");
            browser.script("document.querySelector('.class-asked').open = true");
            browser.find("#class-phones").click();
            browser.until("the address", "document.querySelector('#class-told').textContent.includes('/vote')");

            phone.until("the question on the phone", "document.querySelector('#prediction') !== null");
            assertThat(phone.text("legend")).isEqualTo(browser.text("#lesson legend"));
            phone.assertAccessible("of a phone's question");
            assertThat(phone.number("document.documentElement.scrollWidth")).isLessThanOrEqualTo(500);
            phone.script(SLIDE, "#prediction", 120);
            phone.find("#say").click();
            phone.until(
                    "an answer that was taken", "document.querySelector('#told').textContent.startsWith('You said')");
            browser.until("its count", "document.querySelector('.class-asked').dataset.count === '1'");
            // A voter who changes the answer has one vote.
            phone.find("#say").click();

            browser.script(SLIDE, "#prediction", 158);
            browser.script("document.querySelector('#class-hands').value = 5");
            browser.find("#class-add").click();
            browser.until("six guesses", "document.querySelector('.class-asked').dataset.count === '6'");
            browser.find("#predict").click();
            browser.until("an answer", "document.querySelector('#class-said') !== null");
            assertThat(browser.text("#class-said")).isEqualTo("The class: 5 right, 1 too low.");
            assertThat(browser.all(".bar.marks i")).hasSize(6);
            browser.assertAccessible("of an answer with a class");
            browser.screenshot("class.png", 1280);
            phone.until("the end of the question", "document.querySelector('#vote').children.length === 0");
            phone.assertNothingWentWrong(server.address());
            browser.assertNothingWentWrong(server.address());
        }
    }

    @Test
    void phonesVoteInTheRace(@TempDir Path other) throws Exception {
        try (Browser phone = new Browser(other)) {
            browser.open(server.address(), 1280, "light");
            browser.until("lanes", "document.querySelector('#race').dataset.ready === 'true'");
            browser.press("r", " ");
            browser.find("#race-ask-phones").click();
            phone.open(server.address() + "vote", 360, "dark");
            phone.until("the lanes on the phone", "document.querySelectorAll('.choice').length === 2");
            phone.assertAccessible("of a phone's choice");
            phone.find(".choice").click();
            browser.until("a vote", "document.querySelector('#race').dataset.phones === '1'");
            String first = browser.text(".lane b");
            browser.script("document.activeElement.blur()");
            browser.press(Keys.END);
            assertThat(browser.text("#race-phones")).startsWith("The class: 1 " + first);
            browser.assertNothingWentWrong(server.address());
        }
    }

    @Test
    void anAddressThatNamesNothingSaysSo() {
        browser.open(server.address() + "?lesson=nosuch", 1280, "light");
        browser.until("a word", "!document.querySelector('#not-found').hidden");
        assertThat(browser.text("#not-found")).isEqualTo("This page has no lesson=nosuch, which the address names.");
        browser.open(server.address() + "?lesson=3-slow-nic&said=0.3&again=0.4", 1280, "light");
        browser.until("both answers", "document.querySelectorAll('#answer .verdict').length === 2");
        assertThat(browser.script("location.search")).isEqualTo("?lesson=3-slow-nic&said=0.3&again=0.4");
        browser.find(".term").click();
        assertThat(browser.text(".meaning")).isNotEmpty();
        browser.assertNothingWentWrong(server.address());
    }

    /** Drawings before figures, both sides above a one-row bar. */
    @Test
    void onATelephoneBothSidesStayInSight() throws Exception {
        browser.resize(360, 740);
        browser.until("two bars", "document.querySelectorAll('#bars .track').length === 2");
        assertThat(browser.number("document.querySelector('.transport').offsetHeight"))
                .isLessThan(70);
        assertThat(browser.number("document.querySelector('canvas.cluster').getBoundingClientRect().top"))
                .isLessThan(browser.number("innerHeight") * 0.75);
        browser.screenshot("telephone.png", 360);
        browser.resize(1280, 900);
    }
}

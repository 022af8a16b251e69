package io.shardsim.reports.writing.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardsim.reports.RunMeters;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.SampleRuns;
import io.shardsim.reports.ScenarioResult;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

class HtmlReportTest {
    private static final String HOSTILE =
            "</title><script>alert(1)</script>\"' onload=x & \u2028 <img src=http://a.b/c>";

    static List<RunMeters.Reading> readingsOf(ScenarioResult result) {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        RunMeters meters = new RunMeters();
        meters.bindTo(registry);
        result.runs().stream().filter(RunResult::fits).forEach(meters::finished);
        return RunMeters.readings(registry);
    }

    static String page(ScenarioResult result) {
        return HtmlReport.write(result, readingsOf(result));
    }

    @Test
    void everySampleIsWellFormed() throws IOException {
        Path folder = Files.createDirectories(Path.of("target", "report-samples"));
        for (ScenarioResult result : List.of(
                SampleRuns.sweep("gpt2-30b-on-p4d"),
                SampleRuns.single("mics-30b-on-p4d"),
                SampleRuns.collective("all-reduce-1gib"))) {
            String page = page(result);
            Files.writeString(folder.resolve(result.scenario() + ".html"), page);
            assertWellFormed(page);
            assertThat(page.length()).isLessThan(1_000_000);
        }
    }

    @Test
    void whatFitsTightlyIsNeverHeadlinedWithoutItsWarning() {
        String page = page(SampleRuns.tight("s"));
        assertThat(page)
                .contains("Memory is tight: the run needs 39.3 of 39.4 GiB per GPU, 43.3 GiB with fragmentation.</p>")
                .containsPattern("memory without fragmentation(?s:.{0,300})<dd>39.3 <span>of 39.4 GiB</span>")
                .contains(
                        "<li>memory is tight: the run needs", "alarm\">tight</text>", "<td class=\"n\">tight 43.3</td>")
                .doesNotContain("<dd>43.3");
        assertThat(page(SampleRuns.single("s"))).doesNotContain("tight");
    }

    @Test
    void nothingIsLoadedFromAnywhere() {
        String page = page(SampleRuns.sweep("s"));
        assertThat(page).doesNotContain("<script", "<iframe", "@import", "xlink:href", "srcset", "javascript:");
        List<String> elsewhere = new ArrayList<>();
        for (Pattern loads : List.of(
                Pattern.compile("<[^>]*\\s(?:src|href|action|poster|data)=\"([^\"]*)\""),
                Pattern.compile("url\\(([^)]*)\\)"))) {
            Matcher match = loads.matcher(page);
            while (match.find()) {
                if (!match.group(1).startsWith("#") && !match.group(1).startsWith("data:")) {
                    elsewhere.add(match.group(1));
                }
            }
        }
        assertThat(elsewhere).isEmpty();
        // Sources are quoted as text.
        assertThat(page).contains("https://aws.amazon.com/ec2/instance-types/p4/");
    }

    @Test
    void hostileNamesAreText() throws IOException {
        ScenarioResult result = SampleRuns.single(HOSTILE);
        String page = page(result);
        assertThat(page).doesNotContain("<script>", "<img").contains("&lt;script&gt;");
        assertThat(assertWellFormed(page).getElementsByTagName("h1").item(0).getTextContent())
                .isEqualTo(HOSTILE);
    }

    @Test
    void everyTermLeadsToTheGlossaryAndIdsAreUnique() {
        String page = page(SampleRuns.sweep("s"));
        Set<String> ids = new HashSet<>();
        Matcher id = Pattern.compile(" id=\"([^\"]+)\"").matcher(page);
        while (id.find()) {
            assertThat(ids.add(id.group(1))).as(id.group(1)).isTrue();
        }
        Matcher link = Pattern.compile("(?:href=\"|url\\()#([^\")]+)").matcher(page);
        int links = 0;
        while (link.find()) {
            assertThat(ids).contains(link.group(1));
            links++;
        }
        assertThat(links).isGreaterThan(20);
    }

    @Test
    void everyTermSaysWhatItMeansWhereItStands() {
        for (ScenarioResult result : List.of(SampleRuns.sweep("s"), SampleRuns.collective("c"))) {
            String page = page(result);
            Matcher term = Pattern.compile(
                            "<a class=\"term\" href=\"#g-([^\"]+)\" aria-describedby=\"d-([^\"]+)\">[^<]+</a>"
                                    + "<span class=\"tip\" aria-hidden=\"true\"><b>([^<]+)</b> ([^<]+)</span>")
                    .matcher(page);
            int terms = 0;
            while (term.find()) {
                assertThat(term.group(1)).isEqualTo(term.group(2));
                assertThat(term.group(3)).isEqualTo(Glossary.term(term.group(1)).name());
                terms++;
            }
            assertThat(terms).isGreaterThan(8).isEqualTo(page.split("class=\"term\"", -1).length - 1);
        }
        assertThat(Glossary.behind("exposed [s]")).isEqualTo(Glossary.term("exposed"));
        assertThat(Glossary.behind("MFU")).isEqualTo(Glossary.term("mfu"));
        assertThat(Glossary.behind("run")).isNull();
    }

    @Test
    void memoryStandsByOwnerOverTheStep() {
        ScenarioResult result = SampleRuns.single("s");
        assertThat(page(result))
                .contains("In the course of one training step", "memory of rank 0 by owner", "at the peak [GiB]")
                .containsPattern("<polygon [^>]*class=\"m-activations\"><title>activations: [0-9.]+ GiB to ");
        assertThat(page(SampleRuns.collective("c"))).doesNotContain("In the course of one training step");
    }

    @Test
    void severalSizesAreTold() {
        assertThat(page(SampleRuns.collectives("c")))
                .contains("all-reduce of 33.6 MB to 67.1 MB", "67.1 MB take 45.0 ms on 16 GPUs");
        assertThat(page(SampleRuns.collective("c"))).contains("all-reduce of 1.07 GB", "It takes 45.0 ms on 16 GPUs");
    }

    /** The subtitle names what was run and what varied; every bar has a label of its own that says what it is. */
    @Test
    void barsOfASweepOverInstancesNameStrategyAndInstance() {
        String page = page(SampleRuns.instances("s"));
        assertThat(page)
                .containsPattern(
                        "class=\"subject\">gpt2-30b, 30.0 B parameters \u00b7 sequence 2048 \u00b7 global batch 1,536 \u00b7 "
                                + "DeepSpeed ZeRO-3, MiCS \u00b7 32 GPUs of p4d.24xlarge, p4de.24xlarge, p5.48xlarge");
        List<String> labels = barLabels(page, "step");
        assertThat(labels).hasSize(12);
        assertThat(labels.subList(0, 6))
                .doesNotHaveDuplicates()
                .contains("DeepSpeed ZeRO-3, p4d.24xlarge", "MiCS (group 16), p5.48xlarge");
        assertThat(labels.subList(6, 12))
                .doesNotHaveDuplicates()
                .contains("DeepSpeed ZeRO-3, p4d.24xlarge", "MiCS (shard group 16), p5.48xlarge");
    }

    /** The last part of a bar ends where the axis does: nothing is cut off there, and nothing is missing. */
    @Test
    void barsOfTheStepDrawAllOfIt() {
        String page = page(SampleRuns.sweep("s"));
        String drawing = page.substring(page.indexOf("<section id=\"step\""));
        drawing = drawing.substring(drawing.indexOf("class=\"wide\""));
        drawing = drawing.substring(0, drawing.indexOf("</svg>"));
        Matcher part = Pattern.compile("<rect x=\"([0-9.]+)\" y=\"([0-9.]+)\" width=\"([0-9.]+)\"")
                .matcher(drawing);
        Map<String, Double> widths = new TreeMap<>();
        while (part.find()) {
            widths.merge(part.group(2), Double.parseDouble(part.group(3)), Double::sum);
        }
        assertThat(widths).hasSize(14);
        double longest = widths.values().stream().mapToDouble(w -> w).max().orElseThrow();
        assertThat(widths.values()).allSatisfy(width -> assertThat(width).isCloseTo(longest, within(1.0)));
    }

    @Test
    void aStepWithAPartThatNoBarDrawsIsAnErrorThatNamesIt() {
        RunResult run = SampleRuns.single("s").runs().get(0);
        ScenarioResult wrong = ScenarioResult.of("s", List.of(SampleRuns.withWorkOfTheHost(run)));
        assertThatThrownBy(() -> page(wrong))
                .rootCause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("MiCS")
                .hasMessageContaining("the drawn parts of the step sum to");
    }

    @Test
    void labelsOfBarsStayApartWhenTheyAreShortened() {
        List<Map<String, ?>> points = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            points.add(Map.of(
                    "training",
                    Map.of("a_setting_that_nobody_would_ever_choose", "the " + i + "th of many long values")));
        }
        List<String> labels = barLabels(page(SampleRuns.points("s", points)), "step");
        assertThat(labels).hasSize(12);
        assertThat(labels.subList(0, 6)).doesNotHaveDuplicates();
        assertThat(labels.subList(6, 12)).doesNotHaveDuplicates();
    }

    /** The names beside the bars of a section, those of its wide drawing first. */
    private static List<String> barLabels(String page, String section) {
        String drawing = page.substring(page.indexOf("<section id=\"" + section + "\""));
        drawing = drawing.substring(0, drawing.indexOf("</section>"));
        Matcher name =
                Pattern.compile("<text [^>]*class=\"name\"[^>]*>([^<]+)</text>").matcher(drawing);
        List<String> labels = new ArrayList<>();
        while (name.find()) {
            labels.add(name.group(1));
        }
        return labels;
    }

    @Test
    void sweepShowsEverySection() {
        assertThat(page(SampleRuns.sweep("s")))
                .contains(
                        "id=\"throughput\"",
                        "id=\"efficiency\"",
                        "id=\"step\"",
                        "id=\"memory\"",
                        "id=\"network\"",
                        "id=\"cost\"",
                        "id=\"timeline\"",
                        "id=\"runs\"",
                        "id=\"glossary\"",
                        "id=\"sources\"")
                .contains("shardsim.queue.length.max", "capped to 16", "does not fit");
    }

    @Test
    void singleRunTellsItsOwnStoryWithoutACurve() {
        assertThat(page(SampleRuns.single("s")))
                .doesNotContain("id=\"throughput\"", "id=\"efficiency\"")
                .contains("id=\"step\"", "id=\"memory\"", "id=\"timeline\"");
    }

    /** What a timeline shows is in its legend, and nothing else. */
    @Test
    void theLegendOfTheTimelineNamesItsStreams() {
        String page = page(SampleRuns.single("s"));
        String legend = page.substring(page.indexOf("id=\"timeline\""));
        legend = legend.substring(0, legend.indexOf("<figure"));
        assertThat(legend)
                .contains("part lane-compute", "compute waits", "part lane-gather", "part lane-reduce")
                .doesNotContain("part lane-host", "part lane-tensor");
    }

    @Test
    void sameResultsGiveTheSamePage() {
        assertThat(page(SampleRuns.sweep("s"))).isEqualTo(page(SampleRuns.sweep("s")));
    }

    /** The page is valid XML but for HTML's void elements and doctype. */
    private static Document assertWellFormed(String page) throws IOException {
        String xml = page.replaceFirst("(?i)<!DOCTYPE html>", "")
                .replaceAll("<(meta|link)([^>]*)>", "<$1$2/>")
                .trim();
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
            return factory.newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
        } catch (ParserConfigurationException | SAXException e) {
            throw new AssertionError(e);
        }
    }
}

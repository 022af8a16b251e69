package io.shardsim.reports.writing.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardsim.reports.Quantities;
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
import java.util.Objects;
import java.util.Set;
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
    void theReportOfAnInterruptedRunSaysThatItIsPartial() {
        List<RunResult> runs = SampleRuns.sweep("s").runs();
        assertThat(page(ScenarioResult.of("s", runs.subList(0, 3), runs.size())))
                .contains("Partial: 3 of " + runs.size() + " points.");
        assertThat(page(SampleRuns.sweep("s"))).doesNotContain("Partial:");
    }

    @Test
    void whatFitsTightlyIsNeverHeadlinedWithoutItsWarning() {
        String page = page(SampleRuns.tight("s"));
        assertThat(page)
                .contains("Memory is tight: the run needs 39.3 of 39.4 GiB per GPU, 43.3 GiB with fragmentation. MiCS")
                .containsPattern("memory without fragmentation(?s:.{0,300})<dd>39.3 <span>of 39.4 GiB</span>")
                .contains("<li>memory is tight: the run needs", "<td class=\"n\">43.3</td>", ">tight: MiCS")
                .doesNotContain("<dd>43.3");
        assertThat(rows(SampleRuns.tight("s"), "peak-memory"))
                .allSatisfy(row -> assertThat(row).containsEntry("end", "tight").containsEntry("alarm", true));
        assertThat(page(SampleRuns.single("s"))).doesNotContain("tight");
    }

    /** Names, headers and cells have equal lengths, whatever was requested. */
    @Test
    void daysAndDollarsStandUnderTheTokensThatTheyAreFor() {
        RunResult quoted = SampleRuns.single("s").runs().get(0);
        assertThat(costs(quoted).head())
                .containsExactly("run", "nodes", "USD/h", "days, 100 B", "USD, 100 B", "days, 500 B", "USD, 500 B");
        assertThat(page(SampleRuns.single("s")))
                .contains("To train on 100 billion and 500 billion tokens at this rate");
        RunResult asked = quoted.withTokens(2e12);
        assertThat(costs(asked).head()).containsExactly("run", "nodes", "USD/h", "days, 2 T", "USD, 2 T");
        List<String> row = costs(asked).rows().get(0);
        assertThat(row).hasSize(5).endsWith(Quantities.usd(asked.cost().usd()));
        assertThat(row.get(3)).isEqualTo(Quantities.fixed(4 * quoted.cost().days(), 2));
        assertThat(page(ScenarioResult.of("s", List.of(asked))))
                .contains("To train on 2 trillion tokens at this rate")
                .doesNotContain("days, 100 B");
    }

    private static Figure.Table costs(RunResult run) {
        return Objects.requireNonNull(new CostSection(ScenarioResult.of("s", List.of(run))).costs());
    }

    @Test
    void nothingIsLoadedFromAnywhere() {
        String page = page(SampleRuns.sweep("s"));
        assertThat(page).doesNotContain("<iframe", "@import", "xlink:href", "srcset", "javascript:");
        assertThat(page.split("<script", -1))
                .as("code, data and what unpacks them")
                .hasSize(4);
        assertThat(page)
                .containsPattern("default-src &#39;none&#39;; script-src (&#39;sha256-[\\w+/=]+&#39; ?){2}; style-src|"
                        + "default-src 'none'; script-src ((?:'|&#39;)sha256-[\\w+/=]+(?:'|&#39;) ?){2}; style-src");
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
        // Sources are escaped as text.
        assertThat(page).contains("https://aws.amazon.com/ec2/instance-types/p4/");
    }

    @Test
    void hostileNamesAreText() throws IOException {
        ScenarioResult result = SampleRuns.single(HOSTILE);
        String page = page(result);
        assertThat(page).doesNotContain("<script>alert", "<img").contains("&lt;script&gt;");
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
                .contains("In the course of one training step", "memory of rank 0 by owner", "at the peak [GiB]");
        assertThat(list(figure(result, "memory-1"), "layers"))
                .extracting(layer -> layer.get("name"), layer -> layer.get("colour"))
                .contains(tuple("activations", "m-activations"), tuple("working set", "m-working-set"));
        assertThat(page(SampleRuns.collective("c"))).doesNotContain("In the course of one training step");
    }

    @Test
    void severalSizesAreTold() {
        assertThat(page(SampleRuns.collectives("c")))
                .contains("all-reduce of 32 MiB to 64 MiB", "64 MiB take 45.0 ms on 16 GPUs");
        assertThat(page(SampleRuns.collective("c"))).contains("all-reduce of 1 GiB", "It takes 45.0 ms on 16 GPUs");
    }

    /** The subtitle names what was run and what varied; every bar has its own label. */
    @Test
    void barsOfASweepOverInstancesNameStrategyAndInstance() {
        String page = page(SampleRuns.instances("s"));
        assertThat(page)
                .containsPattern(
                        "class=\"subject\">gpt2-30b, 30.0 B parameters \u00b7 sequence 2048 \u00b7 global batch 1,536 \u00b7 "
                                + "DeepSpeed ZeRO-3, MiCS \u00b7 32 GPUs of p4d.24xlarge, p4de.24xlarge, p5.48xlarge");
        assertThat(rows(SampleRuns.instances("s"), "step-time"))
                .extracting(row -> String.valueOf(row.get("name")))
                .hasSize(6)
                .doesNotHaveDuplicates()
                .contains("DeepSpeed ZeRO-3, p4d.24xlarge", "MiCS (group 16), p5.48xlarge");
    }

    /** Strategies by instances: every point is a labelled cell. */
    @Test
    void aSweepOverTwoKeysIsAMap() {
        Map<String, Object> map = figure(SampleRuns.instances("s"), "map");
        assertThat(map)
                .containsEntry("xs", List.of("DeepSpeed ZeRO-3", "MiCS (shard group 16)"))
                .containsEntry("ys", List.of("p4d.24xlarge", "p4de.24xlarge", "p5.48xlarge"));
        assertThat(cells(map))
                .hasSize(6)
                .allSatisfy(cell -> assertThat(cell.get(4).toString()).contains("samples/s"));
        assertThat(page(SampleRuns.single("s"))).doesNotContain("id=\"map\"");
        assertThat(page(SampleRuns.collective("c"))).doesNotContain("id=\"map\"");
    }

    @Test
    void whatDoesNotFitHasNoValueOnTheMap() {
        Map<String, Object> map = figure(SampleRuns.sweep("s"), "map");
        assertThat(cells(map).stream().filter(cell -> cell.get(2) == null))
                .hasSize(1)
                .allSatisfy(cell -> {
                    assertThat(cell.get(3)).isEqualTo("OOM");
                    assertThat(cell.get(4).toString()).contains("does not fit");
                });
        assertThat(cells(map).stream().filter(cell -> Boolean.TRUE.equals(cell.get(5))))
                .hasSize(1);
    }

    /** A fourth key is fixed at the fastest run's value. */
    @Test
    void aSweepOverFourKeysIsMappedAroundTheFastestRun() {
        Map<String, Object> map = figure(SampleRuns.manyPoints("s"), "map");
        assertThat(list(map, "facets")).hasSizeBetween(2, 9);
        assertThat(map.get("title").toString()).contains(", at ");
    }

    /** Choices for the reader: runs on equally large clusters, with parts that sum to their steps. */
    @Test
    void partsOfEveryRunSumToItsStep() {
        ScenarioResult result = SampleRuns.sweep("s");
        Map<String, Object> gap = figure(result, "gap");
        List<RunResult> runs = result.runs().stream().filter(RunResult::fits).toList();
        List<Map<String, Object>> drawn = list(gap, "runs");
        assertThat(drawn).hasSameSizeAs(runs);
        for (int i = 0; i < runs.size(); i++) {
            long sum = ((List<?>) drawn.get(i).get("ps"))
                    .stream().mapToLong(ps -> ((Long) ps)).sum();
            assertThat(sum).isEqualTo(runs.get(i).step().breakdown().stepPs());
        }
        assertThat(drawn.get((Integer) gap.get("slow")).get("group"))
                .isEqualTo(drawn.get((Integer) gap.get("fast")).get("group"));
    }

    /** The last part of a bar ends at the end of the axis: nothing is cut off, and nothing is missing. */
    @Test
    void barsOfTheStepDrawAllOfIt() {
        Map<String, Object> figure = figure(SampleRuns.sweep("s"), "step-time");
        List<Map<String, Object>> parts = list(figure, "parts");
        for (int run = 0; run < 14; run++) {
            double sum = 0;
            for (Map<String, Object> part : parts) {
                sum += ((Number) ((List<?>) part.get("values")).get(run)).doubleValue();
            }
            assertThat(sum).isCloseTo(100, within(0.5));
        }
        assertThat(list(figure, "rows")).hasSize(14);
    }

    @Test
    void aStepWithAPartThatNoBarDrawsIsAnErrorThatNamesIt() {
        RunResult run = SampleRuns.single("s").runs().get(0);
        ScenarioResult wrong = ScenarioResult.of("s", List.of(SampleRuns.withWorkOfTheHost(run)));
        assertThatThrownBy(() -> page(wrong))
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
        assertThat(rows(SampleRuns.points("s", points), "step-time"))
                .extracting(row -> row.get("name"))
                .hasSize(6)
                .doesNotHaveDuplicates();
    }

    private static Map<String, Object> figure(ScenarioResult result, String id) {
        return new ReportPage(result, List.of())
                .figures().stream()
                        .filter(figure -> figure.id().equals(id))
                        .findFirst()
                        .orElseThrow()
                        .document();
    }

    private static List<Map<String, Object>> rows(ScenarioResult result, String id) {
        return list(figure(result, id), "rows");
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> list(Map<String, Object> figure, String key) {
        return (List<Map<String, Object>>) Objects.requireNonNull(figure.get(key));
    }

    @SuppressWarnings("unchecked")
    private static List<List<Object>> cells(Map<String, Object> map) {
        return list(map, "facets").stream()
                .flatMap(facet -> ((List<List<Object>>) facet.get("cells")).stream())
                .toList();
    }

    @Test
    void saysWhatRunsItAgainAndHowToCiteIt() {
        ScenarioResult result = SampleRuns.single("a_b & {c}");
        assertThat(page(result)).doesNotContain("id=\"again\"").contains("howpublished = {shardsim development}");
        assertThat(page(result.from(
                        new ScenarioResult.Origin("shardsim run a.yaml --set 'x=<1>'", "shardsim 9.9 (build 1)"))))
                .contains("<pre id=\"command\">shardsim run a.yaml --set 'x=&lt;1&gt;'</pre>")
                .contains("@misc{shardsim:a-b-c-,", "title = {a\\_b \\&amp;  c , a simulated run}")
                .contains(
                        "howpublished = {shardsim 9.9 (build 1)}",
                        "note = {digest " + result.runs().get(0).digest());
    }

    @Test
    void sweepShowsEverySection() {
        assertThat(page(SampleRuns.sweep("s")))
                .contains(
                        "data-figure=\"throughput\"",
                        "data-figure=\"gap\"",
                        "id=\"map\"",
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
                .doesNotContain("data-figure=\"throughput\"", "data-figure=\"gap\"", "id=\"efficiency\"")
                .contains("data-figure=\"step-time\"", "id=\"memory\"", "id=\"timeline\"");
    }

    /** Exactly the streams with operations have a lane. */
    @Test
    void theTimelineHasALaneForEveryStream() {
        assertThat(list(figure(SampleRuns.single("s"), "timeline-1"), "lanes"))
                .extracting(lane -> lane.get("colour"))
                .contains("lane-compute", "lane-gather", "lane-reduce")
                .doesNotContain("lane-host", "lane-tensor");
    }

    /** Without scripts the tables of all figures are open. */
    @Test
    void everyFigureHasItsTable() {
        for (ScenarioResult result :
                List.of(SampleRuns.sweep("s"), SampleRuns.single("s"), SampleRuns.collective("c"))) {
            int figures = new ReportPage(result, List.of()).figures().size();
            String page = page(result);
            assertThat(page.split("class=\"chart\"", -1)).hasSize(figures + 1);
            assertThat(page.split("<details class=\"data\" open=\"open\">", -1)).hasSize(figures + 1);
        }
    }

    /** Every colour of a figure is in the palette. */
    @Test
    void coloursOfFiguresExist() {
        String figures = PageWriter.document("s", new ReportPage(SampleRuns.sweep("s"), List.of()).figures())
                .get("figures")
                .toString();
        Matcher colour = Pattern.compile("colour=([a-z0-9-]+)").matcher(figures);
        Set<String> named = new HashSet<>();
        while (colour.find()) {
            named.add(colour.group(1));
        }
        assertThat(named).hasSizeGreaterThan(10);
        assertThat(Palette.document()).containsKeys(named.toArray(String[]::new));
    }

    @Test
    void sameResultsGiveTheSamePage() {
        assertThat(page(SampleRuns.sweep("s"))).isEqualTo(page(SampleRuns.sweep("s")));
    }

    /** The page is valid XML except for HTML's void elements and doctype. */
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

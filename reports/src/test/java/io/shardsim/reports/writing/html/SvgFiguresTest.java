package io.shardsim.reports.writing.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.reports.ErrorInterval;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.SampleRuns;
import io.shardsim.reports.ScenarioResult;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

class SvgFiguresTest {
    private static final Pattern NOT_A_NUMBER = Pattern.compile("NaN|Infinity");

    /** Every figure of the page is a file of valid XML, with nothing drawn outside of it. */
    @Test
    @Tag("slow")
    void everyFigureOfTheReportIsAFile() throws IOException {
        for (ScenarioResult result : List.of(
                SampleRuns.sweep("<s> & \"t\""),
                SampleRuns.single("s"),
                SampleRuns.collective("c"),
                SampleRuns.instances("i"),
                SampleRuns.tight("t"),
                SampleRuns.manyPoints("m"))) {
            Map<String, String> files = SvgFigures.of(result);
            assertThat(files).hasSameSizeAs(new ReportPage(result, List.of()).figures());
            for (Map.Entry<String, String> file : files.entrySet()) {
                assertThat(NOT_A_NUMBER.matcher(file.getValue()).find())
                        .as(file.getKey())
                        .isFalse();
                Element root = parsed(file.getValue());
                double width = Double.parseDouble(root.getAttribute("width"));
                double height = Double.parseDouble(root.getAttribute("height"));
                NodeList rects = root.getElementsByTagName("rect");
                for (int i = 0; i < rects.getLength(); i++) {
                    Element rect = (Element) rects.item(i);
                    if (!rect.getAttribute("x").isEmpty()) {
                        assertThat(Double.parseDouble(rect.getAttribute("x"))).isBetween(0.0, width);
                        assertThat(Double.parseDouble(rect.getAttribute("x"))
                                        + Double.parseDouble(rect.getAttribute("width")))
                                .as(file.getKey())
                                .isLessThanOrEqualTo(width);
                        assertThat(Double.parseDouble(rect.getAttribute("y"))).isBetween(0.0, height);
                    }
                }
            }
        }
    }

    /** A bar of the whole step ends at the axis label 100. */
    @Test
    void barsOfTheStepEndTogether() {
        String drawing = SvgFigures.of(SampleRuns.sweep("s")).get("step-time.svg");
        Matcher end = Pattern.compile(
                        "<text x=\"([0-9.]+)\" y=\"[0-9.]+\" text-anchor=\"start\" fill=\"#565d68\">[0-9.]+ s<")
                .matcher(drawing);
        int bars = 0;
        while (end.find()) {
            assertThat(Double.parseDouble(end.group(1))).isBetween(874.0, 877.0);
            bars++;
        }
        assertThat(bars).isEqualTo(14);
    }

    @Test
    void sameResultsGiveTheSameFiles() {
        assertThat(SvgFigures.of(SampleRuns.sweep("s"))).isEqualTo(SvgFigures.of(SampleRuns.sweep("s")));
    }

    private static Element parsed(String xml) throws IOException {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .parse(new InputSource(new StringReader(xml)))
                    .getDocumentElement();
        } catch (ParserConfigurationException | SAXException e) {
            throw new AssertionError(e);
        }
    }

    /** Bands of similar published runs, and clusters that double at equal distances. */
    @Test
    void theCurveHasBandsAndALogarithmicAxis() {
        String curve = SvgFigures.of(SampleRuns.sweep("s")).get("throughput.svg");
        assertThat(curve.split("fill-opacity=\"0.16\"", -1)).hasSize(4);
        assertThat(curve).contains("GPUs; band: 80 % of similar runs</text>");
        List<Double> ticks = Pattern.compile(
                        "<text x=\"([0-9.]+)\" y=\"\\S+\" text-anchor=\"middle\"[^>]*>(16|32|64|128|256)<")
                .matcher(curve)
                .results()
                .map(tick -> Double.valueOf(tick.group(1)))
                .toList();
        assertThat(ticks).hasSize(5);
        for (int i = 1; i < 4; i++) {
            assertThat(ticks.get(i + 1) - ticks.get(i)).isCloseTo(ticks.get(i) - ticks.get(i - 1), within(0.2));
        }
        assertThat(SvgFigures.of(SampleRuns.sweep("s")).get("efficiency.svg")).doesNotContain("fill-opacity", "band");
    }

    /** A cross if the run itself was published, and none if a run with other settings was. */
    @Test
    void thePublishedRunIsACrossOnTheCurve() {
        assertThat(curveWithPublished(1)).contains("; cross: published</text>");
        assertThat(curveWithPublished(1.5)).doesNotContain("cross: published");
    }

    /** @param simulated the published run's simulated speed over the run's */
    private static String curveWithPublished(double simulated) {
        ScenarioResult sweep = SampleRuns.sweep("s");
        List<RunResult> runs = new ArrayList<>(sweep.runs());
        RunResult last = runs.remove(runs.size() - 1);
        double measured = last.step().samplesPerSecond() * simulated / 1.04;
        ErrorInterval.Near near = new ErrorInterval.Near("same", "validation", 0.04, measured);
        runs.add(last.with(
                last.facts().withAccuracy(new ErrorInterval(0.8, -0.02, 0.04, List.of(near)), List.of(), List.of()),
                last.training()));
        return Objects.requireNonNull(
                SvgFigures.of(ScenarioResult.of("s", runs)).get("throughput.svg"));
    }
}

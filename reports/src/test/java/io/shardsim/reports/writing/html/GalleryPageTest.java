package io.shardsim.reports.writing.html;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.validation.Metric;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GalleryPageTest {
    static GalleryPage gallery() {
        GalleryPage.Report report = new GalleryPage.Report(
                "A-1", "runs/A-1.html", "FSDP, 8 GPUs", "70 samples/s", "Flash attention: 97.5 samples/s (+34 %)");
        return new GalleryPage(
                List.of(
                        entry(
                                "A-1",
                                "owner/repo docs/speed.md at 3a442b728 (2023), table 1",
                                "a100-80gb",
                                70,
                                77,
                                report),
                        entry("B-2", "arXiv:2204.02311v1, table 3", "v100-16gb", 3000, 2900, null),
                        new GalleryPage.Entry(
                                new GalleryPage.Published("C-3", "c", "a blog <script>", "calibration"),
                                new GalleryPage.Ran("h100-80gb", 16, "", ""),
                                Metric.COLLECTIVE_SECONDS,
                                0.01,
                                new GalleryPage.Simulated(Double.NaN, null, 0.012),
                                null)),
                List.of(report),
                List.of(new GalleryPage.Link("The results", "docs/results.html")));
    }

    private static GalleryPage.Entry entry(
            String id, String source, String gpu, double measured, double today, GalleryPage.Report report) {
        return new GalleryPage.Entry(
                new GalleryPage.Published(id, "family", source, "validation"),
                new GalleryPage.Ran(gpu, 8, "fsdp", "fsdp"),
                Metric.SAMPLES_PER_SECOND,
                measured,
                new GalleryPage.Simulated(80, LocalDate.of(2026, 11, 20), today),
                report);
    }

    @Test
    void showsWhatWasMeasuredPredictedFirstAndToday() {
        String page = gallery().write();
        assertThat(page)
                .contains("<a href=\"runs/A-1.html\">A-1</a>")
                .contains("title=\"2026-11-20\">80.0</td><td class=\"n\">77.0</td><td class=\"n\">10 %</td>")
                .contains("Flash attention: 97.5 samples/s (+34 %)")
                .contains("a blog &lt;script&gt;");
    }

    @Test
    void leadsToTheSource() {
        assertThat(gallery().figures())
                .extracting(entry -> entry.published().address())
                .containsExactly(
                        "https://github.com/owner/repo/blob/3a442b728/docs/speed.md",
                        "https://arxiv.org/abs/2204.02311",
                        null);
    }

    @Test
    void pagesOfTheDocumentationLeadToEachOther() {
        DocumentPages.Page page = DocumentPages.of("""
                # The `results`

                <!-- figures -->See [the plan](plan.md#fits), [a file](../scenarios/a.yaml) and [below](#here).

                | a | b |
                |---|--:|
                | 1 | <b> |
                """, Set.of("plan.md", "results.md"), "../index.html");
        assertThat(page.title()).isEqualTo("The results");
        assertThat(page.content())
                .contains("<a href=\"plan.html#fits\">the plan</a>, a file and <a href=\"#here\">below</a>")
                .contains("<td align=\"right\">&lt;b&gt;</td>");
        assertThat(page.write()).contains("<title>The results · shardsim</title>");
    }
}

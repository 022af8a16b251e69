package io.shardsim.reports.writing.html;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.validation.Metric;
import io.shardsim.reports.writing.JsonObject;
import java.time.LocalDate;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The first page of a gallery: what was measured against what is predicted, run by run.
 *
 * @param figures published figures
 * @param configurations runs of which nothing was measured
 * @param documents pages of the documentation
 */
public record GalleryPage(List<Entry> figures, List<Report> configurations, List<Link> documents) {
    private static final int HEIGHT = 520;
    private static final Pattern GITHUB =
            Pattern.compile("([\\w.-]+/[\\w.-]+) ([\\w./-]*[\\w-]) at ([0-9a-f]{7,40})\\b.*");
    private static final Pattern ARXIV = Pattern.compile(".*arXiv:(\\d{4}\\.\\d{4,5}).*");
    private static final Pattern ADDRESS = Pattern.compile(".*?(https?://[^\\s,;)]+).*");

    /** What an entry leads to. */
    public record Link(String title, String address) {}

    /**
     * What is published.
     *
     * @param family cases of one source
     * @param source document and place
     * @param role {@code calibration} or {@code validation}
     */
    public record Published(String id, String family, String source, String role) {
        /** Where it can be read; null where the source names no address. */
        public @Nullable String address() {
            Matcher github = GITHUB.matcher(source);
            if (github.matches()) {
                return "https://github.com/" + github.group(1) + "/blob/" + github.group(3) + "/" + github.group(2);
            }
            Matcher arxiv = ARXIV.matcher(source);
            if (arxiv.matches()) {
                return "https://arxiv.org/abs/" + arxiv.group(1);
            }
            Matcher address = ADDRESS.matcher(source);
            return address.matches() ? address.group(1) : null;
        }
    }

    /**
     * What ran.
     *
     * @param strategy empty for a bare collective
     */
    public record Ran(String gpu, int gpus, String framework, String strategy) {
        private String kind() {
            return strategy.isEmpty() ? "bare collective" : strategy;
        }
    }

    /**
     * What was simulated.
     *
     * @param first when it was simulated first; NaN where nothing was kept
     * @param added when that was
     */
    public record Simulated(double first, @Nullable LocalDate added, double today) {}

    /**
     * The report of a run.
     *
     * @param address beside the page
     * @param subject model, cluster and strategy
     * @param speed what it comes to
     * @param best the change that gains most, with its gain; empty where none gains 2 %
     */
    public record Report(String name, String address, String subject, String speed, String best) {}

    /** A published figure; the report is absent where none was asked for. */
    public record Entry(
            Published published,
            Ran ran,
            Metric metric,
            double measured,
            Simulated simulated,
            @Nullable Report report) {
        /** As tables show it. */
        public String measuredWords() {
            return Quantities.significant(measured);
        }

        /** The first figure, and its day. */
        public String firstWords() {
            return Double.isNaN(simulated.first()) ? "" : Quantities.significant(simulated.first());
        }

        public String todayWords() {
            return Quantities.significant(simulated.today());
        }

        public String errorWords() {
            return Quantities.percent(simulated.today() / measured - 1);
        }
    }

    public GalleryPage {
        figures = List.copyOf(figures);
        configurations = List.copyOf(configurations);
        documents = List.copyOf(documents);
    }

    /** The page as text. */
    public String write() {
        return PageWriter.write("gallery.jte", this, "gallery", List.of(scatter()));
    }

    /** Predicted against measured. */
    public Figure scatter() {
        JsonObject data = new JsonObject()
                .list(
                        "points",
                        figures,
                        entry -> new JsonObject()
                                .with("id", entry.published().id())
                                .with("source", entry.published().family())
                                .with("role", entry.published().role())
                                .with("kind", entry.metric().kind().words())
                                .with("figure", entry.metric().id())
                                .with("gpu", entry.ran().gpu())
                                .with("framework", entry.ran().framework())
                                .with("strategy", entry.ran().kind())
                                .with("measured", Figure.number(entry.measured()))
                                .with("today", Figure.number(entry.simulated().today()))
                                .with("error", Figure.number(entry.simulated().today() / entry.measured() - 1)));
        return new Figure(
                "scatter",
                Figure.Kind.SCATTER,
                "Predicted vs. measured",
                "Predicted vs. measured, one dot per figure of the table below; on the line they are equal",
                HEIGHT,
                data,
                new Figure.Table(List.of(), List.of(), List.of()));
    }

    public String count() {
        return Quantities.count(figures.size());
    }

    /** What a filter begins with: figures that judge how fast training is, as the headline counts them; empty for all. */
    public String begins(String filter) {
        return switch (filter) {
            case "kind" -> Metric.Kind.TRAINING_SPEED.words();
            case "role" -> "validation";
            default -> "";
        };
    }

    /** Values of a filter, in order. */
    public List<String> values(String filter) {
        return figures.stream()
                .map(entry -> switch (filter) {
                    case "kind" -> entry.metric().kind().words();
                    case "figure" -> entry.metric().id();
                    case "gpu" -> entry.ran().gpu();
                    case "framework" -> entry.ran().framework();
                    case "strategy" -> entry.ran().kind();
                    default -> entry.published().role();
                })
                .filter(value -> !value.isEmpty())
                .distinct()
                .sorted()
                .toList();
    }
}

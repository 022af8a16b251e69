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
 * The index page of a gallery: measured against predicted figures, run by run.
 *
 * @param figures published figures
 * @param configurations runs without a measurement
 * @param documents documentation pages
 */
public record GalleryPage(List<Entry> figures, List<Report> configurations, List<Link> documents) {
    private static final int HEIGHT = 520;
    private static final Pattern GITHUB =
            Pattern.compile("([\\w.-]+/[\\w.-]+) ([\\w./-]*[\\w-]) at ([0-9a-f]{7,40})\\b.*");
    private static final Pattern ARXIV = Pattern.compile(".*arXiv:(\\d{4}\\.\\d{4,5}).*");
    private static final Pattern ADDRESS = Pattern.compile(".*?(https?://[^\\s,;)]+).*");

    /** A link of an entry. */
    public record Link(String title, String address) {}

    /**
     * A published case.
     *
     * @param family cases of one source
     * @param source document and place
     * @param role {@code calibration} or {@code validation}
     */
    public record Published(String id, String family, String source, String role) {
        /** Returns its address; null if the source names none. */
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
     * The run of a case.
     *
     * @param strategy empty for a bare collective
     */
    public record Ran(String gpu, int gpus, String framework, String strategy) {
        private String kind() {
            return strategy.isEmpty() ? "bare collective" : strategy;
        }
    }

    /**
     * The simulated values of a figure.
     *
     * @param first value of its first simulation; NaN if not recorded
     * @param added date of that simulation
     */
    public record Simulated(double first, @Nullable LocalDate added, double today) {}

    /**
     * The report of a run.
     *
     * @param address address relative to the page
     * @param subject model, cluster and strategy
     * @param speed simulated speed
     * @param best the change that gains most, with its gain; empty if none gains 2 %
     */
    public record Report(String name, String address, String subject, String speed, String best) {}

    /** A published figure; the report is absent if none was requested. */
    public record Entry(
            Published published,
            Ran ran,
            Metric metric,
            double measured,
            Simulated simulated,
            @Nullable Report report) {
        /** Formats the measured value for tables. */
        public String measuredWords() {
            return Quantities.significant(measured);
        }

        /** Formats the first simulated value, and its date. */
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

    /** Returns the page as text. */
    public String write() {
        return PageWriter.write("gallery.jte", this, "gallery", List.of(scatter()));
    }

    /** Returns the chart of predicted against measured values. */
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

    /** Returns a filter's initial value: figures that validate training speed, as in the headline; empty for all. */
    public String begins(String filter) {
        return switch (filter) {
            case "kind" -> Metric.Kind.TRAINING_SPEED.words();
            case "role" -> "validation";
            default -> "";
        };
    }

    /** Returns the values of a filter, in order. */
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

package io.shardsim.scenarios.calibrating;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.reports.writing.TextTable;
import io.shardsim.scenarios.explaining.ExplanationJson;
import io.shardsim.scenarios.explaining.ExplanationText;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A calibration for the terminal, for programs, and as an instance file. */
public final class CalibrationText {
    private CalibrationText() {}

    /** At most {@code width} columns wide. */
    public static String write(Calibration calibration, int width) {
        Paragraphs out = new Paragraphs(width);
        List<List<String>> rows =
                new ArrayList<>(List.of(List.of("file", "collective", "nodes", "GPUs", "sizes", "busbw [GB/s]")));
        for (CollectiveTest test : calibration.tests()) {
            rows.add(List.of(
                    test.file(),
                    test.kind().id(),
                    String.valueOf(test.nodes()),
                    String.valueOf(test.ranks()),
                    String.valueOf(test.rows().size()),
                    Quantities.threeDigits(test.busBytesPerSecond() / 1e9)));
        }
        TextTable.lines(rows, 2).forEach(line -> out.asIs(TextTable.cut(line, width) + "\n"));
        for (Calibrator.Broken broken : calibration.broken()) {
            out.asIs("\n");
            out.line(broken.test().file() + " looks broken: "
                    + Quantities.threeDigits(broken.test().busBytesPerSecond() / 1e9) + " GB/s busbw, where "
                    + calibration.base() + " should reach "
                    + Quantities.threeDigits(broken.expectedBytesPerSecond() / 1e9) + ".");
            out.asIs(ExplanationText.write(broken.explanation(), width));
        }
        out.asIs("\n");
        calibration.fits().forEach(fit -> {
            fit.values().forEach((parameter, value) -> out.line(parameter.key() + ": " + figure(fit, parameter)));
            out.line(quality(fit));
        });
        Stream.of(calibration.betweenNodes(), calibration.inNode())
                .flatMap(fit -> fit.open().stream())
                .forEach(open -> out.line("Not determined: " + open.words() + ". " + open.toTell() + "."));
        return out.toString();
    }

    private static String figure(Fit fit, Parameter parameter) {
        double value = Objects.requireNonNull(fit.values().get(parameter));
        return parameter.written(value) + " +- "
                + Quantities.percent(Objects.requireNonNull(fit.errors().get(parameter))) + ", " + parameter.words();
    }

    private static String quality(Fit fit) {
        Fit.Quality quality = fit.quality();
        String nodes = Double.isNaN(quality.nodesLeftOut())
                ? ""
                : ", " + Quantities.percent(quality.nodesLeftOut()) + " with each number of nodes left out";
        return "Median error of " + quality.count() + " measured times: " + Quantities.percent(quality.median()) + " ("
                + Quantities.percent(quality.catalog()) + " with what the catalog says); "
                + Quantities.percent(quality.sizeLeftOut()) + " with each size left out" + nodes + ".";
    }

    static String signed(double change) {
        return String.format(Locale.ROOT, " (%+.1f %%)", 100 * change);
    }

    /**
     * The instance file.
     *
     * @param date of the newest log, for example {@code 2026-11-28}
     */
    public static String instance(Calibration calibration, String date) {
        String files = calibration.tests().stream()
                .map(CollectiveTest::file)
                .distinct()
                .collect(Collectors.joining(", "));
        StringBuilder out = new StringBuilder();
        out.append("title: ")
                .append(quoted(calibration.base() + " as measured on "
                        + calibration.tests().stream()
                                .mapToInt(CollectiveTest::nodes)
                                .max()
                                .orElse(1) + " nodes"))
                .append("\nextends: ")
                .append(calibration.base())
                .append('\n');
        for (Fit fit : calibration.fits()) {
            fit.values()
                    .forEach((parameter, value) -> out.append(parameter.key())
                            .append(": {value: ")
                            .append(parameter.written(value))
                            .append(", from: measured, note: ")
                            .append(quoted(figure(fit, parameter) + ". " + quality(fit)))
                            .append("}\n"));
        }
        return out.append("sources:\n  measured: {source: ")
                .append(quoted("nccl-tests: " + files))
                .append(", date: ")
                .append(date)
                .append("}\n")
                .toString();
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", "?") + '"';
    }

    /** One document. */
    public static String json(Calibration calibration) {
        return new JsonObject()
                .with("base", calibration.base())
                .list(
                        "tests",
                        calibration.tests(),
                        test -> new JsonObject()
                                .with("file", test.file())
                                .with("collective", test.kind().id())
                                .with("nodes", test.nodes())
                                .with("gpus", test.ranks())
                                .with("sizes", test.rows().size())
                                .with("bus_bytes_per_second", test.busBytesPerSecond()))
                .list(
                        "broken",
                        calibration.broken(),
                        broken -> new JsonObject()
                                .with("file", broken.test().file())
                                .with("expected_bus_bytes_per_second", broken.expectedBytesPerSecond())
                                .with("explanation", ExplanationJson.object(broken.explanation())))
                .with("figures", calibration.figures())
                .list(
                        "fits",
                        calibration.fits(),
                        fit -> new JsonObject()
                                .with("measured_times", fit.quality().count())
                                .with("median_error", fit.quality().median())
                                .with("median_error_of_catalog", fit.quality().catalog())
                                .with(
                                        "median_error_size_left_out",
                                        fit.quality().sizeLeftOut()))
                .text();
    }
}

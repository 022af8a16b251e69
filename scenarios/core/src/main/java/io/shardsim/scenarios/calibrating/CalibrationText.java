package io.shardsim.scenarios.calibrating;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.reports.writing.TextTable;
import io.shardsim.scenarios.explaining.ExplanationJson;
import io.shardsim.scenarios.explaining.ExplanationText;
import io.shardsim.topology.GpuSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Formats a calibration for the terminal, as JSON, and as an instance file. */
public final class CalibrationText {
    private CalibrationText() {}

    /** Returns text of at most {@code width} columns. */
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
        if (rows.size() > 1) {
            TextTable.lines(rows, 2, Integer.MAX_VALUE).forEach(line -> out.asIs(TextTable.cut(line, width) + "\n"));
            out.asIs("\n");
        }
        for (Calibrator.Broken broken : calibration.broken()) {
            out.line(broken.test().file() + " looks broken: "
                    + Quantities.threeDigits(broken.test().busBytesPerSecond() / 1e9) + " GB/s busbw, where "
                    + calibration.base().name() + " should reach "
                    + Quantities.threeDigits(broken.expectedBytesPerSecond() / 1e9) + ".");
            out.asIs(ExplanationText.write(broken.explanation(), width) + "\n");
        }
        notes(calibration).forEach(out::line);
        calibration.fits().forEach(fit -> {
            fit.values().forEach((parameter, value) -> out.line(parameter.key() + ": " + figure(fit, parameter)));
            out.line(quality(fit));
        });
        double[] attention = calibration.kernels().attention(calibration.gpu());
        if (attention.length > 0) {
            out.line("Attention takes " + Quantities.number(Fit.median(attention), 3)
                    + " times as long as simulated with these figures (median of " + attention.length
                    + "). An instance has no attention rate of its own: attention follows gemm_rate.");
        }
        String contradiction = calibration.kernels().contradiction();
        calibration
                .all()
                .flatMap(fit -> fit.open().stream())
                .forEach(open -> out.line("Not determined: " + open.words() + ". "
                        + (Parameter.KERNELS.contains(open) && !contradiction.isEmpty()
                                ? contradiction
                                : toTell(open, calibration.tests()))
                        + "."));
        return out.toString();
    }

    /** Returns what to measure, unless that is among the tests. */
    private static String toTell(Parameter open, List<CollectiveTest> tests) {
        return tests.stream()
                .filter(test -> open.toTell().startsWith(test.kind().id()))
                .filter(test -> (test.nodes() == 1) == Parameter.IN_NODE.contains(open))
                .filter(test -> open.unit().isEmpty() || test.largest().bytes() >= Calibrator.LARGE)
                .findFirst()
                .map(test -> test.file() + " tells it less exactly than the base does")
                .orElse(open.toTell());
    }

    /** Returns problems of the measurements. */
    private static List<String> notes(Calibration calibration) {
        List<String> notes = new ArrayList<>(calibration.unexplained());
        GpuSpec gpu = calibration.base().with(Map.of()).gpu();
        calibration
                .kernels()
                .broken()
                .forEach((file, run) -> notes.add(file + " looks broken: " + run.teraflops(run.seconds())
                        + " TFLOPS, where " + calibration.base().name() + " should reach "
                        + run.teraflops(run.simulated(gpu)) + ": clocks, power limit, dtype or unit?"));
        return notes;
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
                + Quantities.percent(quality.catalog()) + " with the base's figures);  "
                + Quantities.percent(quality.sizeLeftOut()) + " with each size left out" + nodes + ".";
    }

    /**
     * Returns the instance file.
     *
     * @param date date of the newest log, for example {@code 2026-11-28}
     */
    public static String instance(Calibration calibration, String date) {
        StringBuilder figures = new StringBuilder();
        for (Fit fit : calibration.fits()) {
            fit.values()
                    .forEach((parameter, value) -> figures.append(parameter.key())
                            .append(": {value: ")
                            .append(parameter.written(value))
                            .append(", from: measured, note: ")
                            .append(quoted(figure(fit, parameter) + ". " + quality(fit)))
                            .append("}\n"));
        }
        int nodes = calibration.tests().stream()
                .mapToInt(CollectiveTest::nodes)
                .max()
                .orElse(1);
        String base = calibration.base().name();
        String kept = calibration.base().lines(calibration.figures().keySet());
        String notes = notes(calibration).stream()
                .map(note -> "# " + note.replaceAll("\\p{Cntrl}", "?") + "\n")
                .collect(Collectors.joining());
        return notes + "title: " + quoted(base + " as measured on " + nodes + (nodes == 1 ? " node" : " nodes")) + "\n"
                + kept
                + figures + "sources:\n  measured: {source: "
                + quoted((calibration.kernels().all.isEmpty() ? "nccl-tests: " : "measured: ") + calibration.files())
                + ", date: " + date + "}\n"
                + (kept.contains("from: base") ? "  base: {source: " + quoted(base) + ", date: " + date + "}\n" : "");
    }

    static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\p{Cntrl}", "?") + '"';
    }

    /** Returns a JSON document. */
    public static String json(Calibration calibration) {
        return new JsonObject()
                .with("base", calibration.base().name())
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
                .with("notes", notes(calibration))
                .with("kernels", calibration.kernels().all.size())
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

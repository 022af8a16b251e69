package io.shardsim.scenarios.api;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.scenarios.evaluation.ReportFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The results of a scenario's points, in sweep order. */
public final class Results {
    private final ScenarioResult result;
    private final boolean complete;
    private final List<PointResult> points;

    Results(ScenarioResult result, boolean complete) {
        this.result = result;
        this.complete = complete;
        points = result.runs().stream().map(PointResult::of).toList();
    }

    /** Returns the scenario's name. */
    public String scenario() {
        return result.scenario();
    }

    /** Returns whether every point finished; false after a cancellation. */
    public boolean complete() {
        return complete;
    }

    public List<PointResult> points() {
        return points;
    }

    /** Returns the training run with the most tokens per second, preferring runs that fit with headroom; empty if none fits in memory. */
    public Optional<PointResult> fastest() {
        int fastest = ScenarioResult.indexOfFastest(result.runs());
        return fastest < 0 ? Optional.empty() : Optional.of(points.get(fastest));
    }

    /** Returns the document that {@code shardsim run --json} prints. */
    public String toJson() {
        return new ReportFiles().json(List.of(result));
    }

    /**
     * Writes {@code report.html}, {@code results.json} and {@code results.csv}.
     *
     * @param folder created if missing
     * @return the files, the report first
     */
    public List<Path> write(Path folder) throws IOException {
        return new ReportFiles().write(Files.createDirectories(folder), result);
    }
}

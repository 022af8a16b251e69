package io.shardsim.scenarios.accuracy;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.validation.Metric;
import io.shardsim.reports.writing.html.GalleryPage;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Every published figure with its first prediction and today's record. */
public final class Ledger {
    /** Rounding tolerance of recorded digits. */
    private static final double RECORDED = 1e-7;

    private final List<ReferenceCase> cases;
    private final FirstErrors first;

    /**
     * Reads the published cases and their first figures.
     *
     * @param home the source tree that the program was started in
     * @throws InputException with every problem of every file, or if there are none
     */
    public Ledger(Path home) throws InputException, IOException {
        cases = ReferenceCases.published(home);
        first = FirstErrors.read(Files.readString(home.resolve(ValidationRecord.FIRST)));
    }

    /** Returns the run as a user would write it who knows framework and release, if the case names them. */
    public static ScenarioPoint point(ReferenceCase one) {
        ScenarioPoint released = one.written().released();
        return released == null ? one.point() : released;
    }

    /** Returns cases worth showing: each source's smallest cluster, or all cases whose name or source contains a string. */
    public List<ReferenceCase> chosen(String only) {
        Map<String, ReferenceCase> chosen = new LinkedHashMap<>();
        for (ReferenceCase one : cases) {
            if (one.isNamed(only) && !one.measured().isEmpty()) {
                chosen.merge(only.isEmpty() ? one.family() : one.id(), one, (a, b) -> gpus(b) < gpus(a) ? b : a);
            }
        }
        return List.copyOf(chosen.values());
    }

    private static int gpus(ReferenceCase one) {
        return one.point().cluster().worldSize();
    }

    /**
     * Returns all figures, in file order.
     *
     * @param reports reports by case
     */
    public List<GalleryPage.Entry> entries(Map<String, GalleryPage.Report> reports) {
        List<GalleryPage.Entry> entries = new ArrayList<>();
        for (ReferenceCase one : cases) {
            one.measured().forEach((metric, measured) -> {
                RecordedErrors.Row row = RecordedErrors.builtIn().of(one.id(), metric);
                if (row != null) {
                    entries.add(entry(one, metric, measured, row, reports.get(one.id())));
                }
            });
        }
        return entries;
    }

    /**
     * Checks that a run's report shows the recorded figures.
     *
     * @throws IllegalStateException if it does not
     */
    public void check(ReferenceCase one, RunResult run) {
        for (Metric metric : one.measured().keySet()) {
            RecordedErrors.Row row = RecordedErrors.builtIn().of(one.id(), metric);
            Double simulated = metric.of(run);
            if (row != null && simulated != null && Math.abs(simulated / row.today() - 1) > RECORDED) {
                throw new IllegalStateException(one.id() + ": " + metric.id() + " is " + simulated + ", and "
                        + row.today() + " in accuracy/errors.csv");
            }
        }
    }

    private GalleryPage.Entry entry(
            ReferenceCase one,
            Metric metric,
            double measured,
            RecordedErrors.Row row,
            GalleryPage.@Nullable Report report) {
        FirstErrors.Entry before = first.of(one.id(), metric);
        Object framework = point(one).given().get("framework");
        return new GalleryPage.Entry(
                new GalleryPage.Published(one.id(), one.family(), one.source(), one.role()),
                new GalleryPage.Ran(
                        row.likeness().gpu(),
                        row.likeness().gpus(),
                        framework == null ? "" : String.valueOf(framework).split("[ +]")[0],
                        row.likeness().strategy()),
                metric,
                measured,
                new GalleryPage.Simulated(
                        before == null ? Double.NaN : before.simulated(),
                        before == null ? null : before.added(),
                        row.today()),
                report);
    }
}

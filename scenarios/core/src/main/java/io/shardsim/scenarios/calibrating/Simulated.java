package io.shardsim.scenarios.calibrating;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.PointRuns;
import io.shardsim.scenarios.evaluation.ProgressListener;
import io.shardsim.scenarios.explaining.FurtherRuns;
import io.shardsim.scenarios.scenario.CollectiveSettings;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Faults;
import io.shardsim.topology.InstanceSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Simulated times of tests on an instance with some figures changed; each is simulated once. */
final class Simulated {
    private final Base base;
    private final FurtherRuns runs;
    private final ProgressListener progress;
    private final Map<Map<String, Object>, Map<Size, Double>> known = new HashMap<>();

    Simulated(Base base, FurtherRuns runs, ProgressListener progress) {
        this.base = base;
        this.runs = runs;
        this.progress = progress;
    }

    /** A size of a test. */
    record Size(CollectiveTest test, CollectiveTest.Row row) {
        Fit.Sample sample() {
            return new Fit.Sample(row.seconds(), row.bytes(), test.nodes());
        }

        /** Returns the measured bus bandwidth, and that of a simulated time. */
        String compared(double seconds) {
            return test.file() + ": " + test.kind().id() + " of " + Quantities.bytes(row.bytes()) + " reached "
                    + Quantities.threeDigits(test.busBytesPerSecond(row, row.seconds()) / 1e9) + " GB/s busbw, and "
                    + Quantities.threeDigits(test.busBytesPerSecond(row, seconds) / 1e9) + " with the figures here";
        }
    }

    /** Ends a calculation that was interrupted. */
    static final class Interrupted extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Interrupted() {
            super(null, null, false, false);
        }
    }

    /**
     * Returns simulated seconds of each size, in order.
     *
     * @param changed resolved values by key of an instance file
     */
    double[] seconds(List<Size> sizes, Map<String, Object> changed) {
        Map<Size, Double> times = known.computeIfAbsent(changed, key -> new HashMap<>());
        Map<Size, ScenarioPoint> points = new LinkedHashMap<>();
        for (Size size : sizes) {
            if (!times.containsKey(size)) {
                points.put(size, point(size, changed));
            }
        }
        PointRuns ran = runs.runWhole(new ArrayList<>(points.values()), options -> options, progress);
        if (ran == null) {
            throw new Interrupted();
        }
        points.forEach((size, point) -> times.put(size, seconds(ran.resultOf(point))));
        return sizes.stream()
                .mapToDouble(size -> Objects.requireNonNull(times.get(size)))
                .toArray();
    }

    private static double seconds(RunResult run) {
        return Objects.requireNonNull(run.collective(), "no collective ran").seconds();
    }

    private ScenarioPoint point(Size size, Map<String, Object> changed) {
        CollectiveTest test = size.test();
        Cluster cluster = new Cluster(instance(test, changed), test.nodes(), Faults.NONE);
        return new ScenarioPoint(
                "calibrate",
                Map.of(),
                cluster,
                new Task.Collective(test.kind(), size.row().bytes()),
                new CollectiveSettings(CollectiveSettings.NCCL, CollectiveSettings.AUTO, null),
                List.of(),
                List.of(),
                Map.of());
    }

    private InstanceSpec instance(CollectiveTest test, Map<String, Object> changed) {
        Map<String, Object> values = new LinkedHashMap<>(changed);
        values.putAll(ofUsed(base.with(Map.of()), test));
        return base.with(values);
    }

    /** Returns how many GPUs per node the test used, and their share of the NICs, by key; empty for whole nodes. */
    static Map<String, Object> ofUsed(InstanceSpec whole, CollectiveTest test) {
        int gpus = test.ranks() / test.nodes();
        Map<String, Object> values = new LinkedHashMap<>();
        if (gpus != whole.gpusPerNode()) {
            values.put("gpus_per_node", (long) gpus);
            values.put("nics_per_node", (long) Math.max(1, whole.nicsPerNode() * gpus / whole.gpusPerNode()));
            values.put("pcie_switches", (long) Math.max(1, whole.pcie().switches() * gpus / whole.gpusPerNode()));
        }
        return values;
    }
}

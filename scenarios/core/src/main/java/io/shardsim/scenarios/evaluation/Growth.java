package io.shardsim.scenarios.evaluation;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.ArrayList;
import java.util.List;

/** Scaling benchmarks of a run's cost. Each is a sweep {@code bench/<name>.yaml} over one key, with every event executed on one thread. */
public enum Growth {
    GPUS("growth-gpus", "GPUs"),
    LAYERS("growth-layers", "layers"),
    CHUNKS("growth-chunks", "chunk size");

    private final String id;
    private final String unit;

    Growth(String id, String unit) {
        this.id = id;
        this.unit = unit;
    }

    public String id() {
        return id;
    }

    /** Returns the unit of the swept key. */
    public String unit() {
        return unit;
    }

    /** Measures each point a number of times, after a warm-up on the last point; returns the median of each. */
    public List<Benchmark.Measured> measure(int repeat) throws InterruptedException {
        List<ScenarioPoint> points = Benchmark.read(id).points();
        Benchmark.measurePoint(points.get(points.size() - 1), id);
        List<Benchmark.Measured> rows = new ArrayList<>();
        for (ScenarioPoint point : points) {
            List<Benchmark.Measured> runs = new ArrayList<>();
            for (int run = 0; run < repeat; run++) {
                runs.add(Benchmark.measurePoint(point, value(point)));
            }
            rows.add(Benchmark.Measured.median(runs));
        }
        return rows;
    }

    private String value(ScenarioPoint point) {
        return this == GPUS
                ? String.valueOf(point.cluster().worldSize())
                : String.valueOf(point.values().values().iterator().next());
    }
}

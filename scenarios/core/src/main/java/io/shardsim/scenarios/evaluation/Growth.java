package io.shardsim.scenarios.evaluation;

import io.shardsim.scenarios.scenario.ScenarioPoint;
import java.util.ArrayList;
import java.util.List;

/** How the cost of a run grows. Each is a sweep {@code bench/<name>.yaml} over one key, of which every event is executed on one thread. */
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

    /** What grows. */
    public String unit() {
        return unit;
    }

    /** Measures each point a number of times, after the last one has warmed up; the median of each is told, under its value. */
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

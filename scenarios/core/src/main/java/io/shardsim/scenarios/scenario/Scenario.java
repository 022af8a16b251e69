package io.shardsim.scenarios.scenario;

import java.util.List;

/**
 * A fully resolved scenario file.
 *
 * @param name name used in reports
 * @param file file name as the user gave it
 * @param sweep whether the file varies anything
 * @param points the only point, or every point of the sweep in the file's order, the first key varying slowest
 * @param asserted what the scenario asserts of its runs
 */
public record Scenario(String name, String file, boolean sweep, List<ScenarioPoint> points, Asserted asserted) {
    public Scenario {
        points = List.copyOf(points);
    }

    /** Creates a scenario without assertions. */
    public Scenario(String name, String file, boolean sweep, List<ScenarioPoint> points) {
        this(name, file, sweep, points, new Asserted(List.of(), List.of()));
    }

    /** Assertions on the fastest run and on every run. */
    public record Asserted(List<Assertion> fastest, List<Assertion> each) {
        public boolean isEmpty() {
            return fastest.isEmpty() && each.isEmpty();
        }
    }

    /** Returns the scenario reduced to one point. */
    public Scenario only(int place) {
        return new Scenario(name, file, sweep, List.of(points.get(place)));
    }
}

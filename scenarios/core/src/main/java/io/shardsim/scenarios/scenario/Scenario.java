package io.shardsim.scenarios.scenario;

import java.util.List;

/**
 * A scenario file with everything resolved.
 *
 * @param name by which reports are named
 * @param file as the user named it
 * @param sweep whether the file varies anything
 * @param points the only point, or every point of the sweep in the file's order, the first key varying slowest
 * @param asserted what its runs must come to
 */
public record Scenario(String name, String file, boolean sweep, List<ScenarioPoint> points, Asserted asserted) {
    public Scenario {
        points = List.copyOf(points);
    }

    /** A scenario that asserts nothing. */
    public Scenario(String name, String file, boolean sweep, List<ScenarioPoint> points) {
        this(name, file, sweep, points, new Asserted(List.of(), List.of()));
    }

    /** What the fastest run and what every run must come to. */
    public record Asserted(List<Assertion> fastest, List<Assertion> each) {
        public boolean isEmpty() {
            return fastest.isEmpty() && each.isEmpty();
        }
    }

    /** One of its points alone. */
    public Scenario only(int place) {
        return new Scenario(name, file, sweep, List.of(points.get(place)));
    }
}

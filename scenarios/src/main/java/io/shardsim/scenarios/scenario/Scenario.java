package io.shardsim.scenarios.scenario;

import java.util.List;

/**
 * A scenario file with everything resolved.
 *
 * @param name by which reports are named
 * @param file as the user named it
 * @param sweep whether the file varies anything
 * @param points the only point, or every point of the sweep in the file's order, the first key varying slowest
 */
public record Scenario(String name, String file, boolean sweep, List<ScenarioPoint> points) {
    public Scenario {
        points = List.copyOf(points);
    }

    /** One of its points alone. */
    public Scenario only(int place) {
        return new Scenario(name, file, sweep, List.of(points.get(place)));
    }
}

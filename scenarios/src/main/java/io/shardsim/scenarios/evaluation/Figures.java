package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.RunFacts;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.catalog.Figure;
import java.util.ArrayList;
import java.util.List;

/** Where the figures of a point come from. */
final class Figures {
    private Figures() {}

    static List<RunFacts.Source> sources(ScenarioPoint point) {
        List<RunFacts.Source> sources = new ArrayList<>();
        for (Figure figure : point.figures()) {
            sources.add(new RunFacts.Source(figure.key(), figure.source(), figure.date()));
        }
        return sources;
    }
}

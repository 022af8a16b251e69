package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.importing.ScenarioImport;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import java.util.ArrayList;
import java.util.List;

/** Scenarios that a command is given as files. */
final class ScenarioFiles {
    private ScenarioFiles() {}

    /** Reads them all; what is wrong with any of them joins the problems. */
    static List<Scenario> read(List<String> files, List<Problem> problems) {
        List<Scenario> scenarios = new ArrayList<>();
        for (String file : files) {
            try {
                scenarios.add(ScenarioReader.read(file));
            } catch (InputException refused) {
                String title = ScenarioImport.titleOf(file);
                problems.addAll(title == null ? refused.problems() : List.of(foreign(file, title)));
            }
        }
        return scenarios;
    }

    static Problem foreign(String file, String title) {
        return new Problem(
                file,
                Position.START,
                "this is a " + title + ", not a scenario; shardsim import " + file + " makes a scenario of it");
    }
}

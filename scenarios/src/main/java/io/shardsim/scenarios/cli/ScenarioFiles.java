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
                problems.addAll(problems(file, refused));
            }
        }
        return scenarios;
    }

    /** What is wrong with a file, or that it is one of another tool. */
    static List<Problem> problems(String file, InputException refused) {
        String title = ScenarioImport.titleOf(file);
        return title == null
                ? refused.problems()
                : List.of(new Problem(
                        file,
                        Position.START,
                        "this is a " + title + ", not a scenario; shardsim import " + file
                                + " makes a scenario of it"));
    }
}

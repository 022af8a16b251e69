package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.explaining.Explainer;
import io.shardsim.scenarios.explaining.RunName;
import io.shardsim.scenarios.scenario.Overrides;
import io.shardsim.simulator.yaml.InputException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The file and {@code --set} values of a command that analyses one run. */
final class RunFile {
    @Parameters(paramLabel = "FILE", description = "Scenario file, library name, or - for stdin.")
    private String file = "";

    @Mixin
    private final SetOption set = new SetOption();

    RunName name() {
        return RunName.of(file);
    }

    Overrides overrides() {
        return set.overrides();
    }

    /**
     * The run to analyse.
     *
     * @throws InputException with every problem of the file and the values
     */
    Explainer.Subject subject() throws InputException {
        return subject(name(), overrides());
    }

    /** The same for another command. */
    static Explainer.Subject subject(RunName name, Overrides overrides) throws InputException {
        try {
            return Explainer.Subject.of(name, ScenarioFiles.swept(name.file(), overrides));
        } catch (InputException refused) {
            throw new InputException(ScenarioFiles.problems(name.file(), refused));
        }
    }
}

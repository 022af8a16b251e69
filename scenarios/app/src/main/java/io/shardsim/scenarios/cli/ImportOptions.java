package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.Unmodelled;
import io.shardsim.scenarios.importing.Choices;
import io.shardsim.scenarios.scenario.ScenarioKeys;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that complete or override the imported configuration files. */
final class ImportOptions {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--instance", paramLabel = "NAME", description = "Catalog instance; overrides the files.")
    private @Nullable String instance;

    @Option(names = "--nodes", paramLabel = "N", description = "Number of nodes; overrides the files.")
    private @Nullable Long nodes;

    @Option(names = "--model", paramLabel = "NAME", description = "Catalog model, if no file describes one.")
    private @Nullable String model;

    @Option(names = "--sequence-length", paramLabel = "N", description = "Sequence length; overrides the files.")
    private @Nullable Long sequenceLength;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Name of the scenario. Default: derived from the file names.")
    private @Nullable String name;

    @Option(
            names = "--accept",
            paramLabel = "KEY",
            description = "Ignore this key although it affects the result and is not simulated; the scenario records "
                    + "it. Can be repeated.")
    private List<String> accepted = List.of();

    /** Returns the validated options. */
    Choices choices() {
        if (instance != null && Catalog.instance(instance) == null) {
            throw refused(Unmodelled.refusal("--instance", "instances", instance, Catalog.instanceNames()));
        }
        String named = model == null ? null : Catalog.modelName(model);
        if (model != null && named == null) {
            throw refused("--model " + model + " is not in the catalog; " + Catalog.modelRemedy(model));
        }
        inBounds("--nodes", nodes, 65_536);
        inBounds("--sequence-length", sequenceLength, 16_777_216);
        if (name != null && !name.matches(ScenarioKeys.TITLE)) {
            throw refused("--name " + name + " is not a name of letters, digits, dots and dashes");
        }
        return new Choices(name, named, instance, nodes, sequenceLength, accepted);
    }

    private void inBounds(String option, @Nullable Long value, long max) {
        if (value != null && (value < 1 || value > max)) {
            throw refused(option + " " + value + " is not from 1 to " + max);
        }
    }

    private ParameterException refused(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}

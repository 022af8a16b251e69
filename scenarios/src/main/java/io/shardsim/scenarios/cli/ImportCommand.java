package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.Unmodelled;
import io.shardsim.scenarios.importing.Choices;
import io.shardsim.scenarios.importing.ImportReport;
import io.shardsim.scenarios.importing.Imported;
import io.shardsim.scenarios.importing.ScenarioImport;
import io.shardsim.scenarios.scenario.ScenarioKeys;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.InputException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code import FILE...}: prints a scenario for the configurations of training frameworks, and what became of each of their keys. */
@Command(
        name = "import",
        description = {
            "Prints one scenario for the configuration files of a training, and what became of each of their keys.",
            "Kinds, each recognized: Hugging Face config.json, DeepSpeed ds_config.json, SageMaker distribution (JSON or pasted Python),"
                    + " Accelerate YAML, Trainer arguments (JSON or YAML), Megatron-LM shell scripts. Nothing in them is executed."
        },
        footer = {
            "",
            "Example: shardsim import config.json ds_config.json args.json --nodes 4 > my.yaml && shardsim run my.yaml",
            "Exit status: 0 done, 2 wrong usage or input."
        })
final class ImportCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Configuration files that belong to one training.")
    private List<String> files = List.of();

    @Option(names = "--json", description = "Print scenario and keys as JSON on stdout.")
    private boolean json;

    @Option(
            names = "--instance",
            paramLabel = "NAME",
            description = "Instance of the catalog, where no file says or in its place.")
    private @Nullable String instance;

    @Option(names = "--nodes", paramLabel = "N", description = "Number of nodes, where no file says or in its place.")
    private @Nullable Long nodes;

    @Option(names = "--model", paramLabel = "NAME", description = "Model of the catalog, where no file describes one.")
    private @Nullable String model;

    @Option(
            names = "--sequence-length",
            paramLabel = "N",
            description = "Tokens of a sample, where no file says or in its place.")
    private @Nullable Long sequenceLength;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            description = "Name of the scenario. Default: from the names of the files.")
    private @Nullable String name;

    @Option(
            names = "--accept",
            paramLabel = "KEY",
            description =
                    "Leave out this key, although it decides the answer and is not simulated; the scenario says so. May be given several times.")
    private List<String> accepted = List.of();

    @Override
    public Integer call() {
        if (instance != null && Catalog.instance(instance) == null) {
            throw refused(Unmodelled.refusal("--instance", "instances", instance, Catalog.instanceNames()));
        }
        known("--model", model, Catalog.modelNames());
        inBounds("--nodes", nodes, 65_536);
        inBounds("--sequence-length", sequenceLength, 16_777_216);
        if (name != null && !name.matches(ScenarioKeys.TITLE)) {
            throw refused("--name " + name + " is not a name of letters, digits, dots and dashes");
        }
        Imported imported;
        try (Waiting waiting = Waiting.on(files)) {
            imported = ScenarioImport.read(files, new Choices(name, model, instance, nodes, sequenceLength, accepted));
        } catch (InputException broken) {
            ProblemPrinter.print(broken.problems(), spec.commandLine().getErr());
            return ExitStatus.USAGE;
        }
        print(imported);
        return ExitStatus.DONE;
    }

    private void print(Imported imported) {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        out.print(json ? ImportReport.json(imported) : ImportReport.yaml(imported, Terminal.width()));
        out.flush();
        if (!json) {
            ImportReport.summary(imported).forEach(err::println);
            err.flush();
        }
    }

    private void known(String option, @Nullable String value, List<String> names) {
        if (value != null && !names.contains(value)) {
            throw refused(option + " " + value + " is not in the catalog; " + Nearest.remedy(value, names));
        }
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

package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.importing.Choices;
import io.shardsim.scenarios.importing.ImportReport;
import io.shardsim.scenarios.importing.Imported;
import io.shardsim.scenarios.importing.ScenarioImport;
import io.shardsim.simulator.yaml.InputException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code import FILE...}: converts framework configs into one scenario and reports what happened to each key. */
@Command(
        name = "import",
        description = {
            "Converts framework configs into one scenario and reports what happened to each key.",
            "Kinds, each recognized: Hugging Face config.json, PEFT adapter_config.json, DeepSpeed ds_config.json, SageMaker distribution (JSON or pasted Python),"
                    + " Accelerate YAML, Trainer arguments (JSON or YAML). Also YAML of axolotl, torchtune, LitGPT, NeMo, Megatron Bridge, GPT-NeoX, nanotron, OLMo, LightningCLI and HyperPod recipes, TOML and flags of torchtitan, shell scripts, Kubernetes manifests, Python scripts and notebooks. Nothing in them is executed."
        },
        footer = {
            "",
            "Example: shardsim import config.json ds_config.json args.json --nodes 4 > my.yaml && shardsim run my.yaml",
            "Exit status: 0 done, 2 wrong usage or input."
        })
final class ImportCommand extends Speaking {
    @Parameters(arity = "1..*", paramLabel = "FILE", description = "Framework configs of one training run.")
    private List<String> files = List.of();

    @Option(names = "--json", description = "Print scenario and keys as JSON on stdout.")
    private boolean json;

    @Mixin
    private final ImportOptions options = new ImportOptions();

    @Override
    int answer() throws InputException {
        Choices choices = options.choices();
        Imported imported;
        try (Waiting waiting = Waiting.on(files)) {
            imported = ScenarioImport.read(files, choices);
        }
        print(imported);
        return ExitStatus.DONE;
    }

    private void print(Imported imported) {
        PrintWriter out = out();
        PrintWriter err = err();
        out.print(json ? ImportReport.json(imported) : ImportReport.yaml(imported, Terminal.width()));
        out.flush();
        if (!json) {
            ImportReport.summary(imported).forEach(err::println);
            err.flush();
        }
    }
}

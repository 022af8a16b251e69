package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.catalog.Unmodelled;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.explaining.Fits;
import io.shardsim.scenarios.explaining.FitsText;
import io.shardsim.scenarios.exporting.Exporter;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fits MODEL}: on how many GPUs a model fits, with which strategy, and at what price. */
@Command(
        name = "fits",
        description = {
            "Shows how many GPUs it takes to train a model, with full weights or LoRA adapters, and what that costs.",
            "Simulates each common setup on the fewest GPUs it fits on."
        },
        footer = {
            "",
            "Examples:",
            "  shardsim fits llama3-70b --gpu h100-80gb",
            "  shardsim fits llama3-8b --gpu rtx-4090 --lora",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage, 3 nothing fits,",
            ExitStatus.INTERRUPTED_HELP + "."
        })
final class FitsCommand extends Speaking {
    private static final int SEQUENCE_LENGTH = 4096;

    private final RunnerFactory runners;

    @Parameters(
            paramLabel = "MODEL",
            description = "Catalog model (shardsim catalog models), or its name on the Hugging Face Hub.")
    private String model = "";

    @Option(
            names = "--gpu",
            paramLabel = "GPU",
            description = "GPU type, in the cheapest catalog server that has it (shardsim catalog gpus).")
    private @Nullable String gpu;

    @Option(
            names = "--instance",
            paramLabel = "INSTANCE",
            description = "Server type, with its GPUs and price (shardsim catalog instances).")
    private @Nullable String instance;

    @Option(
            names = "--sequence-length",
            paramLabel = "N",
            description = "Sequence length. Default: 4096, or the model's maximum if that is smaller.")
    private int sequenceLength;

    @Option(names = "--max-gpus", paramLabel = "N", description = "Maximum number of GPUs. Default: ${DEFAULT-VALUE}.")
    private int gpusMax = 512;

    @Option(names = "--lora", description = "Only setups that train LoRA adapters.")
    private boolean lora;

    @Option(
            names = "--scenario",
            paramLabel = "N",
            description = "Print row N as a scenario for run, explain or plan, without simulating.")
    private int scenario;

    @Mixin
    private final ClusterQuestion question = new ClusterQuestion();

    FitsCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    int answer() throws InputException {
        Fits.Asked asked = asked();
        Fits fits = new Fits(asked, question.runners(runners, this), question.threads());
        if (scenario != 0) {
            return print(fits, fits.ways());
        }
        List<Fits.Row> rows = question.ask(
                fits::run,
                fits::interrupt,
                answer -> FitsText.json(asked, answer),
                (answer, width) -> FitsText.write(asked, answer, width));
        if (rows == null) {
            return ExitStatus.INTERRUPTED;
        }
        return rows.stream().anyMatch(row -> row.run() != null) ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
    }

    private Fits.Asked asked() {
        CatalogEntry<ModelShape> shape = Catalog.model(model);
        if (shape == null) {
            throw refused("model " + model + " is not in the catalog; " + Catalog.modelRemedy(model));
        }
        int positions = shape.spec().maxPositions();
        int longest = positions > 0 ? positions : Integer.MAX_VALUE;
        if (sequenceLength < 0 || sequenceLength > longest || gpusMax < 1) {
            throw refused(
                    gpusMax < 1
                            ? "--max-gpus " + gpusMax + " is not 1 or more"
                            : "--sequence-length " + sequenceLength + " is not from 1 to "
                                    + (positions > 0 ? positions + ", the positions of " + model : longest));
        }
        return new Fits.Asked(
                String.valueOf(Catalog.modelName(model)),
                server(),
                sequenceLength == 0 ? Math.min(SEQUENCE_LENGTH, longest) : sequenceLength,
                gpusMax,
                lora);
    }

    private InstanceSpec server() {
        if (instance != null && gpu == null) {
            CatalogEntry<InstanceSpec> entry = Catalog.instance(instance);
            if (entry == null) {
                throw refused(Unmodelled.refusal("instance", "instances", instance, Catalog.instanceNames()));
            }
            return entry.spec();
        }
        if (gpu == null || instance != null) {
            throw refused("write --gpu or --instance, for example --gpu h100-80gb");
        }
        CatalogEntry<GpuSpec> entry = Catalog.gpu(gpu);
        if (entry == null) {
            throw refused(Unmodelled.refusal("gpu", Unmodelled.GPUS, gpu, Catalog.gpuNames()));
        }
        return Catalog.instancesWith(entry.spec()).stream()
                .min(Comparator.comparingDouble(server -> server.price().usdPerHour() / server.gpusPerNode()))
                .orElseThrow(() -> refused(
                        "no catalog instance has " + gpu + "; describe your servers in a scenario and run plan on it"));
    }

    private int print(Fits fits, List<Fits.Row> rows) {
        if (scenario < 1 || scenario > rows.size()) {
            throw refused("--scenario " + scenario + " is not from 1 to " + rows.size());
        }
        Fits.Row row = rows.get(scenario - 1);
        if (row.point() == null) {
            throw refused("--scenario " + scenario + ": " + row.way() + " " + row.why());
        }
        PrintWriter out = out();
        out.print(Exporter.scenario(model, fits.scenario(row)).files().get(0).text());
        out.flush();
        return ExitStatus.DONE;
    }
}

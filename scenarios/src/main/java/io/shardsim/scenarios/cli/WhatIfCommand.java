package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.explaining.Prices;
import io.shardsim.scenarios.explaining.RunName;
import io.shardsim.scenarios.explaining.WhatIf;
import io.shardsim.scenarios.explaining.WhatIfJson;
import io.shardsim.scenarios.explaining.WhatIfText;
import io.shardsim.scenarios.scenario.Overrides;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code what-if FILE}: what each resource and each setting of a training run is worth. */
@Command(
        name = "what-if",
        description = {
            "Shows what each resource and each setting of a training run is worth, by running it with that one changed.",
            "Resources are made 10 %% better and worse, settings turned by one notch. Of a sweep, each series is priced on its largest cluster;"
                    + " FILE#N or FILE#KEY=VALUE,... names one run."
        },
        footer = {
            "",
            "Examples:",
            "  shardsim what-if gpt2-30b-on-p4d",
            "  shardsim what-if my.yaml --set training.attention=flash",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage or input, 3 nothing fits in memory, 130 interrupted."
        })
final class WhatIfCommand implements Callable<Integer> {
    private final RunnerFactory runners;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "A scenario, a name of the library, or - for standard input.")
    private String file = "";

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "Set a key of the scenario first. May be given several times.")
    private List<String> set = List.of();

    @Option(names = "--json", description = "Print the prices as JSON on stdout.")
    private boolean json;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Threads.class,
            description = "Runs at once. Default: the number of cores. Changes no result.")
    private int threads = Runtime.getRuntime().availableProcessors();

    WhatIfCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    public Integer call() {
        RunName name = RunName.of(file);
        List<Problem> problems = new ArrayList<>();
        List<Scenario> scenarios = ScenarioFiles.read(List.of(name.file()), Overrides.of("--set", set), problems);
        if (scenarios.isEmpty()) {
            ProblemPrinter.print(problems, spec.commandLine().getErr());
            return ExitStatus.USAGE;
        }
        try {
            return price(WhatIf.subjects(name, scenarios.get(0)));
        } catch (InputException refused) {
            ProblemPrinter.print(refused.problems(), spec.commandLine().getErr());
            return ExitStatus.USAGE;
        }
    }

    private int price(List<WhatIf.Subject> subjects) {
        WhatIf whatIf = new WhatIf(runners, threads);
        List<Prices> prices;
        try (Interruption interruption = new Interruption(whatIf::interrupt)) {
            try (ProgressBarLine progress = ProgressBarLine.open()) {
                prices = whatIf.price(subjects, progress);
            }
            if (prices == null) {
                spec.commandLine().getErr().println("interrupted before all runs were done");
                spec.commandLine().getErr().flush();
            } else {
                spec.commandLine()
                        .getOut()
                        .print(json ? WhatIfJson.write(prices) : WhatIfText.write(prices, Terminal.width()));
                spec.commandLine().getOut().flush();
            }
            interruption.finished();
        }
        if (prices == null) {
            return ExitStatus.INTERRUPTED;
        }
        return prices.stream().anyMatch(Prices::fits) ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
    }
}

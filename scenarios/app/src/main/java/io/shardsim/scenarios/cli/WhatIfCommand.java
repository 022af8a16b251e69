package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.explaining.Prices;
import io.shardsim.scenarios.explaining.RunName;
import io.shardsim.scenarios.explaining.WhatIf;
import io.shardsim.scenarios.explaining.WhatIfJson;
import io.shardsim.scenarios.explaining.WhatIfText;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code what-if FILE}: how much each resource and setting of a training run is worth. */
@Command(
        name = "what-if",
        description = {
            "Shows what each resource and setting of a training run is worth, by changing one at a time.",
            "Makes each resource 10 %% better and worse, and moves each setting one step. For a sweep, does so "
                    + "for each series on its largest cluster; FILE#N or FILE#KEY=VALUE,... picks one run."
        },
        footer = {
            "",
            "Examples:",
            "  shardsim what-if gpt2-30b-on-p4d",
            "  shardsim what-if my.yaml --set training.attention=flash",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage or input, 3 nothing fits in memory,",
            ExitStatus.INTERRUPTED_HELP + "."
        })
final class WhatIfCommand extends Speaking {
    private final RunnerFactory runners;

    @Mixin
    private final RunFile file = new RunFile();

    @Mixin
    private final ClusterQuestion question = new ClusterQuestion();

    WhatIfCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    int answer() throws InputException {
        RunName name = file.name();
        List<Problem> problems = new ArrayList<>();
        List<Scenario> scenarios = ScenarioFiles.read(List.of(name.file()), file.overrides(), problems);
        if (scenarios.isEmpty()) {
            return refuse(problems);
        }
        return price(WhatIf.subjects(name, scenarios.get(0)));
    }

    private int price(List<WhatIf.Subject> subjects) throws InputException {
        WhatIf whatIf = new WhatIf(question.runners(runners, this), question.threads());
        List<Prices> prices = question.ask(
                progress -> whatIf.price(subjects, progress), whatIf::interrupt, WhatIfJson::write, WhatIfText::write);
        if (prices == null) {
            return ExitStatus.INTERRUPTED;
        }
        return prices.stream().anyMatch(Prices::fits) ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
    }
}

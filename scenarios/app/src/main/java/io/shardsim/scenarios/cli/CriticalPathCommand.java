package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.explaining.CriticalPathJson;
import io.shardsim.scenarios.explaining.CriticalPathText;
import io.shardsim.scenarios.explaining.CriticalPaths;
import io.shardsim.scenarios.explaining.Explainer;
import io.shardsim.simulator.yaml.InputException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code critical-path FILE}: what each second of a run waited for. */
@Command(
        name = "critical-path",
        description = {
            "Traces the critical path of a run back from its end: the kernel, collective, link and rank behind "
                    + "every second.",
            "Simulates the run once with every event executed. For a sweep, pick a run with FILE#N or "
                    + "FILE#KEY=VALUE,..."
        },
        footer = {
            "",
            "Examples:",
            "  shardsim critical-path my.yaml",
            "  shardsim critical-path gpt2-30b-on-p4d#15 --set training.attention=flash",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage or input, or too large to simulate, 3 the run does not fit in memory,",
            ExitStatus.INTERRUPTED_HELP + "."
        })
final class CriticalPathCommand extends Speaking {
    @Mixin
    private final RunFile file = new RunFile();

    @Mixin
    private final Question question = new Question();

    @Override
    int answer() throws InputException {
        CriticalPaths paths = new CriticalPaths();
        Explainer.Subject subject = file.subject();
        CriticalPaths.Followed followed = question.ask(
                progress -> paths.follow(subject), paths::interrupt, CriticalPathJson::write, CriticalPathText::write);
        if (followed == null) {
            return ExitStatus.INTERRUPTED;
        }
        return followed.path() != null ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
    }
}

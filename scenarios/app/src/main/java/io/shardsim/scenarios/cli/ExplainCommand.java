package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.explaining.Explainer;
import io.shardsim.scenarios.explaining.Explanation;
import io.shardsim.scenarios.explaining.ExplanationJson;
import io.shardsim.scenarios.explaining.ExplanationText;
import io.shardsim.scenarios.explaining.Measured;
import io.shardsim.simulator.yaml.InputException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code explain FILE --measured SPEED}: finds the fault that makes a run as slow as measured. */
@Command(
        name = "explain",
        description = {
            "Explains a measured speed: whether it is normal, and if not, which fault would slow a healthy run "
                    + "down that much.",
            "FILE describes the run as intended. Simulates every known fault (shardsim catalog faults). For a "
                    + "sweep, pick a run with FILE#N or FILE#KEY=VALUE,..."
        },
        footer = {
            "",
            "Examples:",
            "  shardsim explain my.yaml --measured '1000 tokens/s/GPU'",
            "  shardsim explain my.yaml --measured '1000 tokens/s/GPU' --measured '9000 tokens/s/GPU at cluster.nodes=1'",
            "  shardsim explain my.yaml --measured '1000 tokens/s/GPU' --measured 'healthy at cluster.nodes=1' --not tcp-over-ethernet",
            "  shardsim explain my.yaml --measured '1000 tokens/s/GPU' --profile rank0.pt.trace.json.gz",
            "  shardsim explain gpt2-30b-on-p4d#15 --measured '40 samples/s'",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage or input, 3 the run does not fit in memory,",
            ExitStatus.INTERRUPTED_HELP + "."
        })
final class ExplainCommand extends Speaking {
    private final RunnerFactory runners;

    @Mixin
    private final RunFile file = new RunFile();

    @Mixin
    private final EvidenceOptions evidence = new EvidenceOptions();

    @Mixin
    private final ClusterQuestion question = new ClusterQuestion();

    ExplainCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    int answer() throws InputException {
        List<Measured> measured = evidence.required();
        Explainer explainer = new Explainer(question.runners(runners, this), question.threads());
        Explainer.Subject subject = file.subject();
        Explainer.Evidence known =
                Explainer.Evidence.of(measured, evidence.ruledOut()).with(evidence.profiled());
        Explanation explanation = question.ask(
                progress -> explainer.explain(subject, known, progress),
                explainer::interrupt,
                ExplanationJson::write,
                ExplanationText::write);
        if (explanation == null) {
            return ExitStatus.INTERRUPTED;
        }
        return explanation.fits() ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
    }
}

package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.explaining.Explainer;
import io.shardsim.scenarios.explaining.Explanation;
import io.shardsim.scenarios.explaining.ExplanationJson;
import io.shardsim.scenarios.explaining.ExplanationText;
import io.shardsim.scenarios.explaining.KnownFault;
import io.shardsim.scenarios.explaining.Measured;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code explain FILE --measured SPEED}: which fault makes a run as slow as somebody measured. */
@Command(
        name = "explain",
        description = {
            "Explains a measured speed: says whether it is normal, and if not which fault would make a healthy run as slow.",
            "FILE describes the run as it was meant. Every known fault is simulated (shardsim catalog faults). Of a sweep, FILE#N or"
                    + " FILE#KEY=VALUE,... names one run."
        },
        footer = {
            "",
            "Examples:",
            "  shardsim explain my.yaml --measured '1000 tokens/s/GPU'",
            "  shardsim explain my.yaml --measured '1000 tokens/s/GPU' --measured '9000 tokens/s/GPU at cluster.nodes=1'",
            "  shardsim explain my.yaml --measured '1000 tokens/s/GPU' --measured 'healthy at cluster.nodes=1' --not tcp-over-ethernet",
            "  shardsim explain gpt2-30b-on-p4d#15 --measured '40 samples/s'",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage or input, 3 the run does not fit in memory,",
            ExitStatus.INTERRUPTED_HELP + "."
        })
final class ExplainCommand implements Callable<Integer> {
    private final RunnerFactory runners;

    @Mixin
    private final RunFile file = new RunFile();

    @Option(
            names = "--measured",
            required = true,
            paramLabel = "SPEED",
            converter = Speed.class,
            description =
                    "What the log says: tokens/s/GPU, tokens/s, samples/s, TFLOPS/GPU, %% MFU or s (of a step), for example '1000 tokens/s/GPU'; of a bare collective 'GB/s busbw' or s. Each further one tells faults apart: '9000 tokens/s/GPU at cluster.nodes=1', 'healthy at cluster.nodes=1', '26.5 GiB reserved'.")
    private List<Measured> measured = List.of();

    @Option(
            names = "--not",
            paramLabel = "FAULT",
            split = ",",
            completionCandidates = Faults.class,
            description =
                    "A fault that you have looked for and not found, for example tcp-over-ethernet where NCCL_DEBUG=INFO prints NET/IB. May be given several times. Known: ${COMPLETION-CANDIDATES}.")
    private List<String> ruledOut = List.of();

    @Mixin
    private final Question question = new Question();

    ExplainCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    /** Names of all faults. */
    static final class Faults implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return KnownFault.names().iterator();
        }
    }

    /** A speed with its unit. */
    static final class Speed implements ITypeConverter<Measured> {
        @Override
        public Measured convert(String written) {
            try {
                return Measured.parse(written);
            } catch (IllegalArgumentException refused) {
                throw new TypeConversionException(refused.getMessage());
            }
        }
    }

    private static Set<String> known(List<String> faults) throws InputException {
        for (String fault : faults) {
            if (!KnownFault.names().contains(fault)) {
                throw new InputException(List.of(new Problem(
                        "--not",
                        Position.NONE,
                        "unknown fault " + YamlReader.printable(fault) + "; "
                                + Nearest.remedy(fault, KnownFault.names()))));
            }
        }
        return Set.copyOf(faults);
    }

    @Override
    public Integer call() {
        try {
            Explainer explainer = new Explainer(runners, question.threads());
            Explainer.Subject subject = file.subject();
            Explanation explanation = question.ask(
                    progress -> explainer.explain(subject, measured, known(ruledOut), progress),
                    explainer::interrupt,
                    ExplanationJson::write,
                    ExplanationText::write);
            if (explanation == null) {
                return ExitStatus.INTERRUPTED;
            }
            return explanation.fits() ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
        } catch (InputException refused) {
            return question.refuse(refused.problems());
        }
    }
}

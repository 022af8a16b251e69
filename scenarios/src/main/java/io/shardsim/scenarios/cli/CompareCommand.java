package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.explaining.CompareJson;
import io.shardsim.scenarios.explaining.CompareText;
import io.shardsim.scenarios.explaining.Comparer;
import io.shardsim.scenarios.explaining.Comparison;
import io.shardsim.scenarios.explaining.RunName;
import io.shardsim.scenarios.scenario.Overrides;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code compare A B}: what differs between two training runs, and what each difference costs. */
@Command(
        name = "compare",
        description = {
            "Compares two training runs: what differs, where the seconds between them go, and what each difference costs.",
            "A and B are scenarios, names of the library, or results.json files and their folders. Of several runs in one, #N names the N-th,"
                    + " and #KEY=VALUE,... the one with these values."
        },
        footer = {
            "",
            "Examples:",
            "  shardsim compare before.yaml after.yaml",
            "  shardsim compare gpt2-30b-on-p4d#13 gpt2-30b-on-p4d#15",
            "  shardsim compare build/reports/monday build/reports/tuesday",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage or input, 3 one of them does not fit in memory, 130 interrupted."
        })
final class CompareCommand implements Callable<Integer> {
    private final RunnerFactory runners;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "A", description = "The run to start from.")
    private String a = "";

    @Parameters(index = "1", paramLabel = "B", description = "The run to compare it with.")
    private String b = "";

    @Option(names = "--json", description = "Print the comparison as JSON on stdout.")
    private boolean json;

    @Option(
            names = "--threads",
            paramLabel = "N",
            converter = Threads.class,
            description = "Runs at once. Default: the number of cores. Changes no result.")
    private int threads = Runtime.getRuntime().availableProcessors();

    CompareCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    public Integer call() {
        List<Problem> problems = new ArrayList<>();
        Comparer.Side first = side(a, problems);
        Comparer.Side second = side(b, problems);
        if (first == null || second == null) {
            ProblemPrinter.print(problems, spec.commandLine().getErr());
            return ExitStatus.USAGE;
        }
        try {
            return compare(first, second);
        } catch (InputException refused) {
            ProblemPrinter.print(refused.problems(), spec.commandLine().getErr());
            return ExitStatus.USAGE;
        }
    }

    private static Comparer.@Nullable Side side(String written, List<Problem> problems) {
        RunName name = RunName.of(written);
        try {
            if (Comparer.isResults(name)) {
                return Comparer.results(name);
            }
            List<Scenario> scenarios = ScenarioFiles.read(List.of(name.file()), Overrides.NONE, problems);
            return scenarios.isEmpty() ? null : Comparer.scenario(name, scenarios.get(0));
        } catch (InputException refused) {
            problems.addAll(refused.problems());
            return null;
        }
    }

    private int compare(Comparer.Side first, Comparer.Side second) throws InputException {
        Comparer comparer = new Comparer(runners, threads);
        Comparison comparison;
        try (Interruption interruption = new Interruption(comparer::interrupt)) {
            try (ProgressBarLine progress = ProgressBarLine.open()) {
                comparison = comparer.compare(first, second, progress);
            }
            if (comparison == null) {
                spec.commandLine().getErr().println("interrupted before all runs were done");
                spec.commandLine().getErr().flush();
            } else {
                spec.commandLine()
                        .getOut()
                        .print(json ? CompareJson.write(comparison) : CompareText.write(comparison, Terminal.width()));
                spec.commandLine().getOut().flush();
            }
            interruption.finished();
        }
        if (comparison == null) {
            return ExitStatus.INTERRUPTED;
        }
        return comparison.fits() ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
    }
}

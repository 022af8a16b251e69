package io.shardsim.scenarios.cli;

import io.shardsim.reports.writing.WholeFiles;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.explaining.CompareJson;
import io.shardsim.scenarios.explaining.CompareReport;
import io.shardsim.scenarios.explaining.CompareText;
import io.shardsim.scenarios.explaining.Comparer;
import io.shardsim.scenarios.explaining.Comparison;
import io.shardsim.scenarios.explaining.RunName;
import io.shardsim.scenarios.profiling.ProfileComparer;
import io.shardsim.scenarios.profiling.ProfileComparison;
import io.shardsim.scenarios.profiling.ProfileJson;
import io.shardsim.scenarios.profiling.ProfileReader;
import io.shardsim.scenarios.profiling.ProfileText;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code compare A B}: what differs between two training runs, and what each difference costs. */
@Command(
        name = "compare",
        description = {
            "Compares two training runs: what differs, where the time goes, and what each difference costs.",
            "A and B are scenario files, names of library scenarios, or results.json files (or their folders). "
                    + "If a file has several runs, #N picks the N-th, and #KEY=VALUE,... the one with these "
                    + "values.",
            "Or A is a PyTorch profiler trace (.json, .json.gz) of a real step, and B the scenario that simulates it."
        },
        footer = {
            "",
            "Examples:",
            "  shardsim compare before.yaml after.yaml",
            "  shardsim compare gpt2-30b-on-p4d#13 gpt2-30b-on-p4d#15",
            "  shardsim compare before.yaml after.yaml --out build/reports/compare",
            "  shardsim compare build/reports/monday build/reports/tuesday",
            "  shardsim compare rank0.pt.trace.json.gz my.yaml",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage or input, 3 one of them does not fit in memory,",
            ExitStatus.INTERRUPTED_HELP + "."
        })
final class CompareCommand extends Speaking {
    private static final String REPORT = "report.html";

    private final RunnerFactory runners;

    @Parameters(index = "0", paramLabel = "A", description = "Baseline run.")
    private String a = "";

    @Parameters(index = "1", paramLabel = "B", description = "Run to compare with it.")
    private String b = "";

    @Option(
            names = {"-o", "--out"},
            paramLabel = "DIR",
            converter = ReportFolder.class,
            description = "Also write report.html to this folder: where the time goes and why, as waterfall charts.")
    private @Nullable String out;

    @Mixin
    private final SetOption set = new SetOption();

    @Mixin
    private final ClusterQuestion question = new ClusterQuestion();

    CompareCommand(RunnerFactory runners) {
        this.runners = runners;
    }

    @Override
    int answer() throws IOException, InputException {
        List<Problem> problems = new ArrayList<>();
        if (ProfileReader.isMeant(a)) {
            return profile(problems);
        }
        Comparer.Side first = side(a, problems);
        Comparer.Side second = side(b, problems);
        if (first == null || second == null) {
            return refuse(problems);
        }
        return compare(first, second, out == null ? null : ReportFolder.make(line(), out, "--out", List.of(REPORT)));
    }

    private int profile(List<Problem> problems) throws InputException {
        if (out != null) {
            throw new InputException("--out", "needs two simulated runs, and " + a + " is a profiler trace");
        }
        if (!question.isLocal()) {
            throw new InputException(
                    "--cluster", "does not apply to profiler traces: the simulated side runs in this JVM");
        }
        RunName name = RunName.of(b);
        List<Scenario> scenarios = ScenarioFiles.read(List.of(name.file()), set.overrides(), problems);
        if (scenarios.isEmpty()) {
            return refuse(problems);
        }
        ScenarioPoint point = Comparer.point(name, scenarios.get(0));
        ProfileComparer comparer = new ProfileComparer();
        ProfileComparison comparison = question.ask(
                progress -> comparer.compare(a, b, point), comparer::interrupt, ProfileJson::write, ProfileText::write);
        return comparison == null
                ? ExitStatus.INTERRUPTED
                : comparison.fits() ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
    }

    private Comparer.@Nullable Side side(String written, List<Problem> problems) {
        RunName name = RunName.of(written);
        try {
            if (!ScenarioFiles.isText(name.file()) && Comparer.isResults(name)) {
                return Comparer.results(name);
            }
            List<Scenario> scenarios = ScenarioFiles.read(List.of(name.file()), set.overrides(), problems);
            return scenarios.isEmpty() ? null : Comparer.scenario(name, scenarios.get(0));
        } catch (InputException refused) {
            problems.addAll(refused.problems());
            return null;
        }
    }

    private void write(Path folder, Comparison comparison) throws IOException {
        WholeFiles.write(folder, Map.of(REPORT, CompareReport.write(comparison)));
        if (!question.isJson()) {
            out().println("report: " + folder.resolve(REPORT));
            out().flush();
        }
    }

    private int compare(Comparer.Side first, Comparer.Side second, @Nullable Path folder)
            throws InputException, IOException {
        Comparer comparer = new Comparer(question.runners(runners, this), question.threads());
        Comparison comparison = question.ask(
                progress -> comparer.compare(first, second, progress),
                comparer::interrupt,
                CompareJson::write,
                CompareText::write);
        if (comparison == null) {
            return ExitStatus.INTERRUPTED;
        }
        if (folder != null && comparison.fits()) {
            write(folder, comparison);
        }
        return comparison.fits() ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
    }
}

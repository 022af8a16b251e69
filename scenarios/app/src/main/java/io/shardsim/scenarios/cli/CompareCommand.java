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
import io.shardsim.scenarios.profiling.ProfileReport;
import io.shardsim.scenarios.profiling.ProfileText;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problem;
import io.shardsim.simulator.yaml.YamlReader;
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
            "Or A is a profiler trace of a real step, and B the scenario that simulates it: .json or .json.gz from PyTorch, .csv from nsys stats"
                    + " --report cuda_gpu_trace, or a folder with traces of several ranks."
        },
        footer = {
            "",
            "Examples:",
            "  shardsim compare before.yaml after.yaml",
            "  shardsim compare gpt2-30b-on-p4d#13 gpt2-30b-on-p4d#15",
            "  shardsim compare before.yaml after.yaml --out build/reports/compare",
            "  shardsim compare build/reports/monday build/reports/tuesday",
            "  shardsim compare rank0.pt.trace.json.gz my.yaml",
            "  shardsim compare rank0.json.gz rank1.json.gz rank2.json.gz my.yaml",
            "Exit status: 0 done, 1 the simulation failed, 2 wrong usage or input, 3 one of them does not fit in memory,",
            ExitStatus.INTERRUPTED_HELP + "."
        })
final class CompareCommand extends Speaking {
    private static final String REPORT = "report.html";

    private final RunnerFactory runners;

    @Parameters(index = "0", paramLabel = "A", description = "Baseline run.")
    private String a = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "B",
            description = "Run to compare with it. Traces of further ranks go before it.")
    private List<String> further = List.of();

    @Option(
            names = {"-o", "--out"},
            paramLabel = "DIR",
            converter = ReportFolder.class,
            description =
                    "Also write report.html to this folder: where the time goes and why, as waterfall charts; for a trace, both timelines.")
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
        String b = further.get(further.size() - 1);
        List<String> traces = new ArrayList<>(ProfileComparer.traces(a));
        for (String other : further.subList(0, further.size() - 1)) {
            List<String> profiles = ProfileComparer.traces(other);
            if (traces.isEmpty() || profiles.isEmpty()) {
                problems.add(new Problem(
                        YamlReader.printable(other),
                        Position.NONE,
                        "is not a profile; give two runs, or profiles of ranks and then one scenario"));
            }
            traces.addAll(profiles);
        }
        if (!problems.isEmpty()) {
            return refuse(problems);
        }
        if (!traces.isEmpty()) {
            return profile(traces, b, problems);
        }
        Comparer.Side first = side(a, problems);
        Comparer.Side second = side(b, problems);
        if (first == null || second == null) {
            return refuse(problems);
        }
        return compare(first, second, folder());
    }

    private int profile(List<String> traces, String b, List<Problem> problems) throws InputException, IOException {
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
        Path folder = folder();
        ProfileComparer comparer = new ProfileComparer();
        ProfileComparison comparison = question.ask(
                progress -> comparer.compare(traces, b, point),
                comparer::interrupt,
                ProfileJson::write,
                ProfileText::write);
        if (comparison == null) {
            return ExitStatus.INTERRUPTED;
        }
        if (folder != null && comparison.fits()) {
            write(folder, ProfileReport.write(comparison));
        }
        return comparison.fits() ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
    }

    private @Nullable Path folder() throws InputException {
        return out == null ? null : ReportFolder.make(line(), out, "--out", List.of(REPORT));
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

    private void write(Path folder, String page) throws IOException {
        WholeFiles.write(folder, Map.of(REPORT, page));
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
            write(folder, CompareReport.write(comparison));
        }
        return comparison.fits() ? ExitStatus.DONE : ExitStatus.OUT_OF_MEMORY;
    }
}

package io.shardsim.scenarios.fuzz;

import io.shardsim.reports.LinkUse;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.SummaryTable;
import io.shardsim.reports.writing.TextStyle;
import io.shardsim.reports.writing.html.HtmlReport;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.ReportFiles;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.scenario.Scenario;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/** Reads a scenario, runs some of its points within limits, writes reports, and checks them for impossible values. */
final class CheckedScenario {
    private static final int POINTS_MAX = 2;
    private static final int RANKS_MAX = 64;
    private static final long EVENTS_MAX = 100_000;
    /** Forward passes of layers on one rank in a step. */
    private static final long LAYERS_MAX = 1_000;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private CheckedScenario() {}

    /**
     * Returns the outcome of a scenario.
     *
     * @throws InputException if the reader refuses it
     */
    static Outcome outcome(String text) throws InputException, InterruptedException {
        return run(ScenarioReader.readText("fuzzed.yaml", text));
    }

    private static Outcome run(Scenario scenario) throws InterruptedException {
        List<RunResult> results = new ArrayList<>();
        Outcome last = Outcome.of(Outcome.Kind.READ);
        for (ScenarioPoint point : scenario.points()
                .subList(0, Math.min(POINTS_MAX, scenario.points().size()))) {
            if (!isSmall(point)) {
                continue;
            }
            try (PointSimulation simulation = new PointSimulation(new RunOptions(1, true).within(EVENTS_MAX))) {
                RunResult result = simulation.run(point);
                results.add(result);
                last = Outcome.of(result.fits() ? Outcome.Kind.RAN : Outcome.Kind.TOO_LARGE);
            } catch (TooLargeException told) {
                String wrong = Verdicts.message(String.valueOf(told.getMessage()), "");
                if (!wrong.isEmpty()) {
                    return Outcome.fault(wrong);
                }
                last = Outcome.of(Outcome.Kind.TOLD);
            } catch (RunLimitException tooLong) {
                last = Outcome.of(Outcome.Kind.TOO_LONG);
            }
        }
        if (!results.isEmpty()) {
            String absurd = report(ScenarioResult.of(scenario.name(), results));
            return absurd.isEmpty() ? last : Outcome.fault("absurd " + absurd);
        }
        return last;
    }

    private static boolean isSmall(ScenarioPoint point) {
        int ranks = point.cluster().worldSize();
        return ranks <= RANKS_MAX
                && (!(point.task() instanceof Task.Training training)
                        || training.globalBatch() / ranks * training.model().layers() <= LAYERS_MAX);
    }

    /** Returns an impossible value in a report; empty for none. */
    private static String report(ScenarioResult result) {
        ReportFiles files = new ReportFiles();
        String table = SummaryTable.write(result, TextStyle.withoutTerminal());
        String html = HtmlReport.write(result, List.of()).replaceAll("(?s)<script.*?</script>", "");
        for (String written : List.of(table, html)) {
            if (written.matches("(?s).*\\b(NaN|Infinity)\\b.*")) {
                return "NaN or Infinity in a report";
            }
        }
        String number = Verdicts.absurd("", JSON.readTree(files.json(List.of(result))));
        for (RunResult run : result.runs()) {
            number = number.isEmpty() ? absurd(run) : number;
        }
        return number;
    }

    /** Values that the document does not contain. */
    private static String absurd(RunResult run) {
        for (LinkUse link : run.network().links()) {
            if (link.bytes() < 0 || link.queueingSeconds() < 0 || link.busiestUtilization() > 1.000001) {
                return "use of " + link.linkClass();
            }
        }
        if (run.effort().simulatedEvents() < run.effort().executedEvents()) {
            return "fewer events stood for than executed";
        }
        boolean backwards =
                run.rank0().timeline().stream().anyMatch(span -> span.startPs() < 0 || span.endPs() < span.startPs());
        return backwards ? "an operation that ends before it begins" : "";
    }
}

package io.shardsim.scenarios.cli;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.scenarios.evaluation.AssertedRun;
import io.shardsim.scenarios.scenario.Scenario;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Checks the assertions of scenarios and reports them on the terminal and in a JUnit file. */
final class AssertedRuns {
    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--junit",
            paramLabel = "FILE",
            description = "Also write the scenario's assertions and their outcome as JUnit XML, for CI.")
    private @Nullable Path junit;

    /** Rejects an unusable {@code --junit} before the run, whose results would be lost. */
    void check(List<Scenario> scenarios) {
        if (junit == null) {
            return;
        }
        if (scenarios.stream().allMatch(scenario -> scenario.asserted().isEmpty())) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--junit " + junit + " would be empty: no scenario has assertions; add for example assert: "
                            + "{each: fits}");
        }
        Path folder = junit.toAbsolutePath().getParent();
        if (Files.isDirectory(junit) || folder == null || !Files.isWritable(folder)) {
            throw new ParameterException(
                    spec.commandLine(), "--junit " + junit + " cannot be written; name a file in a folder that can");
        }
    }

    /**
     * Prints the outcomes, and returns whether all assertions hold.
     *
     * @param silent whether to print failed assertions only
     * @param verbose whether to also print assertions that hold
     */
    boolean hold(List<Scenario> scenarios, List<ScenarioResult> results, boolean silent, boolean verbose)
            throws IOException {
        Map<String, List<AssertedRun>> asserted = new LinkedHashMap<>();
        for (Scenario scenario : scenarios) {
            results.stream()
                    .filter(result -> result.scenario().equals(scenario.name()))
                    .forEach(result -> asserted.put(scenario.name(), AssertedRun.of(scenario, result)));
        }
        List<AssertedRun> all = asserted.values().stream().flatMap(List::stream).toList();
        long hold = all.stream().filter(AssertedRun::holds).count();
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        for (AssertedRun each : all) {
            if (!each.holds()) {
                err.println("assert: " + each.line());
            } else if (verbose && !silent) {
                out.println("assert: " + each.line());
            }
        }
        if (!all.isEmpty() && !silent) {
            out.println("assert: " + hold + " of " + all.size() + " hold");
        }
        out.flush();
        err.flush();
        if (junit != null) {
            JUnitXml.write(junit, asserted);
        }
        return hold == all.size();
    }
}

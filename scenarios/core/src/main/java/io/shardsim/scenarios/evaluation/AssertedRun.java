package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.TrainingCost;
import io.shardsim.reports.writing.JsonObject;
import io.shardsim.reports.writing.ResultField;
import io.shardsim.reports.writing.ResultsJson;
import io.shardsim.scenarios.scenario.Assertion;
import io.shardsim.scenarios.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An assertion of a scenario, evaluated for a run.
 *
 * @param run null if the assertion is about the fastest run and none trains
 * @param found the figure, or why there is none
 */
public record AssertedRun(Assertion assertion, @Nullable RunResult run, String name, boolean holds, String found) {

    /** A run with its display name and its document. */
    private record Subject(RunResult run, String name, JsonObject document) {
        static Subject of(RunResult run, ScenarioResult result) {
            return new Subject(run, result.names().withGpus(run), ResultsJson.run(run));
        }
    }

    /** Evaluates every assertion on every run it applies to. */
    public static List<AssertedRun> of(Scenario scenario, ScenarioResult result) {
        if (scenario.asserted().isEmpty()) {
            return List.of();
        }
        List<Subject> subjects =
                result.runs().stream().map(run -> Subject.of(run, result)).toList();
        RunResult fastest = result.fastest();
        List<AssertedRun> asserted = new ArrayList<>();
        for (Assertion assertion : scenario.asserted().fastest()) {
            asserted.add(
                    fastest == null
                            ? new AssertedRun(assertion, null, "fastest", false, "nothing fits in memory")
                            : of(assertion, subjects.get(result.placeOf(fastest))));
        }
        for (Assertion assertion : scenario.asserted().each()) {
            subjects.forEach(subject -> asserted.add(of(assertion, subject)));
        }
        return asserted;
    }

    private static AssertedRun of(Assertion assertion, Subject subject) {
        RunResult run = subject.run();
        if (!run.fits() || assertion.figure().equals(Assertion.FITS)) {
            return new AssertedRun(
                    assertion, run, subject.name(), run.fits(), run.fits() ? "fits" : "does not fit in memory");
        }
        if (!(value(assertion.figure(), run, subject.document()) instanceof Number value)) {
            return new AssertedRun(assertion, run, subject.name(), false, "no such figure");
        }
        boolean holds = assertion.relation().holds(value.doubleValue(), assertion.bound());
        return new AssertedRun(assertion, run, subject.name(), holds, assertion.shown(value.doubleValue()));
    }

    private static @Nullable Object value(String figure, RunResult run, JsonObject document) {
        TrainingCost cost = run.cost();
        if (cost != null && figure.equals(Assertion.DAYS)) {
            return cost.days();
        }
        if (figure.equals(Assertion.USD)) {
            return cost == null || !cost.hasPrice() ? null : cost.usd();
        }
        ResultField field = ResultField.of(figure);
        return field == null ? null : field.in(document);
    }

    /** Formats this as one line. */
    public String line() {
        return assertion.text() + (holds ? " holds" : " does not hold") + ": " + found + ", " + name;
    }
}

package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.TrainingCost;
import io.shardsim.reports.writing.ResultField;
import io.shardsim.scenarios.scenario.Assertion;
import io.shardsim.scenarios.scenario.Scenario;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an assertion of a scenario came to for a run.
 *
 * @param run null where it is about the fastest run and none trains
 * @param found the figure, or why there is none
 */
public record AssertedRun(Assertion assertion, @Nullable RunResult run, String name, boolean holds, String found) {

    /** Every assertion for every run that it is about. */
    public static List<AssertedRun> of(Scenario scenario, ScenarioResult result) {
        List<AssertedRun> asserted = new ArrayList<>();
        for (Assertion assertion : scenario.asserted().fastest()) {
            RunResult fastest = result.fastest();
            asserted.add(
                    fastest == null
                            ? new AssertedRun(assertion, null, "fastest", false, "nothing fits in memory")
                            : of(assertion, fastest, result));
        }
        for (Assertion assertion : scenario.asserted().each()) {
            result.runs().forEach(run -> asserted.add(of(assertion, run, result)));
        }
        return asserted;
    }

    private static AssertedRun of(Assertion assertion, RunResult run, ScenarioResult result) {
        String name = result.names().withGpus(run);
        if (!run.fits() || assertion.figure().equals(Assertion.FITS)) {
            return new AssertedRun(assertion, run, name, run.fits(), run.fits() ? "fits" : "does not fit in memory");
        }
        if (!(value(assertion.figure(), run) instanceof Number value)) {
            return new AssertedRun(assertion, run, name, false, "no such figure");
        }
        boolean holds = assertion.relation().holds(value.doubleValue(), assertion.bound());
        return new AssertedRun(assertion, run, name, holds, Quantities.number(value.doubleValue(), 6));
    }

    private static @Nullable Object value(String figure, RunResult run) {
        TrainingCost cost = run.cost();
        if (cost != null && figure.equals(Assertion.DAYS)) {
            return cost.days();
        }
        if (figure.equals(Assertion.USD)) {
            return cost == null || !cost.hasPrice() ? null : cost.usd();
        }
        ResultField field = ResultField.of(figure);
        return field == null ? null : field.in(run);
    }

    /** In one line. */
    public String line() {
        return assertion.text() + (holds ? " holds" : " does not hold") + ": " + found + ", " + name;
    }
}

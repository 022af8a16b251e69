package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Diagnosis;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.writing.PlainText;
import java.util.List;
import java.util.stream.Collectors;

/** An explanation for the terminal: the verdict, the likeliest faults, and what to look at to tell them apart. */
public final class ExplanationText {
    private static final int SUSPECTS_MAX = 5;
    private static final int LOOKED_AT = 3;
    /** Shares below this are not worth a line. */
    private static final double SHARE_MIN = 0.005;

    private final Explanation explanation;
    private final int width;
    private final StringBuilder out = new StringBuilder();

    private ExplanationText(Explanation explanation, int width) {
        this.explanation = explanation;
        this.width = width;
    }

    /** At most {@code width} columns wide. */
    public static String write(Explanation explanation, int width) {
        return new ExplanationText(explanation, width).text();
    }

    private String text() {
        RunResult healthy = explanation.healthy();
        line(explanation.name() + ": " + healthy.label() + " on " + Quantities.counted(healthy.gpus(), "GPU"));
        if (!explanation.fits()) {
            Diagnosis diagnosis = Diagnosis.of(healthy);
            line("Nothing to explain: it does not fit in memory. " + diagnosis.why() + " " + diagnosis.next());
            return out.toString();
        }
        Measured measured = explanation.measured();
        line("Measured " + measured.words(measured.value()) + ", simulated "
                + measured.words(measured.unit().of(healthy)) + ".");
        line(verdict());
        if (explanation.verdict() == Explanation.Verdict.EXPLAINED
                || explanation.verdict() == Explanation.Verdict.UNEXPLAINED) {
            suspects();
        }
        return out.toString();
    }

    private String verdict() {
        Explanation.Expected expected = explanation.expected();
        String range = "80 % of such runs are simulated " + percent(StrictMath.expm1(expected.low())) + " to "
                + percent(StrictMath.expm1(expected.high())) + " off (+: too fast).";
        double times = explanation.measured().timesAsFast(explanation.healthy());
        return switch (explanation.verdict()) {
            case HEALTHY -> "Healthy: " + off(times) + ", as expected. " + range;
            case FASTER ->
                "Faster than simulated by " + Quantities.percent(1 / times - 1)
                        + ": the scenario has a setting that your run has not. " + range;
            case EXPLAINED ->
                "Slower than a healthy run by a factor of " + Quantities.threeDigits(times) + ". Likeliest: "
                        + explanation.suspects().get(0).title() + ".";
            default ->
                "Slower than a healthy run by a factor of " + Quantities.threeDigits(times)
                        + ". No single known fault explains it.";
        };
    }

    private static String off(double times) {
        return "simulated " + percent(times - 1) + " off";
    }

    private static String percent(double share) {
        return (share < 0 ? "" : "+") + Quantities.fixed(100 * share, 1) + " %";
    }

    private void suspects() {
        String unit = explanation.measured().unit().words();
        int titles = width - 2 - 12 - 9;
        out.append(("\n%-" + (titles + 2) + "s %11s %8s\n").formatted("Fault", unit, "likely"));
        List<Explanation.Suspect> shown = explanation.suspects().stream()
                .filter(one -> one.share() >= SHARE_MIN)
                .limit(SUSPECTS_MAX)
                .toList();
        for (Explanation.Suspect one : shown) {
            RunResult run = one.run();
            out.append(("  %-" + titles + "s %11s %8s\n")
                    .formatted(
                            cut(one.title(), titles),
                            run == null
                                    ? "-"
                                    : Quantities.threeDigits(
                                            explanation.measured().unit().of(run)),
                            Quantities.fixed(100 * one.share(), 0) + " %"));
        }
        out.append('\n');
        shown.stream()
                .limit(LOOKED_AT)
                .forEach(one -> line("Look at (" + one.fault() + "): " + String.join("; ", one.look()) + "."));
        explain(shown);
    }

    private void explain(List<Explanation.Suspect> shown) {
        if (!shown.isEmpty() && !shown.get(0).settings().isEmpty()) {
            line("Try it: "
                    + shown.get(0).settings().entrySet().stream()
                            .map(set -> "--set '" + set.getKey() + "=" + set.getValue() + "'")
                            .collect(Collectors.joining(" ")));
        }
        if (shown.stream().anyMatch(one -> one.run() == null)) {
            line("-: not simulated; it is listed where it was seen to cost as much.");
        }
    }

    private static String cut(String text, int most) {
        return text.length() <= most ? text : text.substring(0, most - 1) + "~";
    }

    private void line(String text) {
        PlainText.wrapped(out, text, "  ", width);
    }
}

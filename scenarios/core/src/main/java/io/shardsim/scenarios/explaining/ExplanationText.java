package io.shardsim.scenarios.explaining;

import io.shardsim.reports.Diagnosis;
import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.reports.writing.Paragraphs;
import io.shardsim.reports.writing.TextTable;
import io.shardsim.topology.InstanceSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Formats an explanation for the terminal: the verdict, the likeliest faults, and how to tell them apart. */
public final class ExplanationText {
    private static final int SUSPECTS_MAX = 5;
    private static final int LOOKED_AT = 3;
    /** Divisor of the top likelihood above which a fault counts as a rival. */
    private static final int RIVAL = 3;

    private static final int COLUMN = 13;
    private static final int COLUMN_LIKELY = 9;
    private static final int TITLE_MIN = 20;
    /** Share below which a fault gets no line. */
    private static final double SHARE_MIN = 0.005;
    /** Share above which the rest is mentioned. */
    private static final double REST_MIN = 0.01;

    private final Explanation explanation;
    private final int width;
    private final Paragraphs out;

    private ExplanationText(Explanation explanation, int width) {
        this.explanation = explanation;
        this.width = width;
        out = new Paragraphs(width);
    }

    /** Returns text of at most {@code width} columns. */
    public static String write(Explanation explanation, int width) {
        return new ExplanationText(explanation, width).text();
    }

    private String text() {
        RunResult healthy = explanation.logs().get(0).healthy();
        out.line(explanation.name() + ": " + healthy.label() + " on " + Quantities.counted(healthy.gpus(), "GPU"));
        for (Explanation.Log log : explanation.logs()) {
            if (!log.healthy().fits()) {
                Diagnosis diagnosis = Diagnosis.of(log.healthy());
                out.line("Not simulated: it does not fit in memory. " + diagnosis.why() + " " + diagnosis.next());
                return out.toString();
            }
        }
        healthy().forEach(out::line);
        if (!explanation.others().ruledOut().isEmpty()) {
            out.line("Ruled out: " + String.join(", ", explanation.others().ruledOut()) + ".");
        }
        explanation.others().profiled().forEach(words -> out.line("Profile: " + words + "."));
        out.line(verdict()
                + explanation.logs().stream().map(Explanation.Log::scope).collect(Collectors.joining()));
        cost();
        if (explanation.verdict() == Explanation.Verdict.EXPLAINED) {
            likely();
        } else if (explanation.verdict() == Explanation.Verdict.UNEXPLAINED) {
            closest();
        }
        causesNotListed();
        return out.toString();
    }

    /** Returns measurements compared with healthy runs, one line each. */
    static List<String> healthy(Explanation explanation) {
        return new ExplanationText(explanation, Integer.MAX_VALUE).healthy();
    }

    private List<String> healthy() {
        List<String> lines = new ArrayList<>();
        for (Explanation.Log log : explanation.logs()) {
            Measured measured = log.measured();
            String place = measured.place();
            if (measured.isHealthy()) {
                lines.add((place.isEmpty() ? "Healthy" : "Healthy at " + place) + ", as stated.");
            } else {
                lines.add((place.isEmpty() ? "Healthy: " : "Healthy at " + place + ": ") + log.healthyRange()
                        + (log.expected().published() ? "" : " (assumed)") + ", simulated "
                        + measured.words(log.figure(log.healthy())) + ". Measured: " + measured.words(measured.value())
                        + ".");
            }
        }
        return lines;
    }

    private void causesNotListed() {
        if (explanation.verdict() == Explanation.Verdict.EXPLAINED
                || explanation.verdict() == Explanation.Verdict.UNEXPLAINED) {
            List<String> left = explanation.others().tooLong();
            if (!left.isEmpty()) {
                out.line("Not simulated: " + Quantities.counted(left.size(), "fault") + ", such as " + left.get(0)
                        + ".");
            }
            out.line("Or a cause not listed here: " + KnownFault.names().size() + " faults are known.");
        }
    }

    private String verdict() {
        Explanation.Log log = explanation.logs().stream()
                .filter(Explanation.Log::isSpeed)
                .findFirst()
                .orElseThrow();
        Explanation.Expected expected = log.expected();
        String range = expected.published()
                ? "For 80 % of similar runs, the simulation is " + ends(expected) + " off (+: too fast)."
                : ends(expected) + " off (+: too fast) is assumed: " + expected.assumed() + ".";
        double times = log.timesAsFast();
        String slower = times > 1
                ? "Slower than a healthy run by a factor of " + Quantities.threeDigits(times) + ". "
                : "Some measurements are off.  ";
        return switch (explanation.verdict()) {
            case HEALTHY -> "Healthy: " + off(times) + ", as expected. " + range;
            case OTHER_MEMORY -> "The speed is healthy: " + off(times) + ", as expected. " + range + otherMemory();
            case FASTER ->
                "Faster than simulated by " + Quantities.percent(1 / times - 1)
                        + ". Either the scenario has a costly setting that your run does not have, or the two "
                        + "count differently, or the simulator is too slow here. " + range + otherMemory();
            case EXPLAINED ->
                slower + (isShown(explanation.suspects().get(0)) ? "In the log: " : "Likeliest: ")
                        + explanation.suspects().get(0).title() + "." + rivals();
            default ->
                slower
                        + (explanation.others().tooLong().isEmpty()
                                ? "No single known fault fits the evidence."
                                : "No single simulated fault fits the evidence.");
        };
    }

    /** Adds the cost of the lost time, or that the catalog has no price. */
    private void cost() {
        Explanation.Log log = explanation.logs().get(0);
        if (log.lostShare() == 0) {
            return;
        }
        InstanceSpec instance = log.healthy().facts().cluster().instance();
        double day = log.usdPerDay();
        out.line(
                day > 0
                        ? "The gap costs $" + Quantities.threeDigits(day * log.lostShare()) + " of the $"
                                + Quantities.threeDigits(day) + " that the cluster costs per day, "
                                + instance.price().terms() + "."
                        : "The gap takes " + Quantities.percent(log.lostShare())
                                + " of the cluster's time; the catalog has no price for " + instance.name() + ".");
    }

    private boolean isShown(Explanation.Suspect one) {
        return explanation.others().shown().containsKey(one.fault());
    }

    /** Returns what is unusual about measured memory. */
    private String otherMemory() {
        return explanation.logs().stream()
                .filter(log -> !log.isSpeed() && !log.isUsual())
                .map(log -> " Memory is off: "
                        + log.measured().words(log.figure(log.healthy())) + " is "
                        + percent(log.timesAsFast() - 1) + " off, where "
                        + ends(log.expected())
                        + (log.expected().published() ? " is usual." : " is assumed.")
                        + (log.isFaster()
                                ? " Your run uses memory that the scenario does not."
                                : " The scenario uses memory that your run does not."))
                .collect(Collectors.joining());
    }

    /** Returns faults that one more piece of evidence may put first. */
    private String rivals() {
        List<Explanation.Suspect> suspects = explanation.suspects();
        List<String> rivals = suspects.stream()
                .skip(1)
                .filter(one -> one.explains() && one.share() >= suspects.get(0).share() / RIVAL)
                .map(Explanation.Suspect::fault)
                .toList();
        return rivals.isEmpty()
                ? ""
                : " Also possible: " + String.join(", ", rivals)
                        + ". Check them, then rule some out with --not or add measurements.";
    }

    private static String ends(Explanation.Expected expected) {
        return percent(StrictMath.expm1(expected.low())) + " to " + percent(StrictMath.expm1(expected.high()));
    }

    private static String off(double times) {
        return "simulated " + percent(times - 1) + " off";
    }

    static String percent(double share) {
        return (share < 0 ? "" : "+") + Quantities.fixed(100 * share, 1) + " %";
    }

    private void likely() {
        List<Explanation.Suspect> shown = explanation.suspects().stream()
                .filter(one -> one.share() >= SHARE_MIN || isShown(one))
                .limit(SUSPECTS_MAX)
                .toList();
        table("Fault", "likely", shown, one -> isShown(one) ? "in log" : Quantities.fixed(100 * one.share(), 0) + " %");
        double rest = 1 - shown.stream().mapToDouble(Explanation.Suspect::share).sum();
        if (rest >= REST_MIN) {
            out.line("Less likely faults share the remaining " + Quantities.percent(rest) + ".");
        }
        look(shown);
        if (shown.stream().anyMatch(one -> one.runs().isEmpty())) {
            out.line("-: not simulated; listed because it has been seen to cost this much.");
        }
    }

    /** Adds what to look at if no fault fits: the closest faults, pairs, and the next measurement, without shares. */
    private void closest() {
        List<Explanation.Suspect> pairs = explanation.beyond().pairs();
        boolean fit = !pairs.isEmpty() && pairs.get(0).explains();
        List<Explanation.Suspect> closest = explanation.suspects().stream()
                .filter(one -> !one.runs().isEmpty())
                .limit(SUSPECTS_MAX)
                .toList();
        List<Explanation.Suspect> two = pairs.stream()
                .filter(one -> one.explains() || !fit)
                .limit(LOOKED_AT)
                .toList();
        if (!closest.isEmpty()) {
            table("Closest, none fits", "step s", closest, ExplanationText::step);
        }
        if (!two.isEmpty()) {
            table(fit ? "Two at once, fit" : "Two at once, none fit", "step s", two, ExplanationText::step);
        }
        if (fit) {
            look(two.subList(0, 1));
        }
        String next = explanation.beyond().next();
        if (explanation.beyond().equals(Explanation.Beyond.NOTHING)) {
            out.line("Next: shardsim explain tries pairs of faults and suggests what to measure next.");
            return;
        }
        out.line(
                next.isEmpty()
                        ? "Next: no other measurement of this run can tell these apart."
                        : "Next: measure " + next + ".");
    }

    private static String step(Explanation.Suspect one) {
        return Quantities.threeDigits(Measured.Unit.seconds(one.runs().get(0)));
    }

    private void table(
            String what, String last, List<Explanation.Suspect> shown, Function<Explanation.Suspect, String> cell) {
        int logs = explanation.logs().size();
        int titles = Math.max(TITLE_MIN, width - 2 - COLUMN * logs - COLUMN_LIKELY);
        StringBuilder head = new StringBuilder(("\n%-" + (titles + 2) + "s").formatted(what));
        for (Explanation.Log log : explanation.logs()) {
            String place = log.measured().place();
            head.append(cell(
                    place.isEmpty() ? log.measured().unit().words() : place.substring(place.lastIndexOf('.') + 1)));
        }
        out.asIs(head.append("%9s\n".formatted(last)).toString());
        for (Explanation.Suspect one : shown) {
            out.asIs(("  %-" + titles + "s")
                    .formatted(TextTable.cut(one.fault().contains(" + ") ? one.fault() : one.title(), titles)));
            for (int i = 0; i < logs; i++) {
                out.asIs(cell(
                        one.runs().isEmpty()
                                ? "-"
                                : Quantities.threeDigits(explanation
                                        .logs()
                                        .get(i)
                                        .figure(one.runs().get(i)))));
            }
            out.asIs("%9s\n".formatted(cell.apply(one)));
        }
    }

    private void look(List<Explanation.Suspect> shown) {
        out.asIs("\n");
        shown.stream()
                .limit(LOOKED_AT)
                .forEach(one -> out.line(explanation.others().questions().getOrDefault(one.fault(), "Look at") + " ("
                        + one.fault() + "): " + String.join("; ", one.look()) + "."));
        if (!shown.isEmpty() && !shown.get(0).settings().isEmpty()) {
            out.line("Try it: "
                    + shown.get(0).settings().entrySet().stream()
                            .map(set -> "--set '" + set.getKey() + "=" + set.getValue() + "'")
                            .collect(Collectors.joining(" ")));
        }
    }

    private static String cell(String text) {
        return (" %" + (COLUMN - 1) + "s").formatted(TextTable.cut(text, COLUMN - 1));
    }
}

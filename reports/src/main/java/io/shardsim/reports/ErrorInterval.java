package io.shardsim.reports;

import java.util.List;
import java.util.stream.Collectors;

/**
 * How far off similar published runs were: a range to read a simulated figure with, no confidence interval.
 *
 * @param low least error of the nearest cases, of a speed or a size: 0.05 says that the simulator was 5 % too fast [1]
 * @param high greatest of them [1]
 * @param nearest the cases, the nearest first
 */
public record ErrorInterval(double low, double high, List<Near> nearest) {

    /**
     * A case that resembles the run.
     *
     * @param error simulated speed over measured speed, less one [1]
     */
    public record Near(String id, String role, double error) {}

    public ErrorInterval {
        nearest = List.copyOf(nearest);
    }

    /** The interval of some cases. */
    public static ErrorInterval of(List<Near> nearest) {
        double low = nearest.stream().mapToDouble(Near::error).min().orElseThrow();
        double high = nearest.stream().mapToDouble(Near::error).max().orElseThrow();
        return new ErrorInterval(low, high, nearest);
    }

    /** The range in one line, for example {@code 5 similar published runs are -9.5 % to +3.7 % off (+: too fast)}. */
    public String brief() {
        return Quantities.counted(nearest.size(), "similar published run") + (nearest.size() == 1 ? " is " : " are ")
                + range() + " off (+: too fast)";
    }

    /** The range and the cases in words, for people; a case that may have set a constant is marked. */
    public String sentence() {
        return brief() + ": " + cases();
    }

    /** The same where the errors are those of sizes. */
    public String sentenceOfMemory() {
        return "memory of " + Quantities.counted(nearest.size(), "similar published run") + " is " + range()
                + " off (+: too much): " + cases();
    }

    private String range() {
        return (percent(low).equals(percent(high)) ? "" : percent(low) + " to ") + percent(high);
    }

    private String cases() {
        return nearest.stream()
                .map(near -> near.id() + " (" + percent(near.error())
                        + (near.role().equals("calibration") ? ", calibration" : "") + ")")
                .collect(Collectors.joining(", "));
    }

    private static String percent(double error) {
        return (error < 0 ? "" : "+") + Quantities.fixed(100 * error, 1) + " %";
    }
}

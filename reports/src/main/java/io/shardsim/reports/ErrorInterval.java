package io.shardsim.reports;

import java.util.List;

/**
 * How far off published runs like this one were: a range to read a simulated figure with, no confidence interval.
 *
 * @param low least error of the nearest cases, of a speed: 0.05 says that the simulator was 5 % too fast [1]
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

    /** The range and the cases in words, for people. */
    public String sentence() {
        return "the published runs most like this one came out " + Quantities.fixed(1 + low, 2) + " to "
                + Quantities.fixed(1 + high, 2) + " times as fast as measured: "
                + String.join(
                        ", ",
                        nearest.stream()
                                .map(near -> near.id() + " (" + percent(near.error()) + ")")
                                .toList());
    }

    private static String percent(double error) {
        return (error < 0 ? "" : "+") + Quantities.fixed(100 * error, 1) + " %";
    }
}

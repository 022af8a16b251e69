package io.shardsim.reports;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How far off a simulated figure may be: a range that covered a stated share of the figures of published sources when each of them was left out.
 *
 * @param coverage that share, 0 to 1
 * @param low least error, of a speed or a size: 0.05 says that the simulator is 5 % too fast [1]
 * @param high greatest error [1]
 * @param nearest published runs that it was made from, one of a source, the nearest first
 */
public record ErrorInterval(double coverage, double low, double high, List<Near> nearest) {

    /**
     * A case that resembles the run.
     *
     * @param error simulated speed over measured speed, less one [1]
     * @param samplesPerSecond that it measured, where it is the same model on the same cluster under the same strategy
     */
    public record Near(
            String id, String role, double error, @Nullable Double samplesPerSecond) {}

    public ErrorInterval {
        nearest = List.copyOf(nearest);
    }

    /** The range in one line, for example {@code 80 % of such runs are -9.5 % to +3.7 % off (+: too fast)}. */
    public String brief() {
        return share() + " % of such runs are " + range() + " off (+: too fast)";
    }

    /** The range and the cases in words, for people; a case that may have set a constant is marked. */
    public String sentence() {
        return brief() + cases();
    }

    /** The same where the errors are those of sizes. */
    public String sentenceOfMemory() {
        return "memory of " + share() + " % of such runs is " + range() + " off (+: too much)" + cases();
    }

    private String share() {
        return Quantities.fixed(100 * coverage, 0);
    }

    private String range() {
        return (percent(low).equals(percent(high)) ? "" : percent(low) + " to ") + percent(high);
    }

    private String cases() {
        return ", by " + Quantities.counted(nearest.size(), "published source") + ": "
                + nearest.stream()
                        .map(near -> near.id() + " (" + percent(near.error())
                                + (near.role().equals("calibration") ? ", calibration" : "") + ")")
                        .collect(Collectors.joining(", "));
    }

    private static String percent(double error) {
        return (error < 0 ? "" : "+") + Quantities.fixed(100 * error, 1) + " %";
    }
}

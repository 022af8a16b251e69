package io.shardsim.reports;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Expected error range of a simulated figure: a range that covered a stated share of published figures in leave-one-source-out validation.
 *
 * @param coverage that share, 0 to 1
 * @param low lowest error of a speed or a size: 0.05 means that the simulator is 5 % too fast [1]
 * @param high highest error [1]
 * @param nearest published runs it is made from, one per source, nearest first
 */
public record ErrorInterval(double coverage, double low, double high, List<Near> nearest) {

    /**
     * A case similar to the run.
     *
     * @param error simulated speed over measured speed, minus one [1]
     * @param samplesPerSecond measured speed, if it is the same model on the same cluster with the same strategy
     */
    public record Near(
            String id, String role, double error, @Nullable Double samplesPerSecond) {}

    public ErrorInterval {
        nearest = List.copyOf(nearest);
    }

    /** Formats the range, for example {@code 80 % of similar runs are -9.5 % to +3.7 % off (+: too fast)}. */
    public String brief() {
        return share() + " % of similar runs are " + range() + " off (+: too fast)";
    }

    /** Describes the range and its cases, marking those that may have set a constant. */
    public String sentence() {
        return brief() + cases();
    }

    /** Describes the range of memory errors and its cases. */
    public String sentenceOfMemory() {
        return "memory of " + share() + " % of similar runs is " + range() + " off (+: too much)" + cases();
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

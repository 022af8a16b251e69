package io.shardsim.scenarios.explaining;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.Trial;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The value of each resource and each setting of a training run, from runs with one of them changed.
 *
 * @param name the run's name on the command line
 * @param run the run itself
 * @param resources each resource a tenth better and a tenth worse, largest derivative first
 * @param knobs each setting changed alone, largest gain first; without those that changed nothing or do not fit
 * @param others settings without a gain to show
 */
public record Prices(String name, RunResult run, List<Priced> resources, List<Knob> knobs, Others others) {
    /** Derivative below which a resource is no bottleneck. */
    private static final double BOUND_MIN = 0.02;

    /**
     * A priced resource.
     *
     * @param betterPerSecond samples per second with the resource a tenth better [1/s]
     * @param worsePerSecond samples per second with the resource a tenth worse [1/s]
     * @param derivative relative change of speed per relative change of the resource; 1 if the run is bound by it alone
     */
    record Priced(Resource resource, double betterPerSecond, double worsePerSecond, double derivative) {
        static Priced of(Resource resource, double usual, double better, double worse) {
            return new Priced(resource, better, worse, (better - worse) / (2 * Resource.STEP * usual));
        }
    }

    /** A setting and its gain: samples per second relative to the run's, minus one. */
    record Knob(Trial trial, double gain) {}

    /**
     * Settings without a gain.
     *
     * @param withoutEffect settings that changed no total or time
     * @param tooLarge settings that do not fit in memory
     * @param tooLong settings that take too many events to simulate, in words
     */
    record Others(List<Trial> withoutEffect, List<Trial> tooLarge, List<String> tooLong) {
        Others {
            withoutEffect = List.copyOf(withoutEffect);
            tooLarge = List.copyOf(tooLarge);
            tooLong = List.copyOf(tooLong);
        }
    }

    public Prices {
        resources = resources.stream()
                .sorted(Comparator.comparingDouble(Priced::derivative)
                        .reversed()
                        .thenComparing(Priced::resource))
                .toList();
        knobs = knobs.stream()
                .sorted(Comparator.comparingDouble(Knob::gain)
                        .reversed()
                        .thenComparing(knob -> knob.trial().title()))
                .toList();
    }

    /** Returns the resource with the largest derivative; null if none matters. */
    @Nullable
    Priced bound() {
        return resources.isEmpty() || resources.get(0).derivative() < BOUND_MIN ? null : resources.get(0);
    }

    /** Returns whether the run fits in memory, so that it can be priced. */
    public boolean fits() {
        return run.fits();
    }

    double samplesPerSecond() {
        return run.step().samplesPerSecond();
    }
}

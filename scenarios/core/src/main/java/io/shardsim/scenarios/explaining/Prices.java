package io.shardsim.scenarios.explaining;

import io.shardsim.reports.RunResult;
import io.shardsim.reports.Trial;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What each resource and each setting of a training run is worth, as runs with it changed have shown.
 *
 * @param name the run as the command line names it
 * @param run the run itself
 * @param resources each a tenth better and a tenth worse, the largest derivative first
 * @param knobs each setting changed alone, the largest gain first; those that changed nothing or do not fit are elsewhere
 * @param others settings that have no gain to show
 */
public record Prices(String name, RunResult run, List<Priced> resources, List<Knob> knobs, Others others) {
    /** Below this a derivative is no bound. */
    private static final double BOUND_MIN = 0.02;

    /**
     * A resource.
     *
     * @param betterPerSecond samples per second with a tenth better [1/s]
     * @param worsePerSecond the same with a tenth worse [1/s]
     * @param derivative relative change of speed over relative change of the resource, 1 where the run is bound by nothing else
     */
    record Priced(Resource resource, double betterPerSecond, double worsePerSecond, double derivative) {
        static Priced of(Resource resource, double usual, double better, double worse) {
            return new Priced(resource, better, worse, (better - worse) / (2 * Resource.STEP * usual));
        }
    }

    /** A setting, and what it gains: samples per second over those of the run, less one. */
    record Knob(Trial trial, double gain) {}

    /**
     * Settings without a gain.
     *
     * @param withoutEffect changed nothing, down to every total and time
     * @param tooLarge do not fit in memory
     * @param tooLong take too many events to simulate, in words
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

    /** The resource of the largest derivative; null where none matters. */
    @Nullable
    Priced bound() {
        return resources.isEmpty() || resources.get(0).derivative() < BOUND_MIN ? null : resources.get(0);
    }

    /** Whether the run fits in memory, so that there is something to price. */
    public boolean fits() {
        return run.fits();
    }

    double samplesPerSecond() {
        return run.step().samplesPerSecond();
    }
}

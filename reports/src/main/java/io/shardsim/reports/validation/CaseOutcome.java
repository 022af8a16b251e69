package io.shardsim.reports.validation;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One published figure and what the simulator makes of it.
 *
 * @param published what the figure is of
 * @param simulated with software settings as the source's own code has them; absent where nothing fits in memory
 * @param released with those that follow from the source's framework and release alone; absent where the case names none
 * @param fits whether the memory ledger lets the published run fit, as it did
 * @param contest what it may be compared in with other strategies; absent for a bare collective
 */
public record CaseOutcome(
        Published published,
        Metric metric,
        double measured,
        @Nullable Double simulated,
        @Nullable Double released,
        boolean fits,
        @Nullable Contest contest) {

    /**
     * A published run.
     *
     * @param id case
     * @param role {@code calibration} rows may set constants, {@code validation} rows only judge
     * @param confidence how far the source is to be trusted
     * @param family cases of one source
     * @param gpu GPU type
     */
    public record Published(String id, String role, String confidence, String family, String gpu) {}

    /**
     * One strategy's part in a comparison of several.
     *
     * @param strategy as scenarios write it
     * @param setting all that strategies share that are compared: the source, the cluster, the model, the batch; equal where it is the same
     */
    public record Contest(String strategy, Object setting) {}

    /** A figure of a case that names no framework. */
    public CaseOutcome(
            Published published,
            Metric metric,
            double measured,
            @Nullable Double simulated,
            boolean fits,
            @Nullable Contest contest) {
        this(published, metric, measured, simulated, null, fits, contest);
    }

    /** The outcomes that follow from framework and release alone, for those cases that name them. */
    public static List<CaseOutcome> released(Collection<CaseOutcome> outcomes) {
        return outcomes.stream()
                .filter(one -> one.released != null)
                .map(one ->
                        new CaseOutcome(one.published, one.metric, one.measured, one.released, one.fits, one.contest))
                .toList();
    }

    public String id() {
        return published.id();
    }

    public String role() {
        return published.role();
    }

    /** Simulated over measured, less one; absent where nothing was simulated. */
    public @Nullable Double error() {
        return simulated == null ? null : simulated / measured - 1;
    }

    /** The error with one sign for all speeds, see {@link Metric#bias}; absent where nothing was simulated. */
    public @Nullable Double bias() {
        return simulated == null ? null : metric.bias(measured, simulated);
    }
}

package io.shardsim.reports.validation;

import org.jspecify.annotations.Nullable;

/**
 * One published figure and what the simulator makes of it.
 *
 * @param published what the figure is of
 * @param simulated absent where nothing fits in memory
 * @param fits whether the memory ledger lets the published run fit, as it did
 * @param contest what it may be compared in with other strategies; absent for a bare collective
 */
public record CaseOutcome(
        Published published,
        Metric metric,
        double measured,
        @Nullable Double simulated,
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

package io.shardsim.reports.validation;

import org.jspecify.annotations.Nullable;

/**
 * One published figure and what the simulator makes of it.
 *
 * @param id case
 * @param role {@code calibration} rows may set constants, {@code validation} rows only judge
 * @param confidence how far the source is to be trusted
 * @param family cases of one source
 * @param gpu GPU type
 * @param simulated absent where nothing fits in memory
 * @param fits whether the memory ledger lets the published run fit, as it did
 */
public record CaseOutcome(
        String id,
        String role,
        String confidence,
        String family,
        String gpu,
        Metric metric,
        double measured,
        @Nullable Double simulated,
        boolean fits) {

    /** Simulated over measured, less one; absent where nothing was simulated. */
    public @Nullable Double error() {
        return simulated == null ? null : simulated / measured - 1;
    }
}

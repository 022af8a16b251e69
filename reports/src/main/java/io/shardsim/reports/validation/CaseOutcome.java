package io.shardsim.reports.validation;

import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A published figure and its simulation.
 *
 * @param published the published run
 * @param simulated value with software settings from the source's own code; absent if nothing fits in memory
 * @param released value with settings from the source's framework and release alone; absent if the case names none
 * @param fits whether the published run, which fit, also fits by the memory ledger
 * @param contest comparison with other strategies that it takes part in; absent for a bare collective
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
     * @param id identifier of the case
     * @param role {@code calibration} rows may set constants, {@code validation} rows only test them
     * @param confidence reliability of the source
     * @param family cases of one source
     * @param gpu GPU type
     */
    public record Published(String id, String role, String confidence, String family, String gpu) {}

    /**
     * A strategy's entry in a comparison of several.
     *
     * @param strategy the strategy's kind
     * @param setting what the compared strategies share: source, cluster, model and batch; equal for one comparison
     */
    public record Contest(String strategy, Object setting) {}

    /** Creates the outcome of a case that names no framework. */
    public CaseOutcome(
            Published published,
            Metric metric,
            double measured,
            @Nullable Double simulated,
            boolean fits,
            @Nullable Contest contest) {
        this(published, metric, measured, simulated, null, fits, contest);
    }

    /** Returns outcomes from framework and release alone, for cases that name them. */
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

    /** Returns simulated over measured, minus one; absent if nothing was simulated. */
    public @Nullable Double error() {
        return simulated == null ? null : simulated / measured - 1;
    }

    /** Returns the error with one sign for all speeds, see {@link Metric#bias}; absent if nothing was simulated. */
    public @Nullable Double bias() {
        return simulated == null ? null : metric.bias(measured, simulated);
    }
}

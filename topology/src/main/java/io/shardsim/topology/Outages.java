package io.shardsim.topology;

/**
 * Periodic outages of a link, each starting at a multiple of the period.
 *
 * @param everyPs period [ps]; 0 for a link that is never down
 * @param downPs time without transmission, less than the period [ps]
 */
public record Outages(long everyPs, long downPs) {
    /** No outages. */
    public static final Outages NONE = new Outages(0, 0);

    /** Returns the first instant from this one on at which the link is up [ps]. */
    public long up(long ps) {
        return everyPs == 0 ? ps : Math.max(ps, ps - ps % everyPs + downPs);
    }

    /** Returns when a transmission ends that starts while the link is up and takes {@code busyPs} of uptime [ps]. */
    public long after(long startPs, long busyPs) {
        if (everyPs == 0 || busyPs == 0) {
            return Math.addExact(startPs, busyPs);
        }
        long upPs = everyPs - downPs;
        long begunPs = startPs % everyPs - downPs;
        long periods = (begunPs + busyPs - 1) / upPs;
        return Math.addExact(startPs, Math.addExact(busyPs, Math.multiplyExact(periods, downPs)));
    }
}

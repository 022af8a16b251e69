package io.shardsim.reports;

import io.shardsim.simulator.collective.CollectiveKind;

/**
 * Speed of a bare collective as in nccl-tests (PERFORMANCE.md there): algorithm bandwidth is the whole buffer over the time; bus bandwidth scales it
 * to the load of the busiest link, so that different rank counts compare.
 *
 * @param seconds time from the first rank's start to the last rank's end [s]
 */
public record BusBandwidth(double seconds, double algorithmBytesPerSecond, double busBytesPerSecond) {
    public static BusBandwidth of(CollectiveKind kind, long totalBytes, int ranks, double seconds) {
        double algorithm = seconds > 0 ? totalBytes / seconds : 0;
        return new BusBandwidth(seconds, algorithm, algorithm * kind.busFactor(ranks));
    }
}

package io.shardsim.reports;

import io.shardsim.simulator.collective.CollectiveKind;

/**
 * Speed of a bare collective as nccl-tests reports it (PERFORMANCE.md there): algorithm bandwidth is the whole buffer over the time, bus
 * bandwidth scales it by what the busiest link must carry, so that figures of different rank counts compare.
 *
 * @param seconds from the first rank's start to the last rank's end [s]
 */
public record BusBandwidth(double seconds, double algorithmBytesPerSecond, double busBytesPerSecond) {
    public static BusBandwidth of(CollectiveKind kind, long totalBytes, int ranks, double seconds) {
        double algorithm = seconds > 0 ? totalBytes / seconds : 0;
        return new BusBandwidth(seconds, algorithm, algorithm * kind.busFactor(ranks));
    }
}

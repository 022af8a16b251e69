package io.shardsim.topology;

import java.util.Map;
import java.util.TreeMap;

/**
 * Parts of a cluster that are slower or faster than nominal.
 *
 * @param slowGpuPerMille compute time on {@code Node[0].Gpu[0]} relative to the other GPUs, in thousandths
 * @param hostPerMille time to issue kernels, on every node, relative to usual, in thousandths
 */
public record Faults(NetworkFaults network, long slowGpuPerMille, long hostPerMille, Clocks clocks) {
    private static final long USUAL = 1000;

    /** Cluster without faults. */
    public static final Faults NONE = new Faults(NetworkFaults.NONE, USUAL, USUAL, Clocks.EVEN);

    public Faults {
        if (slowGpuPerMille < USUAL || hostPerMille < 1) {
            throw new IllegalArgumentException(
                    "slow GPU " + slowGpuPerMille + " < " + USUAL + " or host " + hostPerMille + " < 1 thousandths");
        }
    }

    /** Returns these faults with another network. */
    public Faults withNetwork(NetworkFaults other) {
        return new Faults(other, slowGpuPerMille, hostPerMille, clocks);
    }

    /** Returns these faults with another host speed. */
    public Faults withHost(long perMille) {
        return new Faults(network, slowGpuPerMille, perMille, clocks);
    }

    /** Returns compute time relative to full speed by rank, in thousandths; ranks not in the map run at full speed. */
    public Map<Integer, Long> durationPerMille(int ranks) {
        if (clocks.spread() == 0) {
            return slowGpuPerMille == USUAL ? Map.of() : Map.of(0, slowGpuPerMille);
        }
        Map<Integer, Long> perMille = new TreeMap<>();
        double[] durations = clocks.durations(ranks);
        for (int rank = 0; rank < ranks; rank++) {
            perMille.put(rank, StrictMath.round(durations[rank] * (rank == 0 ? slowGpuPerMille : USUAL)));
        }
        return perMille;
    }

    /** Scales a host time. */
    public long hostPs(long usualPs) {
        return hostPerMille == USUAL ? usualPs : Math.multiplyExact(usualPs, hostPerMille) / USUAL;
    }
}

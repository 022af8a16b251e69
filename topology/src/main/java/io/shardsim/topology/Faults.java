package io.shardsim.topology;

import java.util.Map;
import java.util.TreeMap;

/**
 * What of a cluster is slower, or faster, than its instances are.
 *
 * @param slowGpuPerMille time of work on {@code Node[0].Gpu[0]} over that on the other GPUs, in thousandths
 * @param hostPerMille time of the processes that issue kernels, on every node, over what is usual, in thousandths
 */
public record Faults(NetworkFaults network, long slowGpuPerMille, long hostPerMille, Clocks clocks) {
    private static final long USUAL = 1000;

    /** A cluster without faults. */
    public static final Faults NONE = new Faults(NetworkFaults.NONE, USUAL, USUAL, Clocks.EVEN);

    public Faults {
        if (slowGpuPerMille < USUAL || hostPerMille < 1) {
            throw new IllegalArgumentException(
                    "slow GPU " + slowGpuPerMille + " < " + USUAL + " or host " + hostPerMille + " < 1 thousandths");
        }
    }

    /** The same with another network. */
    public Faults withNetwork(NetworkFaults other) {
        return new Faults(other, slowGpuPerMille, hostPerMille, clocks);
    }

    /** The same with other hosts. */
    public Faults withHost(long perMille) {
        return new Faults(network, slowGpuPerMille, perMille, clocks);
    }

    /** By rank, time of work over time at full speed, in thousandths; ranks that are absent run at full speed. */
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

    /** A time of the host. */
    public long hostPs(long usualPs) {
        return hostPerMille == USUAL ? usualPs : Math.multiplyExact(usualPs, hostPerMille) / USUAL;
    }
}

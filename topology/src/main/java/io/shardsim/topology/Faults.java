package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What of a cluster is slower, or faster, than its instances are.
 *
 * @param slowNicRate effective rate of {@code Node[0].Nic[0]} and of its link, both ways; null where all NICs are alike
 * @param slowGpuPerMille time of work on {@code Node[0].Gpu[0]} over that on the other GPUs, in thousandths
 * @param hostPerMille time of the processes that issue kernels, on every node, over what is usual, in thousandths
 */
public record Faults(@Nullable Bandwidth slowNicRate, long slowGpuPerMille, long hostPerMille) {
    private static final long USUAL = 1000;

    /** A cluster without faults. */
    public static final Faults NONE = new Faults(null, USUAL, USUAL);

    public Faults {
        if (slowGpuPerMille < USUAL || hostPerMille < 1) {
            throw new IllegalArgumentException(
                    "slow GPU " + slowGpuPerMille + " < " + USUAL + " or host " + hostPerMille + " < 1 thousandths");
        }
    }

    /** The same with another NIC. */
    public Faults withSlowNic(@Nullable Bandwidth rate) {
        return new Faults(rate, slowGpuPerMille, hostPerMille);
    }

    /** The same with other hosts. */
    public Faults withHost(long perMille) {
        return new Faults(slowNicRate, slowGpuPerMille, perMille);
    }

    /** By rank, time of work over time at full speed, in thousandths; ranks that are absent run at full speed. */
    public Map<Integer, Long> durationPerMille() {
        return slowGpuPerMille == USUAL ? Map.of() : Map.of(0, slowGpuPerMille);
    }

    /** A time of the host. */
    public long hostPs(long usualPs) {
        return hostPerMille == USUAL ? usualPs : Math.multiplyExact(usualPs, hostPerMille) / USUAL;
    }
}

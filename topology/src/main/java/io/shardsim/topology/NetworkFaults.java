package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a cluster's network that are slower than nominal.
 *
 * @param slowNicRate effective rate of {@code Node[0].Nic[0]} and its link in each direction; null if all NICs are alike
 * @param lostNic whether {@code Node[0].Nic[0]} is dead, so that the node's next NIC also carries its traffic
 * @param neighbourShare share of the rate between the leaf of {@code Node[0]} and the spine that other jobs use, in each direction
 * @param links other faults of links
 */
public record NetworkFaults(
        @Nullable Bandwidth slowNicRate, boolean lostNic, double neighbourShare, List<LinkFault> links) {
    /** Network without faults. */
    public static final NetworkFaults NONE = new NetworkFaults(null, false, 0, List.of());

    /** Returns whether only the first node has faults. */
    boolean isOfOneNode() {
        return slowNicRate != null
                || lostNic
                || neighbourShare > 0
                || !links.stream().allMatch(LinkFault::everywhere);
    }

    /** Returns the NIC that carries the traffic of a node's NIC. */
    int carrier(int nodeRank, int nic) {
        return lostNic && nodeRank == 0 && nic == 0 ? 1 : nic;
    }

    /** Returns the outages of the cable of {@code Node[0].Nic[0]}. */
    public Outages outages() {
        return links.stream()
                .map(fault -> fault instanceof LinkFault.Flapping flaps ? flaps.outages() : Outages.NONE)
                .max(Comparator.comparing(Outages::everyPs))
                .orElse(Outages.NONE);
    }

    /** Returns these faults without outages. */
    public NetworkFaults withoutOutages() {
        return new NetworkFaults(
                slowNicRate,
                lostNic,
                neighbourShare,
                links.stream()
                        .filter(fault -> !(fault instanceof LinkFault.Flapping))
                        .toList());
    }

    /** Returns these faults with another rate of the slow NIC. */
    public NetworkFaults withSlowNic(Bandwidth rate) {
        return new NetworkFaults(rate, lostNic, neighbourShare, links);
    }
}

package io.shardsim.topology;

import io.shardsim.topology.units.Bandwidth;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of a cluster's network is slower than its instances say.
 *
 * @param slowNicRate effective rate of {@code Node[0].Nic[0]} and of its link, both ways; null where all NICs are alike
 * @param lostNic whether {@code Node[0].Nic[0]} carries nothing, so that the node's next NIC carries its traffic, too
 * @param neighbourShare share of the rate between the leaf of {@code Node[0]} and the spine that others take, both ways
 * @param links what else is wrong with links
 */
public record NetworkFaults(
        @Nullable Bandwidth slowNicRate, boolean lostNic, double neighbourShare, List<LinkFault> links) {
    /** A network without faults. */
    public static final NetworkFaults NONE = new NetworkFaults(null, false, 0, List.of());

    /** Whether the first node differs from the others. */
    boolean isOfOneNode() {
        return slowNicRate != null
                || lostNic
                || neighbourShare > 0
                || !links.stream().allMatch(LinkFault::everywhere);
    }

    /** The NIC that carries what a NIC of a node would. */
    int carrier(int nodeRank, int nic) {
        return lostNic && nodeRank == 0 && nic == 0 ? 1 : nic;
    }

    /** When the cable of {@code Node[0].Nic[0]} is down. */
    public Outages outages() {
        return links.stream()
                .map(fault -> fault instanceof LinkFault.Flapping flaps ? flaps.outages() : Outages.NONE)
                .max(Comparator.comparing(Outages::everyPs))
                .orElse(Outages.NONE);
    }

    /** The same without outages. */
    public NetworkFaults withoutOutages() {
        return new NetworkFaults(
                slowNicRate,
                lostNic,
                neighbourShare,
                links.stream()
                        .filter(fault -> !(fault instanceof LinkFault.Flapping))
                        .toList());
    }

    /** The same with another rate of the slow NIC. */
    public NetworkFaults withSlowNic(Bandwidth rate) {
        return new NetworkFaults(rate, lostNic, neighbourShare, links);
    }
}

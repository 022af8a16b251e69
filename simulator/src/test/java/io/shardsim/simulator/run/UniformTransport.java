package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.CollectiveAlgorithm;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.CollectiveRequest;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;

/** One transport for everything, and the first suitable algorithm: enough for tests against theory. */
record UniformTransport(Transport transport, List<CollectiveAlgorithm> algorithms) implements TransportModel {

    /** Returns thread blocks that take no time of their own, with chunks as large as their shard. */
    static Transport ideal(int channels) {
        Bandwidth unbounded = new Bandwidth(Long.MAX_VALUE);
        return new Transport(
                "ideal", channels, 1L << 40, 1, new Transport.Delays(1, 0, 0), Transport.Rates.all(unbounded), 1, 1);
    }

    @Override
    public Choice choose(CollectiveKind kind, String algorithm, long totalBytes, int[] members, Cluster cluster) {
        return algorithms.stream()
                .filter(a -> a.name().equals(algorithm)
                        && a.supports(new CollectiveRequest(kind, totalBytes, members, cluster, transport)))
                .findFirst()
                .map(a -> new Choice(a, transport))
                .orElseThrow();
    }
}

package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.simulator.protocol.Stop;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Hop;
import io.shardsim.topology.Link;
import io.shardsim.topology.Route;
import io.shardsim.topology.Router;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The paths that chunks of a run take, numbered in the order in which they are made. */
final class Paths {
    private final Cluster cluster;
    private final Router router;
    private final Placement placement;
    private final Devices devices;
    /** By their ids. */
    private final List<Path> paths = new ArrayList<>();
    /** By path id, for paths between GPUs; those to host memory come behind them. */
    private final List<Origin> origins = new ArrayList<>();
    /** By device and port. */
    private final Map<Long, Stop> stops = new HashMap<>();
    /** Least time from a message at a NIC to the uplink of its node, over all paths that leave a node [ps]. */
    private long outboundPsMin = Long.MAX_VALUE;

    /** Which edge of which collective a path carries. */
    record Origin(int rank, int collectiveClass, int channel, int sendSlot) {}

    Paths(Cluster cluster, Router router, Placement placement, Devices devices) {
        this.cluster = cluster;
        this.router = router;
        this.placement = placement;
        this.devices = devices;
    }

    /** One path for each send slot of a rank's program on one channel of a collective. */
    Path[] ofChannel(int rank, int collectiveClass, int channel, ChannelProgram program, Transport transport) {
        Path[] result = new Path[program.sendPeers().length];
        for (int slot = 0; slot < result.length; slot++) {
            origins.add(new Origin(rank, collectiveClass, channel, slot));
            int peer = program.sendPeers()[slot];
            boolean inside = cluster.isJoined(rank, peer);
            Route route = router.route(rank, peer, program.sendNics()[slot]);
            result[slot] =
                    along(route, cluster.localRank(peer), inside ? transport.intraStepPs() : transport.interStepPs());
            if (result[slot].outboundHop() != Path.NONE) {
                long bytes = transport.wireBytes(program.leastSliceBytes(slot));
                outboundPsMin = Math.min(outboundPsMin, outboundPs(route, result[slot].outboundHop(), bytes));
            }
        }
        return result;
    }

    /**
     * Least time between a chunk's last bit arriving at a NIC and at the uplink. The first bit arrived no more than the longest serialization on the way
     * before the last one, and the NIC needs its own serialization from then on.
     */
    private static long outboundPs(Route route, int outboundHop, long bytes) {
        Link wire = route.hops().get(outboundHop - 1).link();
        long spreadPs = 0;
        for (Hop hop : route.hops().subList(0, outboundHop - 1)) {
            spreadPs = Math.max(spreadPs, hop.link().serializationPs(bytes));
        }
        return wire.latencyPs() + Math.max(0, wire.serializationPs(bytes) - spreadPs);
    }

    /** The path along a route. */
    Path along(Route route, int destinationLocalRank, long arrivalPs) {
        int hops = route.hops().size();
        Stop[] stopsOfPath = new Stop[hops + 1];
        int outboundHop = Path.NONE;
        for (int i = 0; i < hops; i++) {
            Hop hop = route.hops().get(i);
            stopsOfPath[i] = stop(hop.deviceId(), hop.port());
            if (router.isOutbound(stopsOfPath[i].nodeSlot(), hop.port())) {
                outboundHop = i;
            }
        }
        stopsOfPath[hops] = stop(route.destinationId(), Router.NO_PORT);
        Path path = new Path(paths.size(), stopsOfPath, destinationLocalRank, outboundHop, arrivalPs);
        paths.add(path);
        return path;
    }

    private Stop stop(int deviceId, int port) {
        int id = placement.simulated(deviceId);
        return stops.computeIfAbsent(
                (long) id << Integer.SIZE | port & 0xffffffffL,
                key -> new Stop(id, id % cluster.devicesPerNode(), port, devices.actor(id)));
    }

    Path[] all() {
        return paths.toArray(Path[]::new);
    }

    /** Whether a path leads from GPU to GPU. */
    boolean isBetweenGpus(int pathId) {
        return pathId < origins.size();
    }

    /** Where a path between GPUs comes from. */
    Origin origin(int pathId) {
        return origins.get(pathId);
    }

    /** Least time from a message at a NIC to the uplink of its node; 0 when no path leaves a node [ps]. */
    long outboundPsMin() {
        return outboundPsMin == Long.MAX_VALUE ? 0 : outboundPsMin;
    }
}

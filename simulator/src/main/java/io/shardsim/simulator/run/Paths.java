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

/** Paths of a run's chunks, numbered in order of creation. */
final class Paths {
    private final Cluster cluster;
    private final Router router;
    private final Placement placement;
    private final Devices devices;
    /** Paths by ID. */
    private final List<Path> paths = new ArrayList<>();
    /** Origins by path ID, for paths between GPUs; paths to host memory come after them. */
    private final List<Origin> origins = new ArrayList<>();
    /** Stops by device and port. */
    private final Map<Long, Stop> stops = new HashMap<>();
    /** Minimum time from a message at a NIC to its node's uplink, over all paths that leave a node [ps]. */
    private long outboundPsMin = Long.MAX_VALUE;

    /** Collective and edge of a path. */
    record Origin(int rank, int collectiveClass, int channel, int sendSlot) {}

    Paths(Cluster cluster, Router router, Placement placement, Devices devices) {
        this.cluster = cluster;
        this.router = router;
        this.placement = placement;
        this.devices = devices;
    }

    /** Creates one path per send slot of a rank's program on one channel of a collective. */
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
     * Returns the minimum time from a chunk's last bit at a NIC to the uplink. The first bit arrived at most the longest upstream serialization
     * before the last one, and the NIC then needs its own serialization.
     */
    private static long outboundPs(Route route, int outboundHop, long bytes) {
        Link wire = route.hops().get(outboundHop - 1).link();
        long spreadPs = 0;
        for (Hop hop : route.hops().subList(0, outboundHop - 1)) {
            spreadPs = Math.max(spreadPs, hop.link().serializationPs(bytes));
        }
        return wire.latencyPs() + Math.max(0, wire.serializationPs(bytes) - spreadPs);
    }

    /** Creates the path of a route. */
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

    /** Returns whether a path leads from GPU to GPU. */
    boolean isBetweenGpus(int pathId) {
        return pathId < origins.size();
    }

    /** Returns the origin of a path between GPUs. */
    Origin origin(int pathId) {
        return origins.get(pathId);
    }

    /** Returns the minimum time from a message at a NIC to its node's uplink; 0 if no path leaves a node [ps]. */
    long outboundPsMin() {
        return outboundPsMin == Long.MAX_VALUE ? 0 : outboundPsMin;
    }
}

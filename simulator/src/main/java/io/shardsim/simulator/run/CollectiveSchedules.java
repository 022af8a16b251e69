package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.CollectiveRequest;
import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.topology.Cluster;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;

/** Programs of every collective class of a plan, created on demand; the library's choice is queried once per group shape. */
final class CollectiveSchedules {
    /** Cluster with each NVLink domain as one node. */
    private final Cluster cluster;

    private final TransportModel transports;
    private final Map<GroupOfClass, Scheduled> schedules = new HashMap<>();

    private record GroupOfClass(Operation.Collective collective, int firstRank) {}

    /** Collective over one group, with its algorithm. */
    record Scheduled(CollectiveRequest request, TransportModel.Choice choice, int channels) {
        /** @throws CancellationException if the thread was interrupted: there are as many programs as ranks and channels */
        ChannelProgram program(int member, int channel) {
            if (Thread.currentThread().isInterrupted()) {
                throw new CancellationException("interrupted while planning");
            }
            return choice.algorithm().program(request, member, channel);
        }
    }

    CollectiveSchedules(Cluster cluster, TransportModel transports) {
        this.cluster = cluster.byDomain();
        this.transports = transports;
    }

    /** Returns the schedule of a collective for the group that holds a rank. */
    Scheduled schedule(Operation.Collective collective, int rank) {
        return schedules.computeIfAbsent(
                new GroupOfClass(collective, collective.groups().firstOf(rank)), this::make);
    }

    private Scheduled make(GroupOfClass key) {
        Operation.Collective collective = key.collective();
        int[] members = collective.groups().membersOf(key.firstRank());
        TransportModel.Choice choice =
                transports.choose(collective.kind(), collective.algorithm(), collective.totalBytes(), members, cluster);
        if (mayShareAChannel(collective, members)) {
            choice = new TransportModel.Choice(
                    choice.algorithm(), choice.transport().asOneChannel());
        }
        CollectiveRequest request =
                new CollectiveRequest(collective.kind(), collective.totalBytes(), members, cluster, choice.transport());
        int channels = choice.algorithm().channels(request);
        return new Scheduled(request, choice, channels);
    }

    /**
     * Returns whether this is a blocking collective inside a node, several times per layer: simulated channel by channel, it would cause most of a
     * run's events.
     */
    private boolean mayShareAChannel(Operation.Collective collective, int[] members) {
        return collective.stream().holdsUpCompute()
                && cluster.nodeRank(members[0]) == cluster.nodeRank(members[members.length - 1]);
    }
}

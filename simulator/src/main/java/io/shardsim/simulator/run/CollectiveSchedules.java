package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.CollectiveRequest;
import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.topology.Cluster;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;

/**
 * The programs of every collective class of a plan, made when they are asked for; the library's choice is asked once per group shape.
 */
final class CollectiveSchedules {
    /** What NVLink joins as one node. */
    private final Cluster cluster;

    private final TransportModel transports;
    private final Map<GroupOfClass, Scheduled> schedules = new HashMap<>();

    private record GroupOfClass(Operation.Collective collective, int firstRank) {}

    /** A collective over one group, with the algorithm that carries it. */
    record Scheduled(CollectiveRequest request, TransportModel.Choice choice, int channels) {
        /** @throws CancellationException when the thread was interrupted: there are as many programs as ranks and channels */
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

    /** The schedule of a collective for the group that holds a rank. */
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

    /** True for what compute waits for inside a node, several times a layer: it would cost most of a run's events channel by channel. */
    private boolean mayShareAChannel(Operation.Collective collective, int[] members) {
        return collective.stream().holdsUpCompute()
                && cluster.nodeRank(members[0]) == cluster.nodeRank(members[members.length - 1]);
    }
}

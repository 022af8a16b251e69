package io.shardsim.simulator.run;

import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.LinkClass;
import io.shardsim.topology.Route;

/** What an observer may ask about a run while it goes on. Nodes that are left out count as the nodes that stand for them. */
public interface RunView {
    Cluster cluster();

    StepPlan stepPlan();

    /** Name of the algorithm that carries a collective, the library's choice included, in the group of least ranks. */
    String algorithm(Operation.Collective collective);

    /** The node that is simulated in place of a node. */
    int representative(int node);

    /** Class of the link that a port of a simulated device leads to. */
    LinkClass link(int deviceId, int port);

    /** Bytes that all NICs have been given to send until now. */
    long nicBytesSent();

    /** Time that the compute streams of all ranks have waited for collectives until now, added up [ps]. */
    long exposedPs();

    /** For each link class, the time that its transmitters have been or will be held by what is booked until now, added up [ps]. */
    long[] busyPs();

    /** Whether a path leads from GPU to GPU, as those of collectives do. */
    boolean isBetweenGpus(int pathId);

    /** Global rank of the simulated GPU that a path begins at. */
    int sourceRank(int pathId);

    /**
     * The way that chunks of a path really take in the copy of a simulated node.
     *
     * @param pathId as {@link io.shardsim.simulator.protocol.Path#id} names it
     * @param node a node that the path's source node stands for, or that node itself
     */
    Route route(int pathId, int node);
}

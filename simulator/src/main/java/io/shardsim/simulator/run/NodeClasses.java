package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.device.RankPlan;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;

/**
 * Nodes that provably do the same at the same time, found by colour refinement.
 *
 * <p>Nodes start with one colour for each speed and pipeline stage of their ranks. Two nodes keep the same colour while, for each local rank, collective and
 * channel, their programs are equal and lead over the same slots and NICs to local ranks of nodes with the same colour. Refinement ends with a partition in
 * which this holds for all nodes of a colour: every device of the cluster has the same specification, initial state and neighbours as the
 * corresponding device of its colour's first node, so by induction over events it receives the same messages at the same instants [1].
 * Simulating one node per colour, with its messages led to the first nodes of the receivers' colours, is therefore exact.
 *
 * <p>Ports that several nodes share (leaf switches with more than one node) would break the argument; then every node is its own class.
 *
 * <p>[1] Boldi and Vigna, Fibrations of graphs, Discrete Mathematics 243 (2002), section 5.
 */
final class NodeClasses {
    private final int[] representative;

    private NodeClasses(int[] representative) {
        this.representative = representative;
    }

    /** Every node by itself. */
    static NodeClasses separate(Cluster cluster) {
        int[] self = new int[cluster.nodes()];
        for (int node = 0; node < self.length; node++) {
            self[node] = node;
        }
        return new NodeClasses(self);
    }

    static NodeClasses of(
            Cluster cluster,
            IntFunction<RankPlan> planOf,
            CollectiveSchedules schedules,
            Map<Integer, Long> durationPerMille) {
        if (cluster.instance().fabric().nodesPerLeaf() > 1) {
            return separate(cluster);
        }
        int[] colour = new int[cluster.nodes()];
        int colours = 0;
        Map<Object, Integer> names = new HashMap<>();
        for (int node = 0; node < colour.length; node++) {
            List<Object> ranks = new ArrayList<>();
            ranks.add(cluster.isOdd(node));
            for (int local = 0; local < cluster.gpusPerNode(); local++) {
                int rank = cluster.rank(node, local);
                ranks.add(durationPerMille.getOrDefault(rank, 1000L));
                ranks.add(planOf.apply(rank));
            }
            colour[node] = names.computeIfAbsent(ranks, key -> names.size());
        }
        Map<List<Primitive>, Integer> lists = new HashMap<>();
        IdentityHashMap<List<Primitive>, Integer> known = new IdentityHashMap<>();
        ToIntFunction<List<Primitive>> numberOf =
                list -> known.computeIfAbsent(list, same -> lists.computeIfAbsent(same, equal -> lists.size()));
        while (names.size() > colours) {
            colours = names.size();
            names.clear();
            int[] refined = new int[colour.length];
            for (int node = 0; node < colour.length; node++) {
                Object signature = signature(node, colour, cluster, planOf, schedules, numberOf);
                refined[node] = names.computeIfAbsent(signature, key -> names.size());
            }
            colour = refined;
        }
        return new NodeClasses(firstOfColour(colour));
    }

    private static int[] firstOfColour(int[] colour) {
        Map<Integer, Integer> first = new HashMap<>();
        int[] representative = new int[colour.length];
        for (int node = 0; node < colour.length; node++) {
            first.putIfAbsent(colour[node], node);
            representative[node] = first.get(colour[node]);
        }
        return representative;
    }

    /**
     * What a node does and with whom, as far as colours tell.
     *
     * @param numberOf equal for equal lists; thousands of programs share a few
     */
    private static Object signature(
            int node,
            int[] colour,
            Cluster cluster,
            IntFunction<RankPlan> planOf,
            CollectiveSchedules schedules,
            ToIntFunction<List<Primitive>> numberOf) {
        List<Object> parts = new ArrayList<>();
        parts.add(colour[node]);
        for (int local = 0; local < cluster.gpusPerNode(); local++) {
            int rank = cluster.rank(node, local);
            RankPlan plan = planOf.apply(rank);
            for (int i = 0; i < plan.collectives().size(); i++) {
                if (!plan.runsCollective(i)) {
                    continue;
                }
                Operation.Collective collective = plan.collectives().get(i);
                CollectiveSchedules.Scheduled scheduled = schedules.schedule(collective, rank);
                int member = collective.groups().memberIndex(rank);
                parts.add(scheduled.choice().transport());
                for (int channel = 0; channel < scheduled.channels(); channel++) {
                    ChannelProgram program = scheduled.program(member, channel);
                    parts.add(numberOf.applyAsInt(program.primitives()));
                    addPeers(parts, program.receivePeers(), node, colour, cluster);
                    addPeers(parts, program.sendPeers(), node, colour, cluster);
                    for (int slot = 0; slot < program.sendPeers().length; slot++) {
                        parts.add(pair(program.sendPeerSlots()[slot], program.sendNics()[slot]));
                    }
                }
            }
        }
        return parts;
    }

    private static void addPeers(List<Object> parts, int[] peers, int node, int[] colour, Cluster cluster) {
        parts.add(peers.length);
        for (int peer : peers) {
            int peerNode = cluster.nodeRank(peer);
            int placed = peerNode == node ? -1 : colour[peerNode];
            parts.add(pair(cluster.localRank(peer), placed));
        }
    }

    /** Two numbers as one; either may be negative. */
    private static long pair(int first, int second) {
        return (long) first << 32 | second & 0xffffffffL;
    }

    /** The node that is simulated in place of a node: the first one of its class. */
    int representative(int node) {
        return representative[node];
    }

    boolean isSimulated(int node) {
        return representative[node] == node;
    }
}

package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.device.RankPlan;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Router;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Nodes that provably behave identically, found by colour refinement.
 *
 * <p>Nodes start with one colour for each speed and pipeline stage of their ranks. Two nodes keep the same colour while, for each local rank,
 * collective and channel, their programs are equal and use the same slots, NICs and distance to local ranks of nodes with the same colour. Refinement
 * ends with a partition in which this holds for all nodes of a colour: every device of the cluster has the same specification, initial state and
 * neighbours as the corresponding device of its colour's first node, so by induction over events it receives the same messages at the same instants
 * [1]. Simulating one node per colour, with its messages redirected to the first nodes of the receivers' colours, is therefore exact.
 *
 * <p>Fabric ports shared by several nodes would break the argument; then every node is its own class.
 *
 * <p>[1] Boldi and Vigna, Fibrations of graphs, Discrete Mathematics 243 (2002), section 5.
 */
final class NodeClasses {
    private final int[] representative;

    private NodeClasses(int[] representative) {
        this.representative = representative;
    }

    /** Returns classes of one node each. */
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
        Router router = new Router(cluster);
        if (router.sharesPorts()) {
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
        Wired[] wired = wired(router, planOf, schedules);
        while (names.size() > colours) {
            colours = names.size();
            names.clear();
            int[] refined = new int[colour.length];
            for (int node = 0; node < colour.length; node++) {
                refined[node] = names.computeIfAbsent(wired[node].coloured(colour[node], colour), key -> names.size());
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
     * Programs and peers of a node, independent of colours: queried once, not in every round.
     *
     * @param kind equal for nodes whose programs and slots are equal
     * @param peerNodes nodes of its peers, in the order of the programs, other than itself
     */
    private record Wired(int kind, int[] peerNodes) {
        /** Returns a key that is equal for nodes of a colour and kind whose peers have the same colours. */
        IntBuffer coloured(int own, int[] colour) {
            int[] parts = new int[2 + peerNodes.length];
            parts[0] = own;
            parts[1] = kind;
            for (int i = 0; i < peerNodes.length; i++) {
                parts[2 + i] = colour[peerNodes[i]];
            }
            return IntBuffer.wrap(parts);
        }
    }

    private static Wired[] wired(Router router, IntFunction<RankPlan> planOf, CollectiveSchedules schedules) {
        Cluster cluster = router.cluster();
        Map<List<Primitive>, Integer> lists = new HashMap<>();
        IdentityHashMap<List<Primitive>, Integer> known = new IdentityHashMap<>();
        // Thousands of programs share a few lists.
        ToIntFunction<List<Primitive>> numberOf =
                list -> known.computeIfAbsent(list, same -> lists.computeIfAbsent(same, equal -> lists.size()));
        Map<Transport, Integer> transports = new HashMap<>();
        Map<LongBuffer, Integer> kinds = new HashMap<>();
        Wired[] wired = new Wired[cluster.nodes()];
        for (int node = 0; node < wired.length; node++) {
            Wires wires = new Wires(router, node);
            for (int local = 0; local < cluster.gpusPerNode(); local++) {
                int rank = cluster.rank(node, local);
                RankPlan plan = planOf.apply(rank);
                for (int i = 0; i < plan.collectives().size(); i++) {
                    if (plan.runsCollective(i)) {
                        Operation.Collective collective = plan.collectives().get(i);
                        CollectiveSchedules.Scheduled scheduled = schedules.schedule(collective, rank);
                        wires.add(transports.computeIfAbsent(scheduled.choice().transport(), key -> transports.size()));
                        wires.add(scheduled, collective.groups().memberIndex(rank), numberOf);
                    }
                }
            }
            int kind = kinds.computeIfAbsent(wires.kind(), key -> kinds.size());
            wired[node] = new Wired(kind, wires.peerNodes());
        }
        return wired;
    }

    /** Collector of a node's programs and peers. */
    private static final class Wires {
        private final Router router;
        private final Cluster cluster;
        private final int node;
        private final LongStream.Builder parts = LongStream.builder();
        private final IntStream.Builder peerNodes = IntStream.builder();

        Wires(Router router, int node) {
            this.router = router;
            cluster = router.cluster();
            this.node = node;
        }

        void add(int part) {
            parts.add(part);
        }

        void add(CollectiveSchedules.Scheduled scheduled, int member, ToIntFunction<List<Primitive>> numberOf) {
            for (int channel = 0; channel < scheduled.channels(); channel++) {
                ChannelProgram program = scheduled.program(member, channel);
                parts.add(numberOf.applyAsInt(program.primitives()));
                addPeers(program.receivePeers());
                addPeers(program.sendPeers());
                for (int slot = 0; slot < program.sendPeers().length; slot++) {
                    parts.add(pair(
                            program.sendPeerSlots()[slot],
                            program.sendNics()[slot] % cluster.instance().nicsPerNode()));
                }
            }
        }

        private void addPeers(int[] peers) {
            parts.add(peers.length);
            for (int peer : peers) {
                int peerNode = cluster.nodeRank(peer);
                parts.add(pair(cluster.localRank(peer), router.distance(node, peerNode)));
                if (peerNode != node) {
                    peerNodes.add(peerNode);
                }
            }
        }

        LongBuffer kind() {
            return LongBuffer.wrap(parts.build().toArray());
        }

        int[] peerNodes() {
            return peerNodes.build().toArray();
        }
    }

    /** Packs two numbers into one; either may be negative. */
    private static long pair(int first, int second) {
        return (long) first << 32 | second & 0xffffffffL;
    }

    /** Returns the node simulated for a node: the first one of its class. */
    int representative(int node) {
        return representative[node];
    }

    boolean isSimulated(int node) {
        return representative[node] == node;
    }
}

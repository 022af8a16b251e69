package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.InOrderInterpreter.DataFlow;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Meaning of the slices of a hierarchical collective, derived from their order. In a gather, a member sends around its node its own chunk and then
 * those received from the previous nodes, chunk by chunk. In a reduce-scatter, it sums inside its node first for the previous node, then for the one
 * before that, and last for its own.
 */
final class HierarchicalDataFlow implements DataFlow {
    private final CollectiveRequest request;
    private final int nodes;
    private final int local;
    private final Map<String, State> states = new HashMap<>();

    HierarchicalDataFlow(CollectiveRequest request) {
        this.request = request;
        GroupPlacement placement = request.placement();
        nodes = placement.nodes();
        local = placement.membersOn(0);
    }

    private static final class State {
        /** Slices of the chunks before the one on the network. */
        int partsToNode;

        int chunksToLocal;
        /** Slices of the chunks before the one inside the node. */
        int partsToLocal;
        /** Sums inside the node for a reduce-scatter, by shard and part. */
        final Map<String, Contributions> sums = new HashMap<>();

        final Set<Contributions> held = new HashSet<>();
    }

    private State state(int member, int channel) {
        return states.computeIfAbsent(member + "/" + channel, key -> new State());
    }

    @Override
    public Object send(int member, int channel, Primitive primitive, int slice) {
        State state = state(member, channel);
        boolean last = slice == primitive.slices() - 1;
        if (primitive.sendSlot() == HierarchicalAlgorithm.TO_NEXT_NODE) {
            int part = state.partsToNode + slice;
            state.partsToNode += last ? primitive.slices() : 0;
            return toNode(member, state, part);
        }
        int part = state.partsToLocal + slice;
        int step = state.chunksToLocal % nodes;
        state.chunksToLocal += last ? 1 : 0;
        state.partsToLocal += last && step == nodes - 1 ? primitive.slices() : 0;
        return toLocal(member, state, step, part);
    }

    /** Returns the shard sent over the network: a gather sends its own, a reduce-scatter its node's sum for the previous node. */
    private Contributions toNode(int member, State state, int part) {
        if (request.kind().reduces()) {
            return sumFor(state, memberBefore(member, 1), part);
        }
        Contributions own = Contributions.of(member, part, member);
        hold(member, state, own);
        return own;
    }

    /**
     * Returns the shard sent around the node: in a gather its own, then that of the previous node and so on; in a reduce-scatter the sums for the
     * previous local member, on each node in turn, its own node last.
     */
    private Contributions toLocal(int member, State state, int step, int part) {
        if (request.kind().reduces()) {
            int previousLocal = member / local * local + (member + local - 1) % local;
            return Contributions.of(memberBefore(previousLocal, step + 1), part, member);
        }
        int shard = memberBefore(member, step);
        Contributions data = Contributions.of(shard, part, shard);
        assertThat(step == 0 || state.held.contains(data), "passes on before it arrived: " + data);
        return data;
    }

    /** Returns the member at the same local position, a number of nodes before. */
    private int memberBefore(int member, int steps) {
        return (member + nodes * local - steps * local) % request.size();
    }

    private static Contributions sumFor(State state, int shard, int part) {
        Contributions sum = state.sums.get(shard + "/" + part);
        assertThat(sum != null, "no sum of the node for shard " + shard + ", part " + part);
        return sum;
    }

    @Override
    public Object receive(int member, int channel, Object received, Primitive primitive) {
        State state = state(member, channel);
        Contributions data = (Contributions) received;
        boolean overNetwork = primitive.receiveSlot() == HierarchicalAlgorithm.FROM_PREVIOUS_NODE;
        if (!request.kind().reduces()) {
            hold(member, state, data);
            return data;
        }
        assertThat(primitive.reduces(), "received without adding");
        data = overNetwork ? data.plusAll(sumFor(state, data.shard(), data.part())) : data.plus(member);
        if (primitive.sendSlot() == ChannelProgram.NONE) {
            if (overNetwork) {
                assertThat(data.members().cardinality() == request.size(), "ends with the partial sum " + data);
                hold(member, state, data);
            } else {
                assertThat(data.members().cardinality() == local, "partial sum of the node " + data);
                state.sums.put(data.shard() + "/" + data.part(), data);
            }
        }
        return data;
    }

    private static void hold(int member, State state, Contributions data) {
        assertThat(state.held.add(data), "member " + member + " gets twice " + data);
    }

    private static void assertThat(boolean holds, String problem) {
        if (!holds) {
            throw new AssertionError(problem);
        }
    }

    Set<Contributions> heldBy(int member, int channel) {
        return state(member, channel).held;
    }
}

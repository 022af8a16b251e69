package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.InOrderInterpreter.DataFlow;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Meaning of the slices of a ring collective, derived from their order as in NCCL's device code: a gather or broadcast sends its own data first, a
 * reduction first sends the shard of the previous member.
 */
final class RingDataFlow implements DataFlow {
    private final CollectiveAlgorithm algorithm;
    private final CollectiveRequest request;
    private final Map<String, Integer> sent = new HashMap<>();
    /** Finished data by member and channel. */
    private final Map<String, Set<Contributions>> held = new HashMap<>();

    RingDataFlow(CollectiveAlgorithm algorithm, CollectiveRequest request) {
        this.algorithm = algorithm;
        this.request = request;
    }

    @Override
    public Object send(int member, int channel, Primitive primitive, int slice) {
        int part = sent.merge(member + "/" + channel, 1, Integer::sum) - 1;
        int shard = member;
        if (request.kind().reduces()) {
            int previous = algorithm.program(request, member, channel).receivePeers()[0];
            shard = Arrays.binarySearch(request.members(), previous);
        }
        Contributions data = Contributions.of(shard, part, member);
        if (!request.kind().reduces()) {
            hold(member, channel, data);
        }
        return data;
    }

    @Override
    public Object receive(int member, int channel, Object received, Primitive primitive) {
        Contributions data = (Contributions) received;
        if (primitive.reduces()) {
            data = data.plus(member);
        }
        if (!request.kind().reduces() || data.members().cardinality() == request.size()) {
            hold(member, channel, data);
        } else if (primitive.sendSlot() == ChannelProgram.NONE) {
            throw new AssertionError("member " + member + " ends with the partial sum " + data);
        }
        return data;
    }

    private void hold(int member, int channel, Contributions data) {
        if (!held.computeIfAbsent(member + "/" + channel, key -> new HashSet<>())
                .add(data)) {
            throw new AssertionError("member " + member + " gets twice " + data);
        }
    }

    /** Returns the finished data of a member on a channel. */
    Set<Contributions> heldBy(int member, int channel) {
        return held.getOrDefault(member + "/" + channel, Set.of());
    }
}

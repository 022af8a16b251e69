package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.InOrderInterpreter.DataFlow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Meaning of the slices of a tree all-reduce: a leaf sends its own data; any other send without a receive forwards finished sums in order. */
final class TreeDataFlow implements DataFlow {
    private final CollectiveAlgorithm algorithm;
    private final CollectiveRequest request;
    private final Map<String, Integer> sent = new HashMap<>();
    private final Map<String, Contributions> partial = new HashMap<>();
    private final Map<String, List<Contributions>> finished = new HashMap<>();

    TreeDataFlow(CollectiveAlgorithm algorithm, CollectiveRequest request) {
        this.algorithm = algorithm;
        this.request = request;
    }

    @Override
    public Object send(int member, int channel, Primitive primitive, int slice) {
        int part = sent.merge(member + "/" + channel + "/" + primitive.sendSlot(), 1, Integer::sum) - 1;
        boolean leaf = algorithm.program(request, member, channel).primitives().stream()
                .noneMatch(Primitive::reduces);
        return leaf
                ? Contributions.of(0, part, member)
                : heldBy(member, channel).get(part);
    }

    @Override
    public Object receive(int member, int channel, Object received, Primitive primitive) {
        Contributions data = (Contributions) received;
        if (primitive.reduces()) {
            data = accumulated(member, channel, data);
            if (primitive.sendSlot() == ChannelProgram.NONE) {
                partial.put(key(member, channel, data), data);
                return data;
            }
            data = data.plus(member);
        }
        if (data.members().cardinality() == request.size()) {
            List<Contributions> held = heldBy(member, channel);
            if (data.part() != held.size()) {
                throw new AssertionError("part " + data.part() + " after " + held.size() + " parts");
            }
            held.add(data);
            if (primitive.sendSlot() != ChannelProgram.NONE) {
                sent.merge(member + "/" + channel + "/" + primitive.sendSlot(), 1, Integer::sum);
            }
        } else if (!primitive.reduces()) {
            throw new AssertionError("member " + member + " gets the partial sum " + data);
        }
        return data;
    }

    private Contributions accumulated(int member, int channel, Contributions data) {
        Contributions before = partial.remove(key(member, channel, data));
        return before == null ? data : before.plusAll(data);
    }

    private static String key(int member, int channel, Contributions data) {
        return member + "/" + channel + "/" + data.part();
    }

    List<Contributions> heldBy(int member, int channel) {
        return finished.computeIfAbsent(member + "/" + channel, key -> new ArrayList<>());
    }
}

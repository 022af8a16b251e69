package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.InOrderInterpreter.DataFlow;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Meaning of the slices of a batched hierarchical collective. Its stages do not overlap, so each is a stream of bytes: around the nodes, between
 * members at the same position, one per shard; around the node, one per local member, over the shards of all nodes. Counts the bytes of each finished
 * stream, and fails if a second stage starts before the first one has ended.
 */
final class BatchedHierarchicalDataFlow implements DataFlow {
    private final CollectiveAlgorithm algorithm;
    private final CollectiveRequest request;
    private final int nodes;
    private final int local;
    /** Bytes of finished data, by member, channel, stage and stream. */
    private final Map<String, Long> finished = new HashMap<>();

    BatchedHierarchicalDataFlow(CollectiveAlgorithm algorithm, CollectiveRequest request) {
        this.algorithm = algorithm;
        this.request = request;
        GroupPlacement placement = request.placement();
        nodes = placement.nodes();
        local = placement.membersOn(0);
    }

    /** Slice of a stream. */
    private record Slice(boolean overNetwork, int stream, long bytes, BitSet members) {}

    @Override
    public Object send(int member, int channel, Primitive primitive, int slice) {
        boolean overNetwork = primitive.sendSlot() == HierarchicalAlgorithm.TO_NEXT_NODE;
        boolean reduces = request.kind().reduces();
        if (overNetwork == reduces) {
            checkFirstStageEnded(member, channel, !overNetwork);
        }
        int stream = overNetwork ? member / local : member % local;
        int streams = overNetwork ? nodes : local;
        long bytes = slice == primitive.slices() - 1 ? primitive.lastSliceBytes() : primitive.sliceBytes();
        BitSet members = new BitSet();
        members.set(stream);
        return new Slice(overNetwork, reduces ? (stream + streams - 1) % streams : stream, bytes, members);
    }

    @Override
    public Object receive(int member, int channel, Object received, Primitive primitive) {
        Slice slice = (Slice) received;
        int own = slice.overNetwork() ? member / local : member % local;
        if (!request.kind().reduces()) {
            finish(member, channel, slice);
            return slice;
        }
        if (slice.members().get(own)) {
            throw new AssertionError("member " + member + " adds twice to " + slice);
        }
        BitSet members = (BitSet) slice.members().clone();
        members.set(own);
        Slice sum = new Slice(slice.overNetwork(), slice.stream(), slice.bytes(), members);
        if (primitive.sendSlot() == ChannelProgram.NONE) {
            if (sum.stream() != own || members.cardinality() != (slice.overNetwork() ? nodes : local)) {
                throw new AssertionError("member " + member + " ends with " + sum);
            }
            finish(member, channel, sum);
        }
        return sum;
    }

    private void finish(int member, int channel, Slice slice) {
        finished.merge(key(member, channel, slice.overNetwork(), slice.stream()), slice.bytes(), Long::sum);
    }

    private static String key(int member, int channel, boolean overNetwork, int stream) {
        return member + "/" + channel + "/" + overNetwork + "/" + stream;
    }

    private void checkFirstStageEnded(int member, int channel, boolean overNetwork) {
        int own = overNetwork ? member / local : member % local;
        for (int stream = 0; stream < (overNetwork ? nodes : local); stream++) {
            boolean expected = request.kind().reduces() == (stream == own);
            if (expected) {
                checkFinished(member, channel, overNetwork, stream);
            }
        }
    }

    private void checkFinished(int member, int channel, boolean overNetwork, int stream) {
        long part = Chunks.of(request.shardBytes(), algorithm.channels(request), channel, request.transport())
                .partBytes();
        long expected = overNetwork ? part : nodes * part;
        long bytes = finished.getOrDefault(key(member, channel, overNetwork, stream), 0L);
        if (bytes != expected) {
            throw new AssertionError("member " + member + ", channel " + channel + " has " + bytes + " bytes of stream "
                    + stream + (overNetwork ? " over the network" : " in the node") + " instead of " + expected);
        }
    }

    /** Fails unless both stages of every member have finished all streams. */
    void checkAllFinished() {
        for (int member = 0; member < request.size(); member++) {
            for (int channel = 0; channel < algorithm.channels(request); channel++) {
                checkFirstStageEnded(member, channel, true);
                checkFirstStageEnded(member, channel, false);
            }
        }
    }
}

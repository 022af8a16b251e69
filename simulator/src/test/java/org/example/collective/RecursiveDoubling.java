package org.example.collective;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.Chunks;
import io.shardsim.simulator.collective.CollectiveAlgorithm;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.CollectiveRequest;
import io.shardsim.simulator.collective.GroupPlacement;
import io.shardsim.simulator.collective.Rail;
import io.shardsim.simulator.collective.SharedPrimitives;
import java.util.List;
import java.util.stream.IntStream;

/** All-gather in log2 n exchanges: member i trades all that it has with member i ^ 2^k. */
public final class RecursiveDoubling implements CollectiveAlgorithm {
    private final SharedPrimitives shared = new SharedPrimitives();

    @Override
    public String name() {
        return "recursive-doubling";
    }

    @Override
    public boolean supports(CollectiveRequest request) {
        return request.kind() == CollectiveKind.ALL_GATHER && Integer.bitCount(request.size()) == 1;
    }

    @Override
    public int channels(CollectiveRequest request) {
        return Chunks.channels(request.shardBytes(), request.transport());
    }

    @Override
    public ChannelProgram program(CollectiveRequest request, int member, int channel) {
        int exchanges = Integer.numberOfTrailingZeros(request.size());
        GroupPlacement placement = request.placement();
        int[] slots = IntStream.range(0, exchanges).toArray();
        int[] peers = IntStream.of(slots)
                .map(slot -> request.members()[member ^ 1 << slot])
                .toArray();
        int[] nics = IntStream.of(slots)
                .map(slot -> placement.nodeOf(member) == placement.nodeOf(member ^ 1 << slot)
                        ? ChannelProgram.NONE
                        : Rail.ownNic(request, member, channel))
                .toArray();
        return new ChannelProgram(peers, peers, slots, nics, primitives(request, exchanges, channel));
    }

    private List<Primitive> primitives(CollectiveRequest request, int exchanges, int channel) {
        Chunks chunks = Chunks.of(request.shardBytes(), channels(request), channel, request.transport());
        return shared.get(request, chunks, 0, 0, primitives -> {
            for (int slot = 0; slot < exchanges; slot++) {
                for (int i = 0; i < chunks.count() << slot; i++) {
                    primitives.send(slot, chunks.bytes(i >> slot));
                    primitives.receive(slot, chunks.bytes(i >> slot));
                }
            }
        });
    }
}

package io.shardsim.simulator.collective;

/**
 * Common part of the direct collectives: every rank sends messages to other ranks by grouped sends and receives. In round r a rank sends to the rank
 * r places after it and receives from the rank r places before it, so each round sends every rank one message. Rounds are distributed over channels;
 * if there are more channels than rounds, several channels share a message. A channel sends the messages of up to {@value #ROUNDS_PER_BATCH} rounds
 * before it receives those of the same rounds, like a batch of NCCL, whose warps work on all of them at once (NCCL, src/device/sendrecv.h).
 *
 * <p>Leaves out NCCL's order of peers: a quadratic order of node offsets, and of local ranks within a node (src/init.cc, ncclP2pSchedule).
 */
abstract class DirectExchange extends SingleKindAlgorithm {
    /** NCCL_MAX_DEV_WORK_P2P_PER_BATCH, src/include/device.h. */
    private static final int ROUNDS_PER_BATCH = 8;

    DirectExchange(CollectiveKind kind) {
        super("direct", Pattern.DIRECT, kind);
    }

    /** Returns the number of ranks that each rank sends {@link #bytes} to. */
    int rounds(CollectiveRequest request) {
        return request.size() - 1;
    }

    @Override
    public int channels(CollectiveRequest request) {
        int rounds = rounds(request);
        return rounds <= request.transport().channels()
                ? rounds * channelsPerMessage(request)
                : request.transport().channels();
    }

    /** Returns the number of channels that share a message. */
    private int channelsPerMessage(CollectiveRequest request) {
        int usable = super.channels(request);
        return Math.max(1, Math.min(usable, request.transport().channels() / rounds(request)));
    }

    @Override
    public ChannelProgram program(CollectiveRequest request, int member, int channel) {
        int size = request.size();
        int rounds = rounds(request);
        int stride = Math.min(rounds, channels(request));
        int first = 1 + channel % stride;
        int slots = (rounds - first) / stride + 1;
        int[] sources = new int[slots];
        int[] targets = new int[slots];
        int[] targetSlots = new int[slots];
        int[] nics = new int[slots];
        for (int slot = 0; slot < slots; slot++) {
            int round = first + slot * stride;
            sources[slot] = request.members()[(member + size - round) % size];
            targets[slot] = request.members()[(member + round) % size];
            targetSlots[slot] = slot;
            nics[slot] = nic(request, member, (member + round) % size, channel);
        }
        Chunks message = Chunks.of(bytes(request), channelsPerMessage(request), channel / stride, request.transport());
        return new ChannelProgram(
                sources,
                targets,
                targetSlots,
                nics,
                shared.get(request, message, 0, slots, primitives -> exchange(primitives, slots, message)));
    }

    private static void exchange(PrimitiveList primitives, int slots, Chunks message) {
        for (int begin = 0; begin < slots; begin += ROUNDS_PER_BATCH) {
            int end = Math.min(slots, begin + ROUNDS_PER_BATCH);
            for (int i = 0; i < message.count(); i++) {
                for (int slot = begin; slot < end; slot++) {
                    primitives.send(slot, message.bytes(i));
                }
            }
            for (int i = 0; i < message.count(); i++) {
                for (int slot = begin; slot < end; slot++) {
                    primitives.receive(slot, message.bytes(i));
                }
            }
        }
    }

    private static int nic(CollectiveRequest request, int member, int target, int channel) {
        int[] members = request.members();
        boolean sameNode =
                request.cluster().nodeRank(members[member]) == request.cluster().nodeRank(members[target]);
        return sameNode ? ChannelProgram.NONE : Rail.ownNic(request, member, channel);
    }
}

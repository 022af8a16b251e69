package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Runs the programs of all members without time: a slice moves as soon as the program order allows. Each slice carries a symbol. Fails if a slice is
 * not what the receiver expects, if programs deadlock, or if a slice is left over.
 */
final class InOrderInterpreter {
    /** Meaning of a slice's data, defined by each collective. */
    interface DataFlow {
        /** Returns the local data that a send without a receive carries. */
        Object send(int member, int channel, Primitive primitive, int slice);

        /** Handles a received slice and returns what is forwarded, if anything. */
        Object receive(int member, int channel, Object data, Primitive primitive);
    }

    private record Slice(long bytes, Object data) {}

    private final CollectiveRequest request;
    private final DataFlow dataFlow;
    private final int channel;
    private final List<Runner> runners = new ArrayList<>();

    private InOrderInterpreter(
            CollectiveAlgorithm algorithm, CollectiveRequest request, int channel, DataFlow dataFlow) {
        this.request = request;
        this.channel = channel;
        this.dataFlow = dataFlow;
        for (int member = 0; member < request.size(); member++) {
            runners.add(new Runner(member, algorithm.program(request, member, channel)));
        }
    }

    static void run(CollectiveAlgorithm algorithm, CollectiveRequest request, DataFlow dataFlow) {
        for (int channel = 0; channel < algorithm.channels(request); channel++) {
            new InOrderInterpreter(algorithm, request, channel, dataFlow).run();
        }
    }

    private void run() {
        boolean progress = true;
        while (progress) {
            progress = false;
            for (Runner runner : runners) {
                progress |= runner.runUntilBlocked();
            }
        }
        for (Runner runner : runners) {
            runner.checkComplete();
        }
    }

    private Runner runnerOf(int rank) {
        for (Runner runner : runners) {
            if (request.members()[runner.member] == rank) {
                return runner;
            }
        }
        throw new AssertionError("rank " + rank + " is not in the group");
    }

    private final class Runner {
        private final int member;
        private final ChannelProgram program;
        private final List<Queue<Slice>> arrived = new ArrayList<>();
        private int index;
        private int repeated;
        private int slice;

        Runner(int member, ChannelProgram program) {
            this.member = member;
            this.program = program;
            for (int ignored : program.receivePeers()) {
                arrived.add(new ArrayDeque<>());
            }
        }

        boolean runUntilBlocked() {
            boolean progress = false;
            while (index < program.primitives().size()
                    && runSlice(program.primitives().get(index))) {
                progress = true;
                advance(program.primitives().get(index));
            }
            return progress;
        }

        private boolean runSlice(Primitive primitive) {
            long bytes = slice == primitive.slices() - 1 ? primitive.lastSliceBytes() : primitive.sliceBytes();
            Object data;
            if (primitive.receiveSlot() == ChannelProgram.NONE) {
                data = dataFlow.send(member, channel, primitive, slice);
            } else {
                Slice received = arrived.get(primitive.receiveSlot()).poll();
                if (received == null) {
                    return false;
                }
                check(received.bytes() == bytes, "expected a slice of " + bytes + " bytes, got " + received.bytes());
                data = dataFlow.receive(member, channel, received.data(), primitive);
            }
            if (primitive.sendSlot() != ChannelProgram.NONE) {
                send(primitive.sendSlot(), new Slice(bytes, data));
            }
            return true;
        }

        private void send(int sendSlot, Slice sent) {
            Runner peer = runnerOf(program.sendPeers()[sendSlot]);
            int peerSlot = program.sendPeerSlots()[sendSlot];
            check(
                    peer.program.receivePeers()[peerSlot] == request.members()[member],
                    "sends to slot " + peerSlot + " of member " + peer.member + ", which expects another rank");
            peer.arrived.get(peerSlot).add(sent);
        }

        private void advance(Primitive primitive) {
            slice++;
            if (slice == primitive.slices()) {
                slice = 0;
                repeated++;
            }
            if (repeated == primitive.repeat()) {
                repeated = 0;
                index++;
            }
        }

        void checkComplete() {
            check(index == program.primitives().size(), "waits for ever in primitive " + index);
            for (Queue<Slice> queue : arrived) {
                check(queue.isEmpty(), queue.size() + " slices left over");
            }
        }

        private void check(boolean holds, String problem) {
            if (!holds) {
                throw new AssertionError("member " + member + ", channel " + channel + ": " + problem + "; " + program);
            }
        }
    }
}

package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;

/**
 * Simple timing of programs: every direction of a NIC and of a GPU's NVLink is a queue with a rate and a latency, a step has a fixed time, and
 * copying has a rate. Just enough to see whether a schedule keeps its links busy.
 *
 * @param networkRate rate of a NIC, one direction [bytes/ns]
 * @param localRate rate of a GPU inside its node [bytes/ns]
 * @param copyRate rate of one channel [bytes/ns]
 * @param networkNs latency of the network, including the next step [ns]
 * @param localNs the same inside a node [ns]
 */
record SimpleTiming(double networkRate, double localRate, double copyRate, double networkNs, double localNs) {

    private static final class Runner {
        final int member;
        final int channel;
        final ChannelProgram program;
        final List<Queue<Double>> arrivals = new ArrayList<>();
        int index;
        int repeated;
        int slice;
        double now;
        boolean waiting;

        Runner(int member, int channel, ChannelProgram program) {
            this.member = member;
            this.channel = channel;
            this.program = program;
            for (int ignored : program.receivePeers()) {
                arrivals.add(new ArrayDeque<>());
            }
        }

        double bytes(Primitive primitive) {
            return slice == primitive.slices() - 1 ? primitive.lastSliceBytes() : primitive.sliceBytes();
        }

        void advance(Primitive primitive) {
            if (++slice == primitive.slices()) {
                slice = 0;
                if (++repeated == primitive.repeat()) {
                    repeated = 0;
                    index++;
                }
            }
        }
    }

    /** Returns the time from the start of all members to the end of the last one [ns]. */
    double run(CollectiveAlgorithm algorithm, CollectiveRequest request) {
        Map<Long, Runner> byRank = new HashMap<>();
        PriorityQueue<Runner> ready = new PriorityQueue<>((a, b) -> Double.compare(a.now, b.now));
        for (int channel = 0; channel < algorithm.channels(request); channel++) {
            for (int member = 0; member < request.size(); member++) {
                Runner runner = new Runner(member, channel, algorithm.program(request, member, channel));
                byRank.put(key(request.members()[member], channel), runner);
                ready.add(runner);
            }
        }
        Map<String, Double> linkFree = new HashMap<>();
        double end = 0;
        while (!ready.isEmpty()) {
            Runner runner = ready.poll();
            end = Math.max(end, runner.now);
            if (runner.index == runner.program.primitives().size()) {
                continue;
            }
            Primitive primitive = runner.program.primitives().get(runner.index);
            if (primitive.receiveSlot() != ChannelProgram.NONE) {
                Double arrival = runner.arrivals.get(primitive.receiveSlot()).peek();
                if (arrival == null) {
                    runner.waiting = true;
                    continue;
                }
                if (arrival > runner.now) {
                    runner.now = arrival;
                    ready.add(runner);
                    continue;
                }
                runner.arrivals.get(primitive.receiveSlot()).remove();
            }
            double bytes = runner.bytes(primitive);
            runner.now += bytes / copyRate;
            if (primitive.sendSlot() != ChannelProgram.NONE) {
                send(request, byRank, ready, linkFree, runner, primitive.sendSlot(), bytes);
            }
            runner.advance(primitive);
            ready.add(runner);
        }
        return end;
    }

    private void send(
            CollectiveRequest request,
            Map<Long, Runner> byRank,
            PriorityQueue<Runner> ready,
            Map<String, Double> linkFree,
            Runner runner,
            int slot,
            double bytes) {
        int rank = request.members()[runner.member];
        int nic = runner.program.sendNics()[slot];
        boolean local = nic == ChannelProgram.NONE;
        String link = local ? "gpu" + rank : "nic" + request.cluster().nodeRank(rank) + "." + nic;
        double start = Math.max(runner.now, linkFree.getOrDefault(link, 0.0));
        double done = start + bytes / (local ? localRate : networkRate);
        linkFree.put(link, done);
        Runner peer = byRank.get(key(runner.program.sendPeers()[slot], runner.channel));
        peer.arrivals.get(runner.program.sendPeerSlots()[slot]).add(done + (local ? localNs : networkNs));
        if (peer.waiting) {
            peer.waiting = false;
            ready.add(peer);
        }
    }

    private static long key(int rank, int channel) {
        return (long) rank << 16 | channel;
    }
}

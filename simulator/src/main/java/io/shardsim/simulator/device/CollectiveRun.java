package io.shardsim.simulator.device;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.ProgramLoops;
import io.shardsim.simulator.kernel.StateWriter;
import java.util.List;
import java.util.PrimitiveIterator;

/**
 * Progress of one rank in one collective: a position in the program of each channel, and the slices that have arrived but are unused. Slices may
 * arrive before the rank has joined.
 */
final class CollectiveRun {
    /** Operation of the plan: state, shifted with the plan. */
    int operation;
    /** The collective: specification. */
    final RankCollective collective;

    final int collectiveClass;
    /** Whether the rank's stream has reached the collective and its kernel runs: state. */
    boolean joined;
    /** Channels whose program is unfinished: state. */
    int channelsLeft;
    /** When the last channel's thread block is done [ps]: state. */
    long donePs = Long.MIN_VALUE;

    private final int[] primitive;
    private final int[] repetition;
    private final int[] slice;
    /** When each channel's thread block is free [ps]: state. */
    private final long[] blockFreePs;

    private final boolean[] wakePending;
    /** Arrived slices by channel and receive slot: state. */
    private final int[][] arrived;

    CollectiveRun(int operation, int collectiveClass, RankCollective collective) {
        this.operation = operation;
        this.collectiveClass = collectiveClass;
        this.collective = collective;
        int channels = collective.channels();
        primitive = new int[channels];
        repetition = new int[channels];
        slice = new int[channels];
        blockFreePs = new long[channels];
        wakePending = new boolean[channels];
        arrived = new int[channels][];
        for (int channel = 0; channel < channels; channel++) {
            ChannelProgram program = collective.programs()[channel];
            arrived[channel] = new int[program.receivePeers().length];
            if (!program.primitives().isEmpty()) {
                channelsLeft++;
            }
        }
    }

    CollectiveRun copy() {
        CollectiveRun copy = new CollectiveRun(operation, collectiveClass, collective);
        copy.joined = joined;
        copy.channelsLeft = channelsLeft;
        copy.donePs = donePs;
        for (int channel = 0; channel < primitive.length; channel++) {
            copy.primitive[channel] = primitive[channel];
            copy.repetition[channel] = repetition[channel];
            copy.slice[channel] = slice[channel];
            copy.blockFreePs[channel] = blockFreePs[channel];
            copy.wakePending[channel] = wakePending[channel];
            copy.arrived[channel] = arrived[channel].clone();
        }
        return copy;
    }

    void onSliceArrived(int channel, int receiveSlot) {
        arrived[channel][receiveSlot]++;
    }

    boolean isDone(int channel) {
        return primitive[channel] == primitives(channel).size();
    }

    /** Returns a channel's current primitive; only while the channel is unfinished. */
    Primitive current(int channel) {
        return primitives(channel).get(primitive[channel]);
    }

    private List<Primitive> primitives(int channel) {
        return collective.programs()[channel].primitives();
    }

    /** Returns whether the slice that the current primitive needs, if any, has arrived. */
    boolean hasInput(int channel, Primitive current) {
        return current.receiveSlot() == ChannelProgram.NONE || arrived[channel][current.receiveSlot()] > 0;
    }

    long blockFreePs(int channel) {
        return blockFreePs[channel];
    }

    /** Requests a wake-up when the block is free; returns false if one is pending. */
    boolean armWake(int channel) {
        boolean armed = !wakePending[channel];
        wakePending[channel] = true;
        return armed;
    }

    void onWoken(int channel) {
        wakePending[channel] = false;
    }

    long sliceBytes(int channel, Primitive current) {
        return slice[channel] == current.slices() - 1 ? current.lastSliceBytes() : current.sliceBytes();
    }

    /** Consumes the current slice, keeps the block busy until then, and advances; returns whether the primitive is complete. */
    boolean completeSlice(int channel, Primitive current, long blockFreePs) {
        if (current.receiveSlot() != ChannelProgram.NONE) {
            arrived[channel][current.receiveSlot()]--;
        }
        this.blockFreePs[channel] = blockFreePs;
        if (++slice[channel] < current.slices()) {
            return false;
        }
        slice[channel] = 0;
        if (++repetition[channel] < current.repeat()) {
            return true;
        }
        repetition[channel] = 0;
        primitive[channel]++;
        if (isDone(channel)) {
            channelsLeft--;
            donePs = Math.max(donePs, blockFreePs);
        }
        return true;
    }

    /** Returns whether a channel that has just completed a primitive repeats it, or a loop over several. */
    boolean beginsAgain(int channel) {
        return repetition[channel] > 0
                || !isDone(channel) && collective.loops()[channel].beginsAgain(primitive[channel]);
    }

    void save(StateWriter writer) {
        writer.operation(operation);
        writer.value(collectiveClass);
        writer.value(joined ? 1 : 0);
        writer.value(channelsLeft);
        for (int channel = 0; channel < primitive.length; channel++) {
            savePlace(channel, writer);
            writer.value(slice[channel]);
            writer.notBefore(blockFreePs[channel]);
            writer.value(wakePending[channel] ? 1 : 0);
            for (int count : arrived[channel]) {
                writer.value(count);
            }
        }
        writer.heldNotBefore(donePs);
    }

    /** Saves a channel's position in its loops: its actions there are the same in every round. */
    private void savePlace(int channel, StateWriter writer) {
        if (isDone(channel)) {
            writer.value(ChannelProgram.NONE);
            return;
        }
        ProgramLoops loops = collective.loops()[channel];
        int at = primitive[channel];
        writer.value(loops.firstRound(at));
        for (int level = 0; level < ProgramLoops.LEVELS; level++) {
            writer.counter(level, loops.round(level, at), loops.roundsLeft(level, at));
        }
        writer.counter(
                ProgramLoops.LEVELS, repetition[channel], current(channel).repeat() - 1 - repetition[channel]);
    }

    void repeatLoop(long deltaPs, PrimitiveIterator.OfLong growth) {
        for (int channel = 0; channel < blockFreePs.length; channel++) {
            blockFreePs[channel] += deltaPs;
            if (!isDone(channel)) {
                ProgramLoops loops = collective.loops()[channel];
                int at = primitive[channel];
                for (int level = 0; level < ProgramLoops.LEVELS; level++) {
                    primitive[channel] += (int) growth.nextLong() * loops.length(level, at);
                }
                repetition[channel] += (int) growth.nextLong();
            }
        }
    }

    void shift(long deltaPs, int deltaOperations) {
        operation += deltaOperations;
        for (int channel = 0; channel < blockFreePs.length; channel++) {
            blockFreePs[channel] += deltaPs;
        }
        if (donePs != Long.MIN_VALUE) {
            donePs += deltaPs;
        }
    }
}

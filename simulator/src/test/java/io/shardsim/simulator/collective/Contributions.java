package io.shardsim.simulator.collective;

import java.util.BitSet;

/**
 * Symbol for a slice of data: its shard and part, and the members whose contributions it contains. Adding a contribution twice fails.
 *
 * @param shard member that owns the shard, or the destination
 * @param part number of earlier slices of the same shard and channel
 */
record Contributions(int shard, int part, BitSet members) {

    static Contributions of(int shard, int part, int member) {
        BitSet members = new BitSet();
        members.set(member);
        return new Contributions(shard, part, members);
    }

    Contributions plus(int member) {
        if (members.get(member)) {
            throw new AssertionError("contribution of member " + member + " added twice to " + this);
        }
        BitSet sum = (BitSet) members.clone();
        sum.set(member);
        return new Contributions(shard, part, sum);
    }

    Contributions plusAll(Contributions other) {
        if (shard != other.shard || part != other.part || members.intersects(other.members)) {
            throw new AssertionError("cannot add " + other + " to " + this);
        }
        BitSet sum = (BitSet) members.clone();
        sum.or(other.members);
        return new Contributions(shard, part, sum);
    }
}

package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.InOrderInterpreter.DataFlow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Computes which data each member can have after the programs of all members.
 *
 * <p>A primitive gives the number of bytes, not the shard. So each send without a receive carries random combinations of everything that its member
 * knows by then on the channel, over a field of 2^31 - 1 elements [1]; a receive-and-send carries what was received. A member has the whole buffer if
 * what it knows has full rank. Since it receives no more than it lacks, each part arrives once. No choice of shards would do better.
 *
 * <p>A reduction is checked backwards: the sum of a shard contains each contribution once if and only if the transposed flow brings the shard to each
 * member once.
 *
 * <p>[1] Ho et al., A Random Linear Network Coding Approach to Multicast, IEEE Transactions on Information Theory 52(10), 2006, theorem 1.
 */
final class DataFlowOracle {
    /** Bytes per symbol; all sizes of a request must be multiples [bytes]. */
    static final int UNIT_BYTES = 8;

    private static final long PRIME = (1L << 31) - 1;

    private final CollectiveRequest request;
    private final List<Event> events = new ArrayList<>();
    /** Slices added to the receiver's data. */
    private final Set<Integer> partial = new HashSet<>();

    private final Map<Integer, Integer> senders = new HashMap<>();
    private final Random random = new Random(1);

    /** Slice that a member receives or sends, or consecutive ones; null for none. */
    private record Event(int member, int channel, Integer in, Integer out, int units) {
        Event only(boolean isPartial, Set<Integer> partial) {
            return new Event(
                    member,
                    channel,
                    in != null && partial.contains(in) == isPartial ? in : null,
                    out != null && partial.contains(out) == isPartial ? out : null,
                    units);
        }

        Event backwards() {
            return new Event(member, channel, out, in, units);
        }
    }

    private DataFlowOracle(CollectiveAlgorithm algorithm, CollectiveRequest request) {
        this.request = request;
        InOrderInterpreter.run(algorithm, request, new DataFlow() {
            @Override
            public Object send(int member, int channel, Primitive primitive, int slice) {
                return log(member, channel, null, primitive, slice);
            }

            @Override
            public Object receive(int member, int channel, Object data, Primitive primitive) {
                if (primitive.reduces()) {
                    partial.add((Integer) data);
                }
                return log(member, channel, (Integer) data, primitive, 0);
            }
        });
    }

    private Integer log(int member, int channel, Integer in, Primitive primitive, int slice) {
        Integer out = primitive.sendSlot() == ChannelProgram.NONE ? null : events.size();
        long bytes = slice == primitive.slices() - 1 ? primitive.lastSliceBytes() : primitive.sliceBytes();
        if (bytes % UNIT_BYTES != 0) {
            throw new AssertionError("slice of " + bytes + " bytes");
        }
        events.add(new Event(member, channel, in, out, (int) (bytes / UNIT_BYTES)));
        senders.put(events.size() - 1, member);
        return out;
    }

    /** Fails if a member ends without the collective's result, or a sum lacks a contribution or contains it twice. */
    static void check(CollectiveAlgorithm algorithm, CollectiveRequest request) {
        DataFlowOracle oracle = new DataFlowOracle(algorithm, request);
        int all = (int) (request.totalBytes() / UNIT_BYTES);
        int[] shards = new int[request.size()];
        Arrays.fill(shards, all / request.size());
        switch (request.kind()) {
            case ALL_GATHER -> oracle.checkGather(shards);
            case REDUCE_SCATTER -> oracle.checkReduction(shards);
            case BROADCAST -> oracle.checkGather(onlyAt(0, all, request.size()));
            case BROADCAST_FROM_LAST -> oracle.checkGather(onlyAt(request.size() - 1, all, request.size()));
            case ALL_REDUCE -> {
                int[] summed = oracle.summed(all);
                oracle.checkReduction(summed);
                oracle.checkGather(summed);
            }
            case ALL_TO_ALL -> oracle.checkStraight(IntStream.range(1, request.size()), all / request.size());
            case SEND_RECV -> oracle.checkStraight(IntStream.of(1), all);
        }
    }

    private static int[] onlyAt(int member, int units, int size) {
        int[] owned = new int[size];
        owned[member] = units;
        return owned;
    }

    /** Returns the units of the sum that each member has finished itself, without receiving them. */
    private int[] summed(int all) {
        int[] summed = new int[request.size()];
        Arrays.fill(summed, all);
        for (Event event : events) {
            if (event.in() != null && !partial.contains(event.in())) {
                summed[event.member()] -= event.units();
            }
        }
        return summed;
    }

    private void checkGather(int[] owned) {
        check(owned, events.stream().map(event -> event.only(false, partial)).toList(), "ends without ");
    }

    private void checkReduction(int[] owned) {
        List<Event> backwards = new ArrayList<>(events.stream()
                .map(event -> event.only(true, partial).backwards())
                .toList());
        Collections.reverse(backwards);
        check(owned, backwards, "does not add to ");
    }

    private void check(int[] owned, List<Event> flow, String what) {
        int all = IntStream.of(owned).sum();
        if (all != request.totalBytes() / UNIT_BYTES) {
            throw new AssertionError("members own " + all + " units");
        }
        Map<List<Integer>, Knowledge> known =
                new TreeMap<>((a, b) -> a.toString().compareTo(b.toString()));
        Map<Integer, List<long[]>> slices = new HashMap<>();
        int[] received = new int[request.size()];
        for (Event event : flow) {
            Knowledge own =
                    known.computeIfAbsent(List.of(event.member(), event.channel()), key -> own(event.member(), owned));
            List<long[]> data = null;
            if (event.in() != null) {
                data = slices.remove(event.in());
                data.forEach(own::add);
                received[event.member()] += event.units();
            }
            if (event.out() != null) {
                slices.put(event.out(), data == null ? own.combinations(event.units()) : data);
            }
        }
        for (int member = 0; member < request.size(); member++) {
            Knowledge together = own(member, owned);
            int asked = member;
            known.forEach((key, channel) -> {
                if (key.get(0) == asked) {
                    channel.rows.forEach(together::add);
                }
            });
            if (together.rows.size() < all) {
                throw new AssertionError(
                        "member " + member + " " + what + (all - together.rows.size()) + " of " + all + " units");
            }
            if (received[member] != all - owned[member]) {
                throw new AssertionError(
                        "member " + member + " moves " + received[member] + " units for " + (all - owned[member]));
            }
        }
    }

    /** Checks that each member gets that many units from the members at these distances before it, and from no others. */
    private void checkStraight(IntStream distances, int units) {
        Map<List<Integer>, Integer> edges = new HashMap<>();
        for (Event event : events) {
            if (event.in() != null) {
                edges.merge(List.of(senders.get(event.in()), event.member()), event.units(), Integer::sum);
            }
        }
        Map<List<Integer>, Integer> expected = new HashMap<>();
        distances.forEach(distance -> IntStream.range(0, request.size())
                .forEach(member -> expected.put(List.of(member, (member + distance) % request.size()), units)));
        if (!edges.equals(expected)) {
            throw new AssertionError("members send " + edges + " in place of " + expected);
        }
    }

    private Knowledge own(int member, int[] owned) {
        int first = IntStream.range(0, member).map(before -> owned[before]).sum();
        int all = IntStream.of(owned).sum();
        Knowledge own = new Knowledge();
        for (int unit = first; unit < first + owned[member]; unit++) {
            long[] row = new long[all];
            row[unit] = 1;
            own.add(row);
        }
        return own;
    }

    /** Independent combinations of units in echelon form: each has a leading 1 where the others before it have 0. */
    private final class Knowledge {
        private final List<long[]> rows = new ArrayList<>();
        private final List<Integer> leading = new ArrayList<>();

        void add(long[] data) {
            long[] rest = data.clone();
            for (int i = 0; i < rows.size(); i++) {
                subtract(rest, rows.get(i), rest[leading.get(i)]);
            }
            for (int unit = 0; unit < rest.length; unit++) {
                if (rest[unit] != 0) {
                    long inverse = inverse(rest[unit]);
                    for (int j = unit; j < rest.length; j++) {
                        rest[j] = rest[j] * inverse % PRIME;
                    }
                    rows.add(rest);
                    leading.add(unit);
                    return;
                }
            }
        }

        List<long[]> combinations(int units) {
            List<long[]> combinations = new ArrayList<>();
            for (int unit = 0; unit < units; unit++) {
                long[] sum = new long[(int) (request.totalBytes() / UNIT_BYTES)];
                for (long[] row : rows) {
                    subtract(sum, row, 1 + random.nextInt((int) PRIME - 1));
                }
                combinations.add(sum);
            }
            return combinations;
        }

        private static void subtract(long[] from, long[] row, long times) {
            if (times != 0) {
                for (int i = 0; i < from.length; i++) {
                    from[i] = (from[i] + (PRIME - times) * row[i]) % PRIME;
                }
            }
        }

        private static long inverse(long value) {
            long result = 1;
            long power = value;
            for (long exponent = PRIME - 2; exponent > 0; exponent >>= 1) {
                result = exponent % 2 == 1 ? result * power % PRIME : result;
                power = power * power % PRIME;
            }
            return result;
        }
    }
}

package io.shardsim.scenarios.cluster;

import io.shardsim.scenarios.cluster.wire.WireCodec;
import java.io.NotSerializableException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Delivers messages between the machines of a {@link SimulatedCluster}: late, twice, in another order or not at all. */
final class SimulatedNetwork {
    /** On a network with faults, some messages wait this long for a connection. */
    private static final int HELD_UP_MILLIS = 30_000;

    private final SplittableRandom random;
    private final SimulatedTime time;
    private final Faults faults;
    private final WireCodec codec;
    /** Machines that the others cannot reach now. */
    private List<SimulatedMachine> apart = List.of();

    private boolean calm;
    /** Arrival of the last message from a machine to an actor, for a network that keeps the order: state. */
    private final Map<String, Long> lastNanos = new HashMap<>();
    /** Hash of all messages sent: state. */
    private long trace;

    /**
     * Severity of the faults.
     *
     * @param lostPerMille messages that are lost
     * @param doubledPerMille messages that are duplicated
     * @param delayMillisMax longest time on the way, unless held up [ms]
     */
    record Faults(int lostPerMille, int doubledPerMille, int delayMillisMax) {
        /** Like TCP: everything arrives soon, once and in order. */
        static final Faults NONE = new Faults(0, 0, 100);
    }

    SimulatedNetwork(SplittableRandom random, SimulatedTime time, Faults faults, WireCodec codec) {
        this.random = random;
        this.time = time;
        this.faults = faults;
        this.codec = codec;
    }

    /** Separates some machines from the others. */
    void part(List<SimulatedMachine> some) {
        apart = some;
    }

    void heal() {
        apart = List.of();
    }

    boolean isWhole() {
        return apart.isEmpty();
    }

    boolean isApart(SimulatedMachine machine) {
        return apart.contains(machine);
    }

    /** Ends all faults and drops the messages under way. */
    void calm() {
        calm = true;
        heal();
    }

    /** Returns whether no message is ever lost, duplicated or late. */
    boolean neverFaulty() {
        return faults.equals(Faults.NONE);
    }

    boolean isFine() {
        return calm || neverFaulty();
    }

    long trace() {
        return trace;
    }

    /**
     * Sends a message, which arrives when the network lets it.
     *
     * @param actor name of the receiving actor
     */
    void send(SimulatedMachine from, SimulatedMachine to, String actor, Object message, Consumer<Object> arrive) {
        String what = message.getClass().getName();
        trace = 31 * (31 * (31 * trace + time.nowNanos()) + actor.hashCode()) + what.hashCode();
        if (from == to) {
            time.after(0, () -> arrive.accept(message));
            return;
        }
        boolean unreachable = isApart(from) != isApart(to);
        if (unreachable || !calm && random.nextInt(1000) < faults.lostPerMille()) {
            return;
        }
        Object arrived = overTheWire(message);
        boolean sentCalm = calm;
        int times = !calm && random.nextInt(1000) < faults.doubledPerMille() ? 2 : 1;
        for (int i = 0; i < times; i++) {
            time.after(delayNanos(from.address + " " + actor), () -> {
                if (sentCalm == calm) {
                    arrive.accept(arrived);
                }
            });
        }
    }

    private long delayNanos(String way) {
        if (!neverFaulty()) {
            return calm
                    ? SimulatedTime.millis(1)
                    : between(0, random.nextInt(50) == 0 ? HELD_UP_MILLIS : faults.delayMillisMax());
        }
        long nanos = between(0, faults.delayMillisMax());
        long now = time.nowNanos();
        return lastNanos.merge(way, now + nanos, Math::max) - now;
    }

    private long between(int fromMillis, int untilMillis) {
        return SimulatedTime.millis(random.nextInt(fromMillis, untilMillis));
    }

    private Object overTheWire(Object message) {
        try {
            return codec.decode(codec.encode(message));
        } catch (NotSerializableException broken) {
            throw new AssertionError(broken);
        }
    }
}

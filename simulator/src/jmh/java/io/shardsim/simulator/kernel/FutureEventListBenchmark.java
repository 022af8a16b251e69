package io.shardsim.simulator.kernel;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.dispatch.Envelope;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The event list alone, by the hold model: one event is taken, one is put a random time ahead, so as many are pending as before. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
@State(Scope.Thread)
public class FutureEventListBenchmark {
    private static final int MESSAGES = 1 << 10;
    private static final long DELAY_PS_MAX = 2_000_000;

    @Param({"64", "1000", "10000"})
    int pending;

    private final FutureEventList events = new FutureEventList();
    private final Envelope envelope = new Envelope("", ActorRef.noSender());
    private final Event event = new Event();
    private final long[] delayPs = new long[MESSAGES];
    private int next;

    /** The same each time, with another time: the list keeps times and orders, not the message. */
    private static final class Event implements VirtualTimeMessage {
        private long timePs;
        private long order;

        @Override
        public long timePs() {
            return timePs;
        }

        @Override
        public long order() {
            return order;
        }

        @Override
        public int receiverId() {
            return 0;
        }

        @Override
        public int sourceId() {
            return 0;
        }

        @Override
        public long earliestPs() {
            return timePs;
        }

        @Override
        public VirtualTimeMessage shifted(long deltaPs, int deltaOperations) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void save(StateWriter writer) {
            throw new UnsupportedOperationException();
        }
    }

    @Setup
    public void fill() {
        SplittableRandom random = new SplittableRandom(1);
        for (int i = 0; i < MESSAGES; i++) {
            delayPs[i] = 1 + random.nextLong(DELAY_PS_MAX);
        }
        for (int i = 0; i < pending; i++) {
            put(random.nextLong(DELAY_PS_MAX));
        }
    }

    private void put(long timePs) {
        event.timePs = timePs;
        event.order++;
        events.push(event, null, envelope);
    }

    @Benchmark
    public long hold() {
        events.pop();
        put(events.nowPs() + delayPs[next++ & MESSAGES - 1]);
        return events.nowPs();
    }
}

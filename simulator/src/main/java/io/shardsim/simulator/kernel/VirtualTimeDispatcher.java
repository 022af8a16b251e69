package io.shardsim.simulator.kernel;

import com.typesafe.config.Config;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.pekko.actor.ActorCell;
import org.apache.pekko.dispatch.Dispatcher;
import org.apache.pekko.dispatch.DispatcherPrerequisites;
import org.apache.pekko.dispatch.Envelope;
import org.apache.pekko.dispatch.ExecutorServiceFactoryProvider;
import org.apache.pekko.dispatch.MessageDispatcher;
import org.apache.pekko.dispatch.MessageDispatcherConfigurator;
import org.jspecify.annotations.Nullable;
import scala.concurrent.duration.Duration;
import scala.concurrent.duration.FiniteDuration;

/**
 * Pekko dispatcher that delivers in virtual-time order. A message with a virtual time goes into the future event list with its receiver; other
 * messages go through mailboxes as usual. {@link #advance} delivers, on the calling thread, which must be this dispatcher's only one. Messages to a
 * device on another dispatcher are posted to its logical process.
 *
 * <p>Only this file depends on Pekko's internals (Dispatcher, ActorCell, Envelope of pekko-actor 1.7.0); {@code VirtualTimeDispatcherTest} fails if
 * an upgrade changes them.
 */
public final class VirtualTimeDispatcher extends Dispatcher {
    /** Dispatcher that the current thread advances. */
    private static final ThreadLocal<VirtualTimeDispatcher> ADVANCING = new ThreadLocal<>();

    /** Pending events of the whole run, or of the first region. */
    private final FutureEventList events = new FutureEventList();
    /** Pending events by region, without those of outbound ports. */
    private FutureEventList[] inside = {events};
    /** Pending events at the outbound ports of each region, which run ahead of the others. */
    private FutureEventList[] outbound = {};
    /** Advancing thread; null while there is none: state. */
    private volatile @Nullable Thread owner;
    /** Other logical processes of the run; null if there are none: state. */
    private @Nullable Neighbours neighbours;
    /** Index of this logical process among those of the run: state. */
    private volatile int process;
    /** Limit of the current window for this logical process [ps]: state. */
    private long grantedTimePs;

    /** Skips repetition island by island; null if disabled. */
    private @Nullable IslandReplay replay;

    private boolean haltRequested;
    /** Why an event was refused, or its receiver's exception; null without a failure: state. */
    private @Nullable RuntimeException refusal;

    /** Whether an event's handler has thrown: state. */
    private boolean failed;

    private long executedEvents;
    /** Events already reported to the pulse: state. */
    private long toldEvents;

    /** Receives the progress of the run; null if unused. */
    private @Nullable RunControl pulse;

    VirtualTimeDispatcher(Configurator configurator, Config config, ExecutorServiceFactoryProvider executor) {
        super(
                configurator,
                config.getString("id"),
                Integer.MAX_VALUE,
                Duration.Zero(),
                executor,
                FiniteDuration.apply(
                        config.getDuration("shutdown-timeout", TimeUnit.MILLISECONDS), TimeUnit.MILLISECONDS));
    }

    @Override
    public void dispatch(ActorCell receiver, Envelope envelope) {
        if (envelope.message() instanceof VirtualTimeMessage message) {
            if (Thread.currentThread() == owner) {
                push(message, receiver, envelope);
            } else {
                VirtualTimeDispatcher sender = ADVANCING.get();
                if (sender == null) {
                    throw new IllegalStateException("sent from outside of virtual time: " + message);
                }
                sender.post(message, process);
            }
        } else {
            super.dispatch(receiver, envelope);
        }
    }

    /** Detects a failed handler: Pekko then suspends the actor, and nothing else suspends one while this thread advances. */
    @Override
    public void suspend(ActorCell actor) {
        failed = true;
        super.suspend(actor);
    }

    /** Pushes an event. Pekko swallows exceptions while a message is sent, so a refused event is stored to end the run. */
    private void push(VirtualTimeMessage message, ActorCell receiver, Envelope envelope) {
        try {
            if (replay != null) {
                replay.onSent(message);
            }
            listOf(message).push(message, receiver, envelope);
        } catch (RuntimeException refused) {
            refuse(refused);
        }
    }

    private void refuse(RuntimeException why) {
        refusal = refusal == null ? why : refusal;
    }

    /** Ends the calling thread's run with the exception of a device's handler, which Pekko would only log. */
    public static void fail(RuntimeException why) {
        VirtualTimeDispatcher advancing = ADVANCING.get();
        if (advancing == null) {
            throw why;
        }
        advancing.refuse(why);
    }

    private FutureEventList listOf(VirtualTimeMessage message) {
        if (neighbours == null) {
            return events;
        }
        int region = neighbours.regionOfDevice()[message.receiverId()];
        return message.isOutbound() ? outbound[region] : inside[region];
    }

    /** Posts a message to another logical process, to be delivered at the end of this window. */
    private void post(VirtualTimeMessage message, int receiver) {
        if (neighbours == null || message.timePs() < grantedTimePs) {
            refusal = new IllegalStateException("crosses sooner than the lookahead says, at " + message.timePs()
                    + " ps in the window up to " + grantedTimePs + " ps: " + message);
            return;
        }
        EventBatch batch = neighbours.exchange().to(receiver);
        batch.begin(message.timePs());
        neighbours.crossing().write(message, batch);
    }

    /** Sets the index of this logical process, before any of the run advances. */
    void join(int index) {
        process = index;
    }

    /**
     * Makes the calling thread the one whose messages are pushed directly.
     *
     * @param others null if this is the only logical process of the run
     */
    void claim(@Nullable Neighbours others) {
        // The actors of the previous run were suspended to be stopped.
        failed = false;
        neighbours = others;
        if (others != null) {
            inside = lists(others.regions(), events);
            outbound = lists(others.regions(), new FutureEventList());
        }
        owner = Thread.currentThread();
        ADVANCING.set(this);
    }

    private static FutureEventList[] lists(int count, FutureEventList first) {
        FutureEventList[] lists = new FutureEventList[count];
        for (int i = 0; i < count; i++) {
            lists[i] = i == 0 ? first : new FutureEventList();
        }
        return lists;
    }

    /** Executes all events, window by window, together with the other logical processes of the run. */
    void advanceTogether(Neighbours others) {
        WindowExchange exchange = others.exchange();
        Lookahead lookahead = others.lookahead();
        while (true) {
            grantedTimePs = exchange.exchange(boundPs(others));
            if (grantedTimePs == Long.MAX_VALUE) {
                return;
            }
            for (int from = 0; from < exchange.processes(); from++) {
                EventBatch batch = exchange.from(from);
                while (batch.hasNext()) {
                    others.crossing().deliver(batch);
                }
            }
            for (int region = 0; region < inside.length; region++) {
                advance(inside[region], grantedTimePs);
                advance(outbound[region], lookahead.outboundGrantPs(grantedTimePs));
            }
        }
    }

    private long boundPs(Neighbours others) {
        long nextPs = Long.MAX_VALUE;
        for (int to = 0; to < others.exchange().processes(); to++) {
            nextPs = Math.min(nextPs, others.exchange().to(to).earliestPs());
        }
        long nextOutboundPs = Long.MAX_VALUE;
        for (int region = 0; region < inside.length; region++) {
            nextPs = Math.min(nextPs, inside[region].nextTimePs());
            nextOutboundPs = Math.min(nextOutboundPs, outbound[region].nextTimePs());
        }
        return others.lookahead().boundPs(nextPs, nextOutboundPs);
    }

    /** Delivers all events before the granted time, until a handler requests a halt; returns whether one did. */
    boolean advance(long grantedTimePs) {
        return advance(events, grantedTimePs);
    }

    /**
     * Delivers events in event-key order until the granted time or a requested halt.
     *
     * @return whether an event's handler requested a halt
     */
    private boolean advance(FutureEventList list, long grantedTimePs) {
        long executed = 0;
        haltRequested = false;
        while (list.nextTimePs() < grantedTimePs) {
            list.pop();
            if (replay != null && replay.takes(list)) {
                continue;
            }
            ActorCell receiver = list.poppedReceiver();
            Envelope envelope = list.poppedEnvelope();
            receiver.invoke(envelope);
            executed++;
            if ((executed & (RunControl.EVENTS - 1)) == 0) {
                beat(executedEvents + executed, list.nowPs());
            }
            if (refusal != null) {
                throw refusal;
            }
            if (failed) {
                throw new IllegalStateException(
                        receiver.self().path().name() + " failed at " + list.nowPs() + " ps in " + envelope.message());
            }
            if (haltRequested) {
                break;
            }
        }
        executedEvents += executed;
        // Windows and stretches between halts are short: many of them make one beat.
        if (executedEvents - toldEvents >= RunControl.EVENTS) {
            beat(executedEvents, list.nowPs());
        }
        return haltRequested;
    }

    private void beat(long events, long nowPs) {
        if (pulse != null) {
            pulse.beat(events - toldEvents, nowPs);
            toldEvents = events;
        }
    }

    /** Makes {@link #advance} return after the current event. */
    public void requestHalt() {
        haltRequested = true;
    }

    long executedEvents() {
        return executedEvents;
    }

    /** Returns the time of the last event [ps]. */
    long nowPs() {
        return lists().mapToLong(FutureEventList::nowPs).max().orElseThrow();
    }

    /** Returns the most events pending at once, per list. */
    int pendingEventsMax() {
        return lists().mapToInt(FutureEventList::sizeMax).sum();
    }

    private Stream<FutureEventList> lists() {
        return Stream.concat(Stream.of(inside), Stream.of(outbound));
    }

    FutureEventList events() {
        return events;
    }

    void skipBy(@Nullable IslandReplay islands) {
        replay = islands;
    }

    void tell(RunControl asked) {
        pulse = asked;
    }

    /** Clears the state of a run. */
    void reset() {
        pulse = null;
        replay = null;
        events.clear();
        inside = new FutureEventList[] {events};
        outbound = new FutureEventList[0];
        executedEvents = 0;
        toldEvents = 0;
        refusal = null;
        grantedTimePs = 0;
        neighbours = null;
        owner = null;
        ADVANCING.remove();
    }

    /** Configurator, named as {@code type} in the dispatcher's configuration. */
    public static final class Configurator extends MessageDispatcherConfigurator {
        private final VirtualTimeDispatcher dispatcher;

        public Configurator(Config config, DispatcherPrerequisites prerequisites) {
            super(config, prerequisites);
            dispatcher = new VirtualTimeDispatcher(this, config, configureExecutor());
        }

        @Override
        public MessageDispatcher dispatcher() {
            return dispatcher;
        }
    }
}

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
 * A Pekko dispatcher that delivers in virtual-time order. A message that carries a virtual time goes into the future event list with its
 * receiver; every other message takes the ordinary way through mailboxes. {@link #advance} delivers, on the calling thread, which must be
 * this dispatcher's only one. What a thread sends to a device on another dispatcher is posted to the logical process there.
 *
 * <p>This file alone leans on Pekko's internals (Dispatcher, ActorCell, Envelope of pekko-actor 1.7.0); {@code VirtualTimeDispatcherTest} fails
 * loudly when an upgrade changes them.
 */
public final class VirtualTimeDispatcher extends Dispatcher {
    /** The dispatcher that the current thread lets advance. */
    private static final ThreadLocal<VirtualTimeDispatcher> ADVANCING = new ThreadLocal<>();

    /** Pending events: of the whole run, or of the first region. */
    private final FutureEventList events = new FutureEventList();
    /** Pending events of each region, the outbound ports' left out. */
    private FutureEventList[] inside = {events};
    /** Pending events at the outbound ports of each region, which run ahead of the others. */
    private FutureEventList[] outbound = {};
    /** The thread that advances: state; null while nobody does. */
    private volatile @Nullable Thread owner;
    /** The other logical processes of the run: state; null when there are none. */
    private @Nullable Neighbours neighbours;
    /** Index of the logical process that these devices belong to, as others see it: state. */
    private volatile int process;
    /** How far this logical process may go in the current window [ps]: state. */
    private long grantedTimePs;

    /** What skips repetition island by island; null where nothing does. */
    private @Nullable IslandReplay replay;

    private boolean haltRequested;
    /** Why an event was not taken, or what its receiver has thrown: state; null as long as all goes well. */
    private @Nullable RuntimeException refusal;

    /** True once an event's handler has thrown: state. */
    private boolean failed;

    private long executedEvents;
    /** Of which the pulse has been told: state. */
    private long toldEvents;

    /** Told how far the run is; null where nobody asks. */
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

    /** Pekko suspends an actor whose handler has thrown, and nothing else suspends one while this thread advances. */
    @Override
    public void suspend(ActorCell actor) {
        failed = true;
        super.suspend(actor);
    }

    /** Pekko swallows what goes wrong while a message is sent, so a refused event is kept to end the run. */
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

    /** Ends the run that the calling thread advances with what a device's handler has thrown, which Pekko would log and hide. */
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

    /** Hands a message to another logical process with the end of this window. */
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

    /** Joins the logical process of that index, before any of the run advances. */
    void join(int index) {
        process = index;
    }

    /**
     * Makes the calling thread the one whose messages are pushed directly.
     *
     * @param others null when this is the only logical process of the run
     */
    void claim(@Nullable Neighbours others) {
        // The actors of the run before have been suspended to be stopped.
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

    /** Delivers all events before the granted time, as long as nobody asks to halt; true when somebody has. */
    boolean advance(long grantedTimePs) {
        return advance(events, grantedTimePs);
    }

    /**
     * Delivers events in event-key order as long as they lie before the granted time and nobody has asked to halt.
     *
     * @return true when an event's handler asked to halt
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
        // Windows and the ways between two halts are short: many of them make a beat.
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

    /** Makes {@link #advance} return after the event that is being delivered. */
    public void requestHalt() {
        haltRequested = true;
    }

    long executedEvents() {
        return executedEvents;
    }

    /** Time of the last event [ps]. */
    long nowPs() {
        return lists().mapToLong(FutureEventList::nowPs).max().orElseThrow();
    }

    /** Most events that waited at once, each list by itself. */
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

    /** Forgets a run. */
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

    /** Named as {@code type} in the dispatcher's configuration. */
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

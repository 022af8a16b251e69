package io.shardsim.simulator.kernel;

import com.typesafe.config.Config;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
 * this dispatcher's only one.
 *
 * <p>This file alone leans on Pekko's internals (Dispatcher, ActorCell, Envelope of pekko-actor 1.7.0); {@code VirtualTimeDispatcherTest} fails
 * loudly when an upgrade changes them.
 */
public final class VirtualTimeDispatcher extends Dispatcher {
    private final FutureEventList events = new FutureEventList();
    /** Events sent by other logical processes since the last window: state, guarded by itself. */
    private final List<RemoteEvent> inbox = new ArrayList<>();
    /** The thread that advances: state; null while nobody does. */
    private volatile @Nullable Thread owner;

    private boolean haltRequested;
    /** Why an event was not taken: state; null as long as all are. */
    private @Nullable IllegalStateException refusal;

    private long executedEvents;

    private record RemoteEvent(ActorCell receiver, Envelope envelope) {}

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
                synchronized (inbox) {
                    inbox.add(new RemoteEvent(receiver, envelope));
                }
            }
        } else {
            super.dispatch(receiver, envelope);
        }
    }

    /** Pekko swallows what goes wrong while a message is sent, so a refused event is kept to end the run. */
    private void push(VirtualTimeMessage message, ActorCell receiver, Envelope envelope) {
        try {
            events.push(message, receiver, envelope);
        } catch (IllegalStateException refused) {
            refusal = refusal == null ? refused : refusal;
        }
    }

    /** Makes the calling thread the one whose messages are pushed directly. */
    void claim() {
        owner = Thread.currentThread();
    }

    /** Takes in what other logical processes have sent. */
    void drainInbox() {
        synchronized (inbox) {
            for (RemoteEvent event : inbox) {
                VirtualTimeMessage message =
                        (VirtualTimeMessage) event.envelope().message();
                events.push(message, event.receiver(), event.envelope());
            }
            inbox.clear();
        }
    }

    /**
     * Delivers events in event-key order as long as they lie before the granted time and nobody has asked to halt.
     *
     * @return true when an event's handler asked to halt
     */
    boolean advance(long grantedTimePs) {
        long executed = 0;
        haltRequested = false;
        while (events.nextTimePs() < grantedTimePs) {
            events.pop();
            ActorCell receiver = events.poppedReceiver();
            Envelope envelope = events.poppedEnvelope();
            receiver.invoke(envelope);
            executed++;
            if (refusal != null) {
                throw refusal;
            }
            if (receiver.mailbox().isSuspended()) {
                throw new IllegalStateException(receiver.self().path().name() + " failed at " + events.nowPs()
                        + " ps in " + envelope.message());
            }
            if (haltRequested) {
                break;
            }
        }
        executedEvents += executed;
        return haltRequested;
    }

    /** Makes {@link #advance} return after the event that is being delivered. */
    public void requestHalt() {
        haltRequested = true;
    }

    long executedEvents() {
        return executedEvents;
    }

    FutureEventList events() {
        return events;
    }

    /** Forgets a run. */
    void reset() {
        events.clear();
        synchronized (inbox) {
            inbox.clear();
        }
        executedEvents = 0;
        refusal = null;
        owner = null;
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

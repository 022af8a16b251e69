package io.shardsim.simulator.kernel;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.jspecify.annotations.Nullable;

/**
 * Devices that share a clock and an event list. Its devices are its children on the same virtual-time dispatcher, whose only thread it
 * holds while it advances.
 *
 * <p>A run has one logical process or several. Each creates its devices first; when all have, and the devices have been told of each other,
 * all are told to run.
 */
public final class LogicalProcess extends AbstractBehavior<LogicalProcess.Command> {
    private final CompletableFuture<Outcome> ended;
    private final VirtualTimeDispatcher dispatcher;

    /** What can be asked of a logical process. */
    public sealed interface Command {
        /**
         * When it is the only one of its run.
         *
         * @param begin sends the first messages
         * @param fastForward null when every event is to be executed
         * @param marks where the device that keeps the beat reports
         * @param causality follows every event; null when nobody does, and where events are skipped
         */
        record RunAlone(
                Runnable begin,
                @Nullable FastForward fastForward,
                MarkBoard marks,
                @Nullable Causality causality) implements Command {
            /** One that nobody follows. */
            public RunAlone(Runnable begin, @Nullable FastForward fastForward, MarkBoard marks) {
                this(begin, fastForward, marks, null);
            }
        }

        /**
         * When it is one of several.
         *
         * @param begin sends the first messages
         * @param pulse told how far this one is
         */
        record RunTogether(Runnable begin, Neighbours neighbours, RunControl pulse) implements Command {}

        /** When the run is not to be. */
        record Stop() implements Command {}
    }

    /**
     * How a run went.
     *
     * @param cpuNanos time that the advancing threads spent on a core; a fact about the machine, not about the cluster
     */
    public record Outcome(long nowPs, long executedEvents, int pendingEventsMax, long cpuNanos) {

        /** How the run of several logical processes went. */
        public static Outcome of(List<Outcome> parts) {
            long nowPs = 0;
            long executedEvents = 0;
            int pendingEventsMax = 0;
            long cpuNanos = 0;
            for (Outcome part : parts) {
                nowPs = Math.max(nowPs, part.nowPs);
                executedEvents += part.executedEvents;
                pendingEventsMax += part.pendingEventsMax;
                cpuNanos += part.cpuNanos;
            }
            return new Outcome(nowPs, executedEvents, pendingEventsMax, cpuNanos);
        }
    }

    private LogicalProcess(
            ActorContext<Command> context,
            int index,
            Consumer<ActorContext<Command>> spawn,
            CompletableFuture<Void> spawned,
            CompletableFuture<Outcome> ended) {
        super(context);
        this.ended = ended;
        dispatcher = (VirtualTimeDispatcher) context.getExecutionContext();
        dispatcher.join(index);
        spawn.accept(context);
        // Behind the mailboxes of the new devices in the one thread's queue: a device must exist before it is invoked.
        dispatcher.execute(() -> spawned.complete(null));
    }

    /**
     * @param index among the logical processes of the run
     * @param spawn creates the devices as children of the given context
     * @param spawned completed when the devices exist, or with what went wrong
     * @param ended completed with the result, or with what went wrong
     */
    public static Behavior<Command> create(
            int index,
            Consumer<ActorContext<Command>> spawn,
            CompletableFuture<Void> spawned,
            CompletableFuture<Outcome> ended) {
        return Behaviors.setup(context -> {
            try {
                return new LogicalProcess(context, index, spawn, spawned, ended);
            } catch (RuntimeException | AssertionError | StackOverflowError | OutOfMemoryError e) {
                spawned.completeExceptionally(e);
                ended.completeExceptionally(e);
                return Behaviors.stopped();
            }
        });
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Command.RunAlone.class, this::onRunAlone)
                .onMessage(Command.RunTogether.class, this::onRunTogether)
                .onMessage(Command.Stop.class, this::onStop)
                .build();
    }

    private Behavior<Command> onRunAlone(Command.RunAlone run) {
        FastForward fastForward = run.fastForward();
        return runToEnd(() -> {
            dispatcher.claim(null);
            dispatcher.tell(run.marks().pulse());
            if (run.causality() != null) {
                dispatcher.events().follow(run.causality());
            }
            if (fastForward == null) {
                run.begin().run();
                dispatcher.advance(Long.MAX_VALUE);
                return;
            }
            run.marks().bind(dispatcher::requestHalt);
            dispatcher.skipBy(fastForward.islands());
            run.begin().run();
            while (dispatcher.advance(Long.MAX_VALUE)) {
                run.marks()
                        .check(dispatcher.executedEvents(), dispatcher.events().nowPs());
                for (int mark : run.marks().take()) {
                    fastForward.onMark(mark, dispatcher.events().nowPs(), dispatcher.events());
                }
                int repeated = run.marks().takeRepeated();
                if (repeated != MarkBoard.NONE) {
                    fastForward.onRepetition(
                            repeated, dispatcher.events().nowPs(), dispatcher.executedEvents(), dispatcher.events());
                }
            }
        });
    }

    private Behavior<Command> onRunTogether(Command.RunTogether run) {
        return runToEnd(() -> {
            try {
                dispatcher.claim(run.neighbours());
                dispatcher.tell(run.pulse());
                run.begin().run();
                dispatcher.advanceTogether(run.neighbours());
            } catch (RuntimeException | Error e) {
                run.neighbours().exchange().abort();
                throw e;
            }
        });
    }

    private Behavior<Command> runToEnd(Runnable advance) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        try {
            long beganNanos = threads.getCurrentThreadCpuTime();
            advance.run();
            ended.complete(new Outcome(
                    dispatcher.nowPs(),
                    dispatcher.executedEvents(),
                    dispatcher.pendingEventsMax(),
                    threads.getCurrentThreadCpuTime() - beganNanos));
        } catch (RuntimeException | AssertionError | StackOverflowError | OutOfMemoryError e) {
            ended.completeExceptionally(e);
        } finally {
            dispatcher.reset();
        }
        return Behaviors.stopped();
    }

    private Behavior<Command> onStop(Command.Stop stop) {
        ended.completeExceptionally(new IllegalStateException("stopped before it ran"));
        return Behaviors.stopped();
    }
}

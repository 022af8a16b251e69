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
 * Devices that share a clock and an event list. The devices are child actors on the same virtual-time dispatcher, whose only thread it holds while it
 * advances.
 *
 * <p>A run has one logical process or several. Each first creates its devices; once all have, and the devices know each other, all are told to run.
 */
public final class LogicalProcess extends AbstractBehavior<LogicalProcess.Command> {
    private final CompletableFuture<Outcome> ended;
    private final VirtualTimeDispatcher dispatcher;

    /** Command to a logical process. */
    public sealed interface Command {
        /**
         * Runs the only logical process of a run.
         *
         * @param begin sends the first messages
         * @param fastForward null to execute every event
         * @param marks board on which the leading device posts its marks
         * @param causality tracer of every event; null if there is none, and if events are skipped
         */
        record RunAlone(
                Runnable begin,
                @Nullable FastForward fastForward,
                MarkBoard marks,
                @Nullable Causality causality) implements Command {
            /** Creates a run without a tracer. */
            public RunAlone(Runnable begin, @Nullable FastForward fastForward, MarkBoard marks) {
                this(begin, fastForward, marks, null);
            }
        }

        /**
         * Runs one of several logical processes.
         *
         * @param begin sends the first messages
         * @param pulse receives the progress of this process
         */
        record RunTogether(Runnable begin, Neighbours neighbours, RunControl pulse) implements Command {}

        /** Stops without a run. */
        record Stop() implements Command {}
    }

    /**
     * Outcome of a run.
     *
     * @param cpuNanos CPU time of the advancing threads; a property of the machine, not of the cluster
     */
    public record Outcome(long nowPs, long executedEvents, int pendingEventsMax, long cpuNanos) {

        /** Combines the outcomes of several logical processes. */
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
        // Queued after the mailboxes of the new devices on the one thread: a device must exist before it is invoked.
        dispatcher.execute(() -> spawned.complete(null));
    }

    /**
     * @param index index among the logical processes of the run
     * @param spawn creates the devices as children of the given context
     * @param spawned completed when the devices exist, or with the failure
     * @param ended completed with the result, or with the failure
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

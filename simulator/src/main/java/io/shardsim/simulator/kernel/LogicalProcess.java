package io.shardsim.simulator.kernel;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.jspecify.annotations.Nullable;

/**
 * Devices that share a clock and an event list. Its devices are its children on the same virtual-time dispatcher, whose only thread it
 * holds while it advances.
 */
public final class LogicalProcess extends AbstractBehavior<LogicalProcess.Command> {
    private final CompletableFuture<Outcome> ended;
    private final VirtualTimeDispatcher dispatcher;
    private final Devices devices;

    /** What can be asked of a logical process. */
    public sealed interface Command {
        /** When all devices have been created. */
        record Run() implements Command {}
    }

    /**
     * The devices of a logical process.
     *
     * @param states in order of device ids
     * @param fastForward null when every event is to be executed
     * @param marks where the device that keeps the beat reports
     * @param begin sends the first messages
     */
    public record Devices(
            List<? extends DeviceState> states, @Nullable FastForward fastForward, MarkBoard marks, Runnable begin) {}

    /** How a run went. */
    public record Outcome(long nowPs, long executedEvents, int pendingEventsMax) {}

    private LogicalProcess(
            ActorContext<Command> context,
            Function<ActorContext<Command>, Devices> spawn,
            CompletableFuture<Outcome> ended) {
        super(context);
        this.ended = ended;
        dispatcher = (VirtualTimeDispatcher) context.getExecutionContext();
        devices = spawn.apply(context);
        ActorRef<Command> self = context.getSelf();
        // Behind the mailboxes of the new devices in the one thread's queue: a device must exist before it is invoked.
        dispatcher.execute(() -> self.tell(new Command.Run()));
    }

    /**
     * @param spawn creates the devices as children of the given context
     * @param ended completed with the result, or with what went wrong
     */
    public static Behavior<Command> create(
            Function<ActorContext<Command>, Devices> spawn, CompletableFuture<Outcome> ended) {
        return Behaviors.setup(context -> {
            try {
                return new LogicalProcess(context, spawn, ended);
            } catch (RuntimeException e) {
                ended.completeExceptionally(e);
                return Behaviors.stopped();
            }
        });
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder().onMessage(Command.Run.class, this::onRun).build();
    }

    private Behavior<Command> onRun(Command.Run run) {
        try {
            ended.complete(runToEnd());
        } catch (RuntimeException | AssertionError | StackOverflowError | OutOfMemoryError e) {
            ended.completeExceptionally(e);
        } finally {
            dispatcher.reset();
        }
        return Behaviors.stopped();
    }

    private Outcome runToEnd() {
        dispatcher.claim();
        devices.marks().bind(dispatcher::requestHalt);
        devices.begin().run();
        while (dispatcher.advance(Long.MAX_VALUE)) {
            int[] marks = devices.marks().take();
            if (devices.fastForward() != null) {
                for (int mark : marks) {
                    devices.fastForward().onMark(mark, dispatcher.events().nowPs(), dispatcher.events());
                }
            }
        }
        return new Outcome(
                dispatcher.events().nowPs(),
                dispatcher.executedEvents(),
                dispatcher.events().sizeMax());
    }
}

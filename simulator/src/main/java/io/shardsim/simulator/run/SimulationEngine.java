package io.shardsim.simulator.run;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.simulator.kernel.OtherProcessFailedException;
import io.shardsim.simulator.kernel.RunLimitException;
import io.shardsim.simulator.kernel.VirtualTimeMessage;
import io.shardsim.simulator.kernel.WindowExchange;
import io.shardsim.simulator.observation.PartObservation;
import io.shardsim.simulator.observation.StepObservation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.SpawnProtocol;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Runs simulations on its own actor system, which has a number of virtual-time dispatchers, one thread each. A run takes one per logical process;
 * callers wait until enough are free.
 */
@SuppressWarnings("FutureReturnValueIgnored") // Callers wait for the futures themselves; later stages cannot fail.
public final class SimulationEngine implements AutoCloseable {
    private static final String DISPATCHER_PREFIX = "virtual-time-";
    private static final Duration SPAWN_TIMEOUT = Duration.ofSeconds(30);

    private final int threads;
    /** Actor system, starting while the caller still plans what to simulate. */
    private final CompletableFuture<ActorSystem<SpawnProtocol.Command>> starting;
    /** One permit per free dispatcher, so that a run gets all of its dispatchers at once or waits. */
    private final Semaphore free;

    private final Queue<String> freeDispatchers;
    private final Queue<Assembly> underWay = new ConcurrentLinkedQueue<>();
    private final AtomicLong names = new AtomicLong();
    private final AtomicLong cpuNanos = new AtomicLong();

    /** @param threads number of concurrent logical processes, at least 1 */
    public SimulationEngine(int threads) {
        this.threads = threads;
        // If several threads log for the first time at once, slf4j prints messages about its own start.
        LoggerFactory.getILoggerFactory();
        starting = CompletableFuture.supplyAsync(
                () -> ActorSystem.create(SpawnProtocol.create(), "shardsim", configuration(threads)));
        free = new Semaphore(threads, true);
        freeDispatchers = new ArrayBlockingQueue<>(threads);
        for (int i = 0; i < threads; i++) {
            freeDispatchers.add(DISPATCHER_PREFIX + i);
        }
    }

    private static Config configuration(int threads) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < threads; i++) {
            text.append(DISPATCHER_PREFIX).append(i).append(" = ${virtual-time-dispatcher}\n");
        }
        return ConfigFactory.parseString(text.toString())
                .withFallback(ConfigFactory.parseResources(SimulationEngine.class, "/simulator.conf"))
                .withFallback(ConfigFactory.defaultReferenceUnresolved())
                .resolve();
    }

    /** Runs one simulation to its end as one logical process. */
    public StepObservation run(SimulationSetup setup) throws InterruptedException {
        return run(setup, 1);
    }

    /**
     * Runs one simulation to its end.
     *
     * @param processesMax maximum number of logical processes, at least 1; changes no result
     * @throws IllegalStateException if the run breaks a rule of the model, with rule, device and time
     * @throws InterruptedException if the caller is interrupted; the run is abandoned
     */
    public StepObservation run(SimulationSetup setup, int processesMax) throws InterruptedException {
        return run(setup, processesMax, null);
    }

    /**
     * Runs one simulation to its end with an observer.
     *
     * @param observer observer of the run, called on the run's own thread; or null
     */
    public StepObservation run(SimulationSetup setup, int processesMax, @Nullable RunObserver observer)
            throws InterruptedException {
        return run(setup, processesMax, observer, RunLimits.NONE);
    }

    /**
     * Runs one simulation to its end, unless it exceeds a limit.
     *
     * @throws RunLimitException if it exceeds a limit
     */
    public StepObservation run(
            SimulationSetup setup, int processesMax, @Nullable RunObserver observer, RunLimits limits)
            throws InterruptedException {
        Assembly assembly = new Assembly(setup, Math.min(processesMax, threads), observer, limits);
        underWay.add(assembly);
        try {
            return Observations.collect(assembly, execute(assembly));
        } catch (InterruptedException abandoned) {
            assembly.abandon();
            throw abandoned;
        } finally {
            underWay.remove(assembly);
        }
    }

    /**
     * Runs one logical process of a simulation whose others run in other JVMs. All devices are created, so that paths have the same numbers
     * everywhere; devices of other logical processes are placeholders and receive nothing.
     *
     * @param exchange exchange with the others, which determines the number of logical processes
     * @throws IllegalArgumentException if the simulation cannot be split into that many
     * @throws IllegalStateException if the run breaks a rule of the model, or another process fails
     * @throws InterruptedException if the caller is interrupted; the run is abandoned
     */
    public PartObservation runPart(SimulationSetup setup, WindowExchange exchange) throws InterruptedException {
        Assembly assembly = new Assembly(setup, exchange.processes(), null);
        if (assembly.processes() != exchange.processes() || exchange.processes() > threads) {
            throw new IllegalArgumentException("a run of " + assembly.processes() + " logical processes among "
                    + exchange.processes() + " JVMs with " + threads
                    + " dispatchers; it must execute every event, and have"
                    + " a leaf switch for each");
        }
        return Observations.part(assembly, assembly.nodesOf(exchange.self()), executePart(assembly, exchange));
    }

    private LogicalProcess.Outcome executePart(Assembly assembly, WindowExchange exchange) throws InterruptedException {
        List<Started> started = startAll(assembly, exchange.processes());
        try {
            for (Started one : started) {
                one.spawned.get();
                one.actor.get();
            }
            Started own = started.get(exchange.self());
            own.actor.get().tell(assembly.command(exchange));
            return own.ended.get();
        } catch (ExecutionException e) {
            throw graver(null, e);
        } catch (InterruptedException e) {
            exchange.abort();
            throw e;
        } finally {
            // The one that ran has stopped by now.
            stop(started);
        }
    }

    /** Combines all parts of a run, in the order of their logical processes. */
    public static StepObservation whole(List<PartObservation> parts) {
        return Observations.whole(parts);
    }

    /** Logical processes of a run: actors that send each other {@link VirtualTimeMessage}s only. */
    public interface Parts {
        /** Returns the number of logical processes, as many as {@link #commands}. */
        int processes();

        /**
         * Creates the devices of one of them as children of its actor, on its own thread.
         *
         * @param context spawns with {@code DispatcherSelector.sameAsParent()}
         */
        void spawn(int process, ActorContext<LogicalProcess.Command> context);

        /** Connects the devices and returns the command for each logical process, once all devices exist. */
        List<LogicalProcess.Command> commands();
    }

    /**
     * Runs the logical processes of a run on free dispatchers until no message is in flight.
     *
     * @return the outcome, with the time of the last event
     * @throws IllegalStateException with the failure of a device
     * @throws InterruptedException if the caller is interrupted; the run is abandoned
     */
    public LogicalProcess.Outcome execute(Parts parts) throws InterruptedException {
        List<Started> started = startAll(parts, parts.processes());
        try {
            tellAll(started, parts);
            List<LogicalProcess.Outcome> outcomes = new ArrayList<>();
            RuntimeException failure = null;
            for (Started one : started) {
                try {
                    outcomes.add(one.ended.get());
                } catch (ExecutionException e) {
                    failure = graver(failure, e);
                }
            }
            if (failure != null) {
                throw failure;
            }
            LogicalProcess.Outcome outcome = LogicalProcess.Outcome.of(outcomes);
            cpuNanos.addAndGet(outcome.cpuNanos());
            return outcome;
        } catch (ExecutionException e) {
            throw graver(null, e);
        }
    }

    /** Returns the root cause of a failure, not its consequences elsewhere. */
    private static RuntimeException graver(@Nullable RuntimeException before, ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        if (before != null
                && (cause instanceof OtherProcessFailedException
                        || !(before.getCause() instanceof OtherProcessFailedException))) {
            return before;
        }
        if (cause instanceof RunLimitException
                || cause instanceof ArithmeticException
                || cause instanceof TooLargeException) {
            return (RuntimeException) cause;
        }
        return new IllegalStateException(String.valueOf(cause.getMessage()), cause);
    }

    private record Started(
            CompletableFuture<ActorRef<LogicalProcess.Command>> actor,
            CompletableFuture<Void> spawned,
            CompletableFuture<LogicalProcess.Outcome> ended) {}

    /** Dispatcher taken by a run; released once, however often requested. */
    private final class Taken {
        private @Nullable String dispatcher;

        void take() {
            dispatcher = freeDispatchers.remove();
        }

        String dispatcher() {
            return Objects.requireNonNull(dispatcher);
        }

        synchronized void giveBack() {
            if (dispatcher != null) {
                freeDispatchers.add(dispatcher);
                dispatcher = null;
                free.release();
            }
        }
    }

    /** Starts the logical processes of a run. If one cannot start, typically for lack of heap, all dispatchers are released. */
    private List<Started> startAll(Parts parts, int processes) throws InterruptedException {
        ActorSystem<SpawnProtocol.Command> system = starting.join();
        List<Started> started = new ArrayList<>(processes);
        List<Taken> taken = new ArrayList<>(processes);
        for (int process = 0; process < processes; process++) {
            taken.add(new Taken());
        }
        free.acquire(processes);
        taken.forEach(Taken::take);
        try {
            for (int process = 0; process < processes; process++) {
                started.add(start(system, parts, process, taken.get(process)));
            }
        } catch (RuntimeException | Error e) {
            taken.subList(started.size(), processes).forEach(Taken::giveBack);
            stop(started);
            throw e;
        }
        return started;
    }

    private static void stop(List<Started> started) {
        started.forEach(one -> one.actor.thenAccept(actor -> actor.tell(new LogicalProcess.Command.Stop())));
    }

    /** Starts one logical process on a dispatcher, which is released at its end, even if the caller no longer waits. */
    private Started start(ActorSystem<SpawnProtocol.Command> system, Parts parts, int process, Taken taken) {
        String dispatcher = taken.dispatcher();
        CompletableFuture<Void> spawned = new CompletableFuture<>();
        CompletableFuture<LogicalProcess.Outcome> ended = new CompletableFuture<>();
        ended.whenComplete((outcome, failure) -> taken.giveBack());
        CompletableFuture<ActorRef<LogicalProcess.Command>> actor =
                AskPattern.<SpawnProtocol.Command, ActorRef<LogicalProcess.Command>>ask(
                                system,
                                replyTo -> new SpawnProtocol.Spawn<>(
                                        LogicalProcess.create(
                                                process, context -> parts.spawn(process, context), spawned, ended),
                                        "run-" + names.incrementAndGet(),
                                        DispatcherSelector.fromConfig(dispatcher),
                                        replyTo),
                                SPAWN_TIMEOUT,
                                system.scheduler())
                        .whenComplete((ref, failure) -> {
                            if (failure != null) {
                                spawned.completeExceptionally(failure);
                                ended.completeExceptionally(failure);
                            }
                        })
                        .toCompletableFuture();
        return new Started(actor, spawned, ended);
    }

    private static void tellAll(List<Started> started, Parts parts) throws InterruptedException, ExecutionException {
        List<LogicalProcess.Command> commands;
        try {
            for (Started one : started) {
                one.spawned.get();
                one.actor.get();
            }
            commands = parts.commands();
        } catch (RuntimeException | Error | InterruptedException | ExecutionException e) {
            stop(started);
            throw e;
        }
        for (int process = 0; process < commands.size(); process++) {
            started.get(process).actor.get().tell(commands.get(process));
        }
    }

    /** Returns the progress of runs with a waiting caller, in starting order. */
    public List<RunProgress> underWay() {
        return underWay.stream().map(Assembly::progress).toList();
    }

    /** Returns the CPU time of all runs so far for executing events, without setup and collection; a property of the machine. */
    public long cpuNanos() {
        return cpuNanos.get();
    }

    @Override
    public void close() {
        starting.thenAccept(ActorSystem::terminate);
    }
}

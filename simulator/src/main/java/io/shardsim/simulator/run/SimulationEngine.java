package io.shardsim.simulator.run;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.simulator.observation.StepObservation;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.SpawnProtocol;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.AskPattern;

/**
 * Runs simulations on an actor system of its own. Each run takes one virtual-time dispatcher, that is one core; as many runs as there are
 * dispatchers go on at once, further callers wait.
 */
public final class SimulationEngine implements AutoCloseable {
    private static final String DISPATCHER_PREFIX = "virtual-time-";

    private final ActorSystem<SpawnProtocol.Command> system;
    private final BlockingQueue<String> freeDispatchers;
    private final AtomicLong runs = new AtomicLong();

    /**
     * @param threads runs that go on at once, at least 1
     */
    public SimulationEngine(int threads) {
        system = ActorSystem.create(SpawnProtocol.create(), "shardsim", configuration(threads));
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

    /**
     * Runs one simulation to its end.
     *
     * @throws IllegalStateException when the run breaks a rule of the model, with rule, device and time
     * @throws InterruptedException when the caller is interrupted; the run is abandoned
     */
    public StepObservation run(SimulationSetup setup) throws InterruptedException {
        Assembly assembly = new Assembly(setup);
        return Observations.collect(assembly, execute(assembly::spawn));
    }

    /** Lets one logical process run to its end on a free dispatcher. */
    LogicalProcess.Outcome execute(Function<ActorContext<LogicalProcess.Command>, LogicalProcess.Devices> spawn)
            throws InterruptedException {
        String dispatcher = freeDispatchers.take();
        try {
            CompletableFuture<LogicalProcess.Outcome> ended = new CompletableFuture<>();
            AskPattern.<SpawnProtocol.Command, ActorRef<LogicalProcess.Command>>ask(
                            system,
                            replyTo -> new SpawnProtocol.Spawn<>(
                                    LogicalProcess.create(spawn, ended),
                                    "run-" + runs.incrementAndGet(),
                                    DispatcherSelector.fromConfig(dispatcher),
                                    replyTo),
                            Duration.ofSeconds(30),
                            system.scheduler())
                    .whenComplete((ref, failure) -> {
                        if (failure != null) {
                            ended.completeExceptionally(failure);
                        }
                    });
            return ended.get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IllegalStateException(String.valueOf(cause.getMessage()), cause);
        } finally {
            freeDispatchers.add(dispatcher);
        }
    }

    @Override
    public void close() {
        system.terminate();
    }
}

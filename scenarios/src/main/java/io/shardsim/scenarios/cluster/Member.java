package io.shardsim.scenarios.cluster;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.OutOfHeap;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.run.SimulationEngine;
import io.shardsim.simulator.run.SimulationSetup;
import java.io.NotSerializableException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs points that the coordinator hands out, and keeps each result until the command that asked has fetched it, part by part.
 */
final class Member extends AbstractBehavior<Member.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Member.class);
    static final String NAME = "member";
    /** Part of a result that goes in one message [bytes]. */
    private static final int PART = 128 << 10;
    /** Split runs that are remembered, and messages for one that has not begun here. */
    private static final int PARTS_MAX = 64;

    private static final int EARLY_MAX = 4096;

    /** What others say. */
    sealed interface Command {}

    /**
     * When the coordinator hands out a point.
     *
     * @param question packed {@link Question}
     */
    record Assign(Ticket ticket, byte[] question) implements Command, WireMessage {}

    /** When points are no longer wanted: their results are there, or their command is gone. */
    record Drop(List<Ticket> tickets) implements Command, WireMessage {}

    /** When a command wants a part of a result. */
    record Fetch(Ticket ticket, int offset, ActorRef<SweepClient.Command> client) implements Command, WireMessage {}

    /**
     * When a command hands out one logical process of a run; told again until its result is there.
     *
     * @param question packed {@link Question}
     * @param run name of the run, another one for other members
     * @param process index of the logical process
     * @param members that run the logical processes, in order
     */
    record AssignPart(Ticket ticket, byte[] question, String run, int process, List<ActorRef<Command>> members)
            implements Command, WireMessage {}

    /** When another logical process of a run has something for one here. */
    record Window(RemoteExchange.Piece piece) implements Command, WireMessage {}

    /** When it is time to say how it is. */
    private record Tick() implements Command {}

    /** When a point is done. */
    private record Finished(Ticket ticket, int number, byte[] answer) implements Command {}

    /** When this member is about to leave. */
    record Leave(Runnable done) implements Command {}

    private final ActorRef<Coordinator.Command> coordinator;
    private final String address;
    private final int slots;
    private final Runs runs;
    /** Points that run: state. */
    private final Map<Ticket, Running> running = new LinkedHashMap<>();
    /** Results that wait to be fetched: state. */
    private final Map<Ticket, byte[]> finished = new LinkedHashMap<>();
    /** Points begun so far: state. */
    private int begun;

    /** Logical processes of runs that are split, by name of the run; some that begin elsewhere sooner than here: state. */
    private final Map<String, Part> parts = new LinkedHashMap<>();

    /**
     * @param run that it is a part of; empty for a whole point
     * @param number of all that were begun here
     */
    private record Running(Future<?> task, String run, int number) {}

    /** What has come for a logical process before it began here, or the exchange that takes it since. */
    private static final class Part {
        final List<RemoteExchange.Piece> early = new ArrayList<>();

        @Nullable
        RemoteExchange exchange;
    }

    private Member(
            ActorContext<Command> context,
            ActorRef<Coordinator.Command> coordinator,
            String address,
            int slots,
            Runs runs) {
        super(context);
        this.coordinator = coordinator;
        this.address = address;
        this.slots = slots;
        this.runs = runs;
    }

    /**
     * @param address as the others know this member
     * @param slots points that run at once
     */
    static Behavior<Command> create(ActorRef<Coordinator.Command> coordinator, String address, int slots, Runs runs) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(new Tick(), Coordinator.BEAT);
            Member member = new Member(context, coordinator, address, slots, runs);
            member.beat();
            return member;
        }));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Window.class, this::onWindow)
                .onMessage(Fetch.class, this::onFetch)
                .onMessage(Assign.class, this::onAssign)
                .onMessage(AssignPart.class, this::onAssignPart)
                .onMessage(Finished.class, this::onFinished)
                .onMessage(Drop.class, this::onDrop)
                .onMessage(Tick.class, tick -> onTick())
                .onMessage(Leave.class, this::onLeave)
                .onSignal(PostStop.class, stopped -> {
                    runs.close();
                    return this;
                })
                .build();
    }

    private Behavior<Command> onAssign(Assign assign) {
        Ticket ticket = assign.ticket();
        if (!running.containsKey(ticket) && !finished.containsKey(ticket) && running.size() < slots) {
            running.put(ticket, new Running(runs.start(assign.question(), whenDone(ticket)), "", begun));
            LOG.info("runs {}", ticket);
        }
        return this;
    }

    private Consumer<byte[]> whenDone(Ticket ticket) {
        ActorRef<Command> self = getContext().getSelf();
        int number = ++begun;
        return answer -> self.tell(new Finished(ticket, number, answer));
    }

    private Behavior<Command> onAssignPart(AssignPart assign) {
        Ticket ticket = assign.ticket();
        Running there = running.get(ticket);
        if (finished.containsKey(ticket) || there != null && there.run().equals(assign.run())) {
            return this;
        }
        if (there != null) {
            // It begins again, with other members.
            there.task().cancel(true);
        }
        int processes = assign.members().size();
        if (assign.process() < 0 || assign.process() >= processes) {
            return this;
        }
        RemoteExchange exchange = new RemoteExchange(
                assign.run(),
                assign.process(),
                processes,
                (process, piece) -> assign.members().get(process).tell(new Window(piece)),
                runs.counts());
        Part part = part(assign.run());
        part.early.forEach(exchange::receive);
        part.early.clear();
        part.exchange = exchange;
        running.put(
                ticket,
                new Running(runs.startPart(assign.question(), exchange, whenDone(ticket)), assign.run(), begun));
        LOG.info("runs part {} of {} of {}", assign.process() + 1, processes, ticket);
        return this;
    }

    private Part part(String run) {
        Part part = parts.computeIfAbsent(run, name -> new Part());
        if (parts.size() > PARTS_MAX) {
            parts.remove(parts.keySet().iterator().next());
        }
        return part;
    }

    private Behavior<Command> onWindow(Window window) {
        Part part = part(window.piece().run());
        if (part.exchange != null) {
            part.exchange.receive(window.piece());
        } else if (part.early.size() < EARLY_MAX) {
            part.early.add(window.piece());
        }
        return this;
    }

    private Behavior<Command> onFinished(Finished message) {
        Running run = running.get(message.ticket());
        if (run != null && run.number() == message.number()) {
            running.remove(message.ticket());
            finished.put(message.ticket(), message.answer());
            beat();
        }
        return this;
    }

    private Behavior<Command> onFetch(Fetch fetch) {
        byte[] answer = finished.get(fetch.ticket());
        if (answer != null && fetch.offset() >= 0 && fetch.offset() < answer.length) {
            int end = Math.min(answer.length, fetch.offset() + PART);
            fetch.client()
                    .tell(new SweepClient.Part(
                            fetch.ticket().number(),
                            address,
                            answer.length,
                            fetch.offset(),
                            Arrays.copyOfRange(answer, fetch.offset(), end)));
        }
        return this;
    }

    private Behavior<Command> onDrop(Drop drop) {
        boolean freed = false;
        for (Ticket ticket : drop.tickets()) {
            Running run = running.remove(ticket);
            if (run != null) {
                run.task().cancel(true);
                freed = true;
            }
            finished.remove(ticket);
        }
        if (freed) {
            beat();
        }
        return this;
    }

    private Behavior<Command> onTick() {
        beat();
        return this;
    }

    private void beat() {
        coordinator.tell(new Coordinator.Beat(
                getContext().getSelf(), address, slots, List.copyOf(running.keySet()), List.copyOf(finished.keySet())));
    }

    private Behavior<Command> onLeave(Leave leave) {
        running.values().forEach(run -> run.task().cancel(true));
        coordinator.tell(new Coordinator.Beat(getContext().getSelf(), address, 0, List.of(), List.of()));
        leave.done().run();
        return Behaviors.stopped();
    }

    /** Points that run on threads of their own, some at once. */
    static final class Runs implements AutoCloseable {
        private final RunnerFactory runners;
        private final int threads;
        private final Consumer<RunResult> observer;
        private final ExecutorService executor;
        private final WireCodec codec = ClusterProtocol.contentCodec();
        /** One runner for each kind of options: state, guarded by this. */
        private final Map<RunOptions, ScenarioRunner> byOptions = new HashMap<>();

        private final RemoteExchange.Counts counts = new RemoteExchange.Counts();
        private final AtomicInteger underWay = new AtomicInteger();

        /** @param observer hears of every result */
        Runs(RunnerFactory runners, int threads, Consumer<RunResult> observer) {
            this(runners, threads, observer, Executors.newCachedThreadPool(task -> {
                Thread thread = new Thread(task, "point");
                thread.setDaemon(true);
                return thread;
            }));
        }

        /** @param executor runs the points; shut down with this */
        Runs(RunnerFactory runners, int threads, Consumer<RunResult> observer, ExecutorService executor) {
            this.runners = runners;
            this.threads = threads;
            this.observer = observer;
            this.executor = executor;
        }

        Future<?> start(byte[] question, Consumer<byte[]> whenDone) {
            return submit(question, asked -> runner(asked.options()).run(asked.point()), whenDone);
        }

        /** Runs one logical process of a point. */
        Future<?> startPart(byte[] question, RemoteExchange exchange, Consumer<byte[]> whenDone) {
            return submit(
                    question,
                    asked -> {
                        try (PointSimulation simulation = new PointSimulation(
                                new RunOptions(1, false).running(asked.options().tooLarge()),
                                (setup, observer, limits) -> whole(setup, exchange))) {
                            return simulation.run(asked.point());
                        }
                    },
                    whenDone);
        }

        private StepObservation whole(SimulationSetup setup, RemoteExchange exchange) throws InterruptedException {
            try (SimulationEngine engine = new SimulationEngine(exchange.processes())) {
                return SimulationEngine.whole(exchange.gather(engine.runPart(setup, exchange), codec));
            }
        }

        RemoteExchange.Counts counts() {
            return counts;
        }

        /** Answers a question. */
        private interface Answering {
            RunResult answer(Question question) throws InterruptedException;
        }

        private Future<?> submit(byte[] question, Answering answering, Consumer<byte[]> whenDone) {
            return executor.submit(() -> {
                underWay.incrementAndGet();
                try {
                    whenDone.accept(codec.pack(answer(question, answering)));
                } catch (InterruptedException dropped) {
                    Thread.currentThread().interrupt();
                } finally {
                    underWay.decrementAndGet();
                }
            });
        }

        int underWay() {
            return underWay.get();
        }

        private Answer answer(byte[] packed, Answering answering) throws InterruptedException {
            try {
                Question question = codec.unpack(packed, Question.class);
                RunResult result = answering.answer(question);
                observer.accept(result);
                return new Answer.Done(result);
            } catch (NotSerializableException unreadable) {
                return new Answer.Failed("the question could not be read: " + unreadable.getMessage());
            } catch (TooLargeException tooLarge) {
                return new Answer.TooLarge(String.valueOf(tooLarge.getMessage()), tooLarge.keys());
            } catch (RuntimeException | OutOfMemoryError | StackOverflowError | AssertionError failure) {
                if (OutOfHeap.isCauseOf(failure)) {
                    return new Answer.Failed("the member itself ran out of memory; " + OutOfHeap.remedy()
                            + ", or let it run fewer points at once with --threads 1");
                }
                return new Answer.Failed(failure.getMessage() == null ? failure.toString() : failure.getMessage());
            }
        }

        private synchronized ScenarioRunner runner(RunOptions asked) {
            return byOptions.computeIfAbsent(asked.withThreads(threads), runners::create);
        }

        @Override
        public void close() {
            executor.shutdownNow();
            List<ScenarioRunner> all;
            synchronized (this) {
                all = new ArrayList<>(byOptions.values());
                byOptions.clear();
            }
            all.forEach(ScenarioRunner::close);
        }
    }
}

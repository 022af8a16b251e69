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
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
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

/** Runs points that the coordinator assigns, and keeps each result until the requesting command has fetched it in parts. */
final class Member extends AbstractBehavior<Member.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Member.class);
    static final String NAME = "member";
    /** Maximum part of a result per message [bytes]. */
    private static final int PART = 128 << 10;
    /** Number of attempts remembered, and of messages kept for one that has not started here. */
    private static final int ATTEMPTS_MAX = 64;

    private static final int EARLY_MAX = 4096;

    /** Messages to a member. */
    sealed interface Command {}

    /**
     * An assignment of a point by the coordinator.
     *
     * @param question packed {@link Question}
     */
    record Assign(Ticket ticket, byte[] question) implements Command, WireMessage {}

    /** Points that are no longer wanted: their results have arrived, or their command is gone. */
    record Drop(List<Ticket> tickets) implements Command, WireMessage {}

    /** A command's request for part of a result. */
    record Fetch(Ticket ticket, int offset, ActorRef<SweepClient.Command> client) implements Command, WireMessage {}

    /**
     * An assignment of one logical process of a run by a command; repeated until its result arrives.
     *
     * @param question packed {@link Question}
     * @param process index of the logical process
     * @param members members that run the logical processes, in order
     * @param client notified when the attempt is over here, or an older one than another
     */
    record AssignPart(
            Attempt attempt,
            byte[] question,
            int process,
            List<ActorRef<Command>> members,
            ActorRef<SweepClient.Command> client)
            implements Command, WireMessage {}

    /** Data from another logical process of a run for one here. */
    record Window(RemoteExchange.Piece piece, ActorRef<Command> from) implements Command, WireMessage {}

    /** A notice that another member has given up its part of an attempt, so that the part here would wait forever. */
    record Ended(Attempt attempt) implements Command, WireMessage {}

    /** The timer for status reports. */
    private record Tick() implements Command {}

    /** A finished point. */
    private record Finished(Ticket ticket, int number, byte[] answer) implements Command {}

    /** A request to prepare for leaving. */
    record Leave(Runnable done) implements Command {}

    private final ActorRef<Coordinator.Command> coordinator;
    private final String address;
    private final int slots;
    private final Runs runs;
    /** State: running points. */
    private final Map<Ticket, Running> running = new LinkedHashMap<>();
    /** State: results to be fetched. */
    private final Map<Ticket, byte[]> finished = new LinkedHashMap<>();
    /** State: number of points started so far. */
    private int begun;

    /** State: latest attempts of which a part has started here. */
    private final Map<Ticket, Attempt> attempts = new LinkedHashMap<>();
    /** State: data that arrived for parts that started elsewhere before they did here. */
    private final Map<Attempt, List<RemoteExchange.Piece>> early = new LinkedHashMap<>();

    /**
     * @param part the part; null for a whole point
     * @param number sequence number among all points started here
     */
    private record Running(Future<?> task, @Nullable Part part, int number) {
        boolean isOf(Attempt attempt) {
            return part != null && part.attempt().equals(attempt);
        }
    }

    private record Part(Attempt attempt, RemoteExchange exchange) {}

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
     * @param address this member's address as the others know it
     * @param slots number of concurrent points
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
                .onMessage(Ended.class, this::onEnded)
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
            running.put(ticket, new Running(runs.start(assign.question(), whenDone(ticket)), null, begun));
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
        Attempt attempt = assign.attempt();
        Ticket ticket = attempt.ticket();
        int processes = assign.members().size();
        Running there = running.get(ticket);
        if (finished.containsKey(ticket)
                || there != null && there.isOf(attempt)
                || assign.process() < 0
                || assign.process() >= processes) {
            return this;
        }
        Attempt last = attempts.get(ticket);
        if (last != null && last.number() >= attempt.number()) {
            boolean goesOn = there != null && last.members() == attempt.members();
            assign.client().tell(new SweepClient.Attempted(ticket.number(), last.number() + (goesOn ? 0 : 1)));
            return this;
        }
        if (there != null) {
            there.task().cancel(true);
        }
        begin(assign, attempt);
        LOG.info("runs part {} of {} of {}, attempt {}", assign.process() + 1, processes, ticket, attempt.number());
        return this;
    }

    private void begin(AssignPart assign, Attempt attempt) {
        ActorRef<Command> self = getContext().getSelf();
        RemoteExchange exchange = runs.exchange(
                attempt,
                assign.process(),
                assign.members().size(),
                (process, piece) -> assign.members().get(process).tell(new Window(piece, self)));
        List<RemoteExchange.Piece> come = early.remove(attempt);
        if (come != null) {
            come.forEach(exchange::receive);
        }
        attempts.put(attempt.ticket(), attempt);
        forgetFirst(attempts);
        Future<?> task = runs.startPart(assign.question(), exchange, whenDone(attempt.ticket()));
        running.put(attempt.ticket(), new Running(task, new Part(attempt, exchange), begun));
    }

    private static void forgetFirst(Map<?, ?> table) {
        if (table.size() > ATTEMPTS_MAX) {
            table.remove(table.keySet().iterator().next());
        }
    }

    private Behavior<Command> onWindow(Window window) {
        Attempt attempt = window.piece().attempt();
        Running there = running.get(attempt.ticket());
        Part part = there == null ? null : there.part();
        if (part != null && part.attempt().equals(attempt)) {
            part.exchange().receive(window.piece());
            return this;
        }
        Attempt last = attempts.get(attempt.ticket());
        if (last == null || last.number() < attempt.number()) {
            List<RemoteExchange.Piece> waiting = early.computeIfAbsent(attempt, unknown -> new ArrayList<>());
            if (waiting.size() < EARLY_MAX) {
                waiting.add(window.piece());
            }
            forgetFirst(early);
        } else if (!finished.containsKey(attempt.ticket())) {
            window.from().tell(new Ended(attempt));
        }
        return this;
    }

    private Behavior<Command> onEnded(Ended ended) {
        Ticket ticket = ended.attempt().ticket();
        Running there = running.get(ticket);
        if (there != null && there.isOf(ended.attempt())) {
            LOG.info(
                    "ends its part of {}, attempt {}: another part of it has ended",
                    ticket,
                    ended.attempt().number());
            running.remove(ticket);
            there.task().cancel(true);
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

    /** Runs points on threads of their own, several concurrently. */
    static class Runs implements AutoCloseable {
        private final RunnerFactory runners;
        private final int threads;
        private final Consumer<RunResult> observer;
        private final ExecutorService executor;
        private final WireCodec codec = ClusterProtocol.contentCodec();
        /** State: one runner per set of options, guarded by this. */
        private final Map<RunOptions, ScenarioRunner> byOptions = new HashMap<>();

        private final RemoteExchange.Counts counts = new RemoteExchange.Counts();
        private final AtomicInteger underWay = new AtomicInteger();

        /** @param observer receives every result */
        Runs(RunnerFactory runners, int threads, Consumer<RunResult> observer) {
            this(runners, threads, observer, Executors.newCachedThreadPool(task -> {
                Thread thread = new Thread(task, "point");
                thread.setDaemon(true);
                return thread;
            }));
        }

        /** @param executor executor of the points; shut down with this */
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

        RemoteExchange exchange(
                Attempt attempt, int process, int processes, BiConsumer<Integer, RemoteExchange.Piece> send) {
            return new RemoteExchange(attempt, process, processes, send, counts, new LinkedBlockingQueue<>());
        }

        RemoteExchange.Counts counts() {
            return counts;
        }

        /** Answers questions. */
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

package io.shardsim.scenarios.cluster;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.apache.pekko.actor.testkit.typed.Effect;
import org.apache.pekko.actor.testkit.typed.javadsl.BehaviorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestInbox;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.internal.InterceptorImpl;
import org.jspecify.annotations.Nullable;

/**
 * Coordinator, members and commands as they are, on a simulated network, clock and disk. All that happens follows from a seed. Every message is written
 * as bytes and read again; the network loses, delays, reorders and doubles it; machines crash and come back; the network falls in two. A command's
 * connection brings all in order, until it is cut.
 *
 * <p>Here the simulation ends: what Pekko itself does is simulated by its outcome. A new coordinator appears some seconds after the old one's machine is
 * gone, and the smaller side of a network that stays apart is ended. Pekko's own connections, gossip and elections are not run.
 */
final class SimulatedCluster {
    static final Duration SILENCE = Duration.ofSeconds(4);
    static final Duration TAKEOVER = Duration.ofSeconds(60);
    /** Network apart for longer than this ends the smaller side. */
    private static final long REMOVAL_NANOS = SimulatedTime.millis(7_000);

    static final int SLOTS = 2;
    final SplittableRandom random;
    final SimulatedTime time;
    private final RunnerFactory runners;
    private final SimulatedNetwork network;
    private final TestInbox<Coordinator.Command> coordinatorName = TestInbox.create("coordinator");
    private final List<Machine> machines = new ArrayList<>();
    private final List<Running<?>> processes = new ArrayList<>();
    private final Map<String, ActorRef<?>> names = new HashMap<>();
    private @Nullable Running<Coordinator.Command> coordinator;
    /** Points under way: state. */
    private final List<Work> works = new ArrayList<>();
    /** Whether one point is still to hang: state. */
    private boolean hanging;

    /** A point that takes its machine with it: state. */
    private @Nullable Ticket deadly;
    /** Machines that it took: state. */
    private int deaths;
    /** Coordinators so far: state. */
    private int elections;
    /** Crashes so far, and machines that were cut off: state. */
    private int losses;
    /** Assignments that came to members: state. */
    private int assignments;
    /** Longest time that a command had heard no coordinator when one of its points ended: state. */
    private long longestSilenceNanos;
    /** The same of a command that had heard no worker, and of one that had not heard of any that runs points. */
    private long longestLonelinessNanos;

    private long longestIdlenessNanos;

    /** Connections of commands that are not over: state. */
    private final List<SimulatedLink> links = new ArrayList<>();

    private final Watch watch;
    /** By name of the job. */
    private final Map<String, Command> commands = new LinkedHashMap<>();

    /** A point that a member runs, or that it was told to drop. */
    final class Work {
        final Ticket ticket;
        final Machine machine;
        final long beganNanos = time.nowNanos();
        private final int life;
        private final Future<?> task;

        Work(Ticket ticket, Machine machine, Future<?> task) {
            this.ticket = ticket;
            this.machine = machine;
            this.task = task;
            life = machine.lives;
        }

        boolean isLive() {
            return machine.up && machine.lives == life && !task.isDone();
        }
    }

    /** A machine: of a member, or of a command. */
    static final class Machine {
        final String address;
        /** State. */
        int lives;

        boolean up;

        @Nullable
        Running<Member.Command> member;

        @Nullable
        Unhurried executor;

        /** Of the part that was handed out last. */
        SimulatedPart.@Nullable Inbox inbox;

        final List<SimulatedPart> parts = new ArrayList<>();

        Machine(String address) {
            this.address = address;
        }
    }

    /** An actor on a machine, which ends with it. */
    final class Running<T> {
        final Machine machine;
        final BehaviorTestKit<T> kit;
        final int life;

        Running(Machine machine, Behavior<T> behavior, String name) {
            this.machine = machine;
            life = machine.lives;
            kit = BehaviorTestKit.create(behavior, name);
            names.put(name(kit.getRef()), kit.getRef());
            processes.add(this);
            speak(machine, () -> {}, null);
            follow();
        }

        /** Timers repeat until their actor ends; other means of Pekko are not simulated. */
        private void follow() {
            for (Effect effect : kit.getAllEffects()) {
                if (!(effect instanceof Effect.TimerScheduled<?> timer)
                        || !timer.mode().toString().equals("FixedDelayMode")) {
                    throw new AssertionError("not simulated: " + effect);
                }
                tick(timer.msg(), timer.delay().toNanos());
            }
        }

        boolean isRunning() {
            return machine.up && machine.lives == life && kit.isAlive();
        }

        /** The object that keeps the actor's state. */
        Object actor() {
            Behavior<?> actor = kit.currentBehavior();
            while (actor instanceof InterceptorImpl<?, ?> around) {
                actor = around.nestedBehavior();
            }
            return actor;
        }

        void receive(Object message) {
            if (isRunning()) {
                @SuppressWarnings("unchecked") // As it was sent: to a reference of this type.
                T own = (T) message;
                speak(
                        machine,
                        () -> kit.run(own),
                        message instanceof Member.Assign assign
                                ? assign.ticket()
                                : message instanceof Member.AssignPart assign
                                        ? assign.attempt().ticket()
                                        : null);
                follow();
            }
        }

        /** Timers of a busy machine are late now and then. */
        private void tick(Object message, long nanos) {
            time.after(nanos + random.nextLong(nanos / 4), () -> {
                receive(message);
                if (isRunning()) {
                    tick(message, nanos);
                }
            });
        }
    }

    /** @param members machines with a member each */
    SimulatedCluster(SplittableRandom random, SimulatedNetwork.Faults faults, int members, RunnerFactory runners) {
        watch = new Watch(this);
        this.random = random;
        this.runners = runners;
        time = new SimulatedTime(random.nextLong());
        names.put(name(coordinatorName.getRef()), coordinatorName.getRef());
        network = new SimulatedNetwork(
                random,
                time,
                faults,
                WireCodec.withText(ClusterProtocol.messages(), ActorRef.class, SimulatedCluster::name, names::get));
        for (int i = 0; i < members; i++) {
            Machine machine = new Machine("member-" + i + ":25520");
            machines.add(machine);
            start(machine);
        }
        elect();
        watch.look();
    }

    /** The same without the time that it took, which differs from run to run. */
    static RunResult timeless(RunResult result) {
        return taking(1, result);
    }

    /** The same result, with another wall time. */
    static RunResult taking(double wallSeconds, RunResult result) {
        RunResult.Effort effort = result.effort();
        return new RunResult(
                result.facts(),
                result.training(),
                result.collective(),
                result.network(),
                result.rank0(),
                result.remedy(),
                new RunResult.Effort(
                        effort.executedEvents(), effort.simulatedEvents(), effort.pendingEventsMax(), wallSeconds),
                result.digest());
    }

    private static String name(ActorRef<?> ref) {
        return ref.path().name();
    }

    List<Machine> machines() {
        return machines;
    }

    private void start(Machine machine) {
        machine.lives++;
        machine.up = true;
        Unhurried executor = new Unhurried();
        machine.executor = executor;
        Member.Runs runs = new Member.Runs(runners, SLOTS, result -> {}, executor) {
            @Override
            RemoteExchange exchange(
                    Attempt attempt, int process, int processes, BiConsumer<Integer, RemoteExchange.Piece> send) {
                SimulatedPart.Inbox inbox = new SimulatedPart.Inbox();
                machine.inbox = inbox;
                return new RemoteExchange(attempt, process, processes, send, counts(), inbox);
            }
        };
        machine.member = new Running<>(
                machine,
                Member.create(coordinatorName.getRef(), machine.address, SLOTS, runs),
                "member-" + machines.indexOf(machine) + "-" + machine.lives);
    }

    /** A machine loses its power, and has it again after a while. */
    void crash(Machine machine) {
        if (machine.up) {
            losses++;
            watch.touched(true);
            end(machine, between(5_000, 12_000));
        }
    }

    /** A member is interrupted: it says that it leaves, ends soon after, and is started again. */
    void leave(Machine machine) {
        int life = machine.lives;
        if (machine.up) {
            watch.touched(false);
            Objects.requireNonNull(machine.member).receive(new Member.Leave(() -> {}));
            watch.lost(machine);
            time.after(between(100, 1_000), () -> {
                if (machine.up && machine.lives == life) {
                    watch.touched(false);
                    end(machine, between(1_000, 3_000));
                }
            });
        }
    }

    /** A member is told to drop a point, by an order that comes late. */
    void drop(Machine machine, Ticket ticket) {
        if (machine.up) {
            Objects.requireNonNull(machine.member).receive(new Member.Drop(List.of(ticket)));
        }
    }

    private void end(Machine machine, long electionNanos) {
        watch.lost(machine);
        machine.up = false;
        machine.parts.forEach(SimulatedPart::kill);
        machine.parts.clear();
        // Its system says that connections are gone, or it has no more power to.
        List.copyOf(links).stream()
                .filter(link -> link.machine == machine && random.nextBoolean())
                .forEach(SimulatedLink::reset);
        if (coordinator != null && coordinator.machine == machine) {
            coordinator = null;
            time.after(electionNanos, this::elect);
        }
        time.after(between(1_000, random.nextInt(5) == 0 ? 90_000 : 20_000), () -> start(machine));
    }

    /** This point takes every machine that runs it with it, but for the coordinator's: with that goes the count of such losses. */
    void setDeadly(Ticket ticket) {
        deadly = ticket;
    }

    /** One point that runs from now on takes an hour on its first member. */
    void hang() {
        hanging = true;
    }

    private void elect() {
        if (coordinator != null) {
            return;
        }
        for (Machine machine : machines) {
            if (machine.up && !network.isApart(machine)) {
                elections++;
                coordinator = new Running<>(
                        machine, Coordinator.create(SILENCE, time::clock), "coordinator-" + time.nowNanos());
                return;
            }
        }
        time.after(between(500, 1_000), this::elect);
    }

    /** The network falls in two for a while. */
    void part() {
        if (!network.isWhole()) {
            return;
        }
        List<Machine> smaller = new ArrayList<>();
        for (Machine machine : machines) {
            if (2 * smaller.size() + 2 < machines.size() && random.nextBoolean()) {
                smaller.add(machine);
            }
        }
        network.part(smaller);
        watch.touched(true);
        losses += smaller.size();
        long nanos = between(500, 12_000);
        if (nanos > REMOVAL_NANOS) {
            time.after(REMOVAL_NANOS, () -> List.copyOf(smaller).forEach(this::crash));
        }
        time.after(nanos, network::heal);
    }

    /** A command on a machine of its own. */
    final class Command {
        private final Machine machine;
        private final String job;
        private final RemotePoints points;
        private final Map<Integer, CompletableFuture<RunResult>> asked = new LinkedHashMap<>();
        private final Set<Integer> cancelled = new HashSet<>();
        final List<String> notices = new ArrayList<>();
        /** When it last heard that the coordinator was heard, and when it last heard a worker. */
        private long coordinatorNanos = time.nowNanos();

        private long workerNanos = time.nowNanos();
        private long memberNanos = time.nowNanos();
        /** Whether it was ended while all was well, so that the coordinator knows. */
        private boolean over;

        private boolean closed;
        /** When the coordinator last heard what it wants, and whether it was ever silent for so long that the coordinator forgot it. */
        private long saidNanos = time.nowNanos();

        private boolean forgotten;
        private int answers;

        /** @param contacts that it knows at first */
        Command(String job, List<Machine> contacts) {
            this.job = job;
            machine = new Machine(job);
            machine.up = true;
            points = new RemotePoints(
                    settings(contacts), job, (contact, asking) -> connect(contact), notices::add, time::clock);
            commands.put(job, this);
            tick();
        }

        private SimulatedLink connect(HostPort contact) {
            Machine to = machines.stream()
                    .filter(each -> each.address.equals(contact.toString()))
                    .findFirst()
                    .orElseThrow();
            SimulatedLink link = new SimulatedLink(SimulatedCluster.this, this, to);
            links.add(link);
            return link;
        }

        private void tick() {
            if (isOpen()) {
                points.tick();
                time.after(Coordinator.BEAT.toNanos() + random.nextLong(Coordinator.BEAT.toNanos() / 4), this::tick);
            }
        }

        RemotePoints points() {
            return points;
        }

        boolean isUp() {
            return machine.up;
        }

        int ask(double weight, byte[] question, CompletableFuture<RunResult> result) {
            return ask(weight, 0, false, question, result);
        }

        int ask(double weight, int parts, boolean restart, byte[] question, CompletableFuture<RunResult> result) {
            CompletableFuture<RunResult> unused = result.whenComplete((come, failure) -> ended(failure));
            int number = points.ask(weight, parts, restart, question, result);
            asked.put(number, result);
            return number;
        }

        private void saidWhatItWants() {
            forgotten |= time.nowNanos() - saidNanos > SILENCE.multipliedBy(3).toNanos();
            saidNanos = time.nowNanos();
        }

        boolean wasForgotten() {
            return forgotten;
        }

        /** Something has come from a worker. */
        void heard(DoorMessage message) {
            workerNanos = time.nowNanos();
            if (message instanceof DoorMessage.Progress progress && progress.silentMillis() >= 0) {
                coordinatorNanos =
                        Math.max(coordinatorNanos, workerNanos - SimulatedTime.millis(progress.silentMillis()));
                memberNanos = progress.workers().isEmpty() ? memberNanos : workerNanos;
            }
        }

        private void ended(@Nullable Throwable failure) {
            longestSilenceNanos = Math.max(longestSilenceNanos, time.nowNanos() - coordinatorNanos);
            longestLonelinessNanos = Math.max(longestLonelinessNanos, time.nowNanos() - workerNanos);
            longestIdlenessNanos = Math.max(longestIdlenessNanos, time.nowNanos() - memberNanos);
            answers += failure == null || String.valueOf(failure.getMessage()).startsWith("Node[") ? 1 : 0;
        }

        boolean wants(int number) {
            CompletableFuture<RunResult> result = asked.get(number);
            return isOpen() && result != null && !result.isDone() && !cancelled.contains(number);
        }

        boolean has(int number) {
            CompletableFuture<RunResult> result = asked.get(number);
            return result != null && result.isDone();
        }

        /** What it waits for. */
        List<Ticket> wanted() {
            return asked.keySet().stream()
                    .filter(this::wants)
                    .map(number -> new Ticket(job, number))
                    .toList();
        }

        boolean isOpen() {
            return machine.up && !closed;
        }

        /** Whether it hears a worker, and that one it. */
        boolean isConnected() {
            return links.stream().anyMatch(link -> link.isOf(this) && link.isWhole());
        }

        boolean isKnownToBeOver() {
            return over;
        }

        /** Points whose answer a member gave, which no error of the cluster is. */
        int answers() {
            return answers;
        }

        /** Points that it says it waits for. */
        int waitsFor() {
            return points.wanted();
        }

        /** Answers, as it counts them for its user. */
        int counted() {
            return points.counted();
        }

        void cancel(int number) {
            cancelled.add(number);
            points.cancel(number);
        }

        void close() {
            over = watch.isSettled();
            if (!over) {
                watch.unheard();
            }
            points.close();
            closed = true;
        }

        void kill() {
            watch.unheard();
            machine.up = false;
            // Its system says so, or its machine has no more power to.
            List.copyOf(links).stream()
                    .filter(link -> link.isOf(this) && random.nextBoolean())
                    .forEach(SimulatedLink::gone);
        }

        /** Its connections are cut: both sides hear so, or only one. */
        void cut() {
            watch.touched(true);
            List.copyOf(links).stream().filter(link -> link.isOf(this)).forEach(link -> {
                int what = random.nextInt(3);
                if (what != 0) {
                    link.reset();
                }
                if (what != 1) {
                    link.gone();
                }
                link.cut();
            });
        }
    }

    private static ClusterSettings settings(List<Machine> contacts) {
        return new ClusterSettings(
                "shardsim",
                ClusterSettings.LOOPBACK,
                ClusterSettings.LOOPBACK,
                0,
                contacts.stream()
                        .map(machine -> HostPort.parse(machine.address))
                        .toList(),
                null,
                null,
                new ClusterSettings.Patience(SILENCE, SILENCE, TAKEOVER, TAKEOVER, TAKEOVER));
    }

    /** The worker's side of a command's connection. */
    Running<SweepClient.Command> visit(Machine machine, DoorMessage.Hello hello, SweepClient.Way way) {
        return new Running<>(
                machine,
                SweepClient.create(hello, coordinatorName.getRef(), SILENCE.multipliedBy(3), way, time::clock),
                "client-" + hello.job() + "-" + hello.connection());
    }

    /** Connections of commands that workers have. */
    long visits() {
        return processes.stream()
                .filter(process ->
                        process.isRunning() && name(process.kit.getRef()).startsWith("client-"))
                .count();
    }

    void forget(SimulatedLink link) {
        links.remove(link);
    }

    Map<String, Command> commands() {
        return commands;
    }

    List<Work> works() {
        works.removeIf(work -> !work.isLive());
        return works;
    }

    SimulatedNetwork network() {
        return network;
    }

    Watch watch() {
        return watch;
    }

    int losses() {
        return losses;
    }

    /** Whether a deadly point took more machines than the three after which each coordinator gives it up, and one that was its last word. */
    boolean tooManyDied() {
        return deaths > 4 * elections - 1;
    }

    int assignments() {
        return assignments;
    }

    long longestSilenceNanos() {
        return longestSilenceNanos;
    }

    long longestIdlenessNanos() {
        return longestIdlenessNanos;
    }

    long longestLonelinessNanos() {
        return longestLonelinessNanos;
    }

    /** Whether one machine coordinates, and reaches all that are up, and every command has a connection. */
    boolean isWhole() {
        return network.isFine()
                && network.isWhole()
                && coordinator != null
                && coordinator.isRunning()
                && commands.values().stream().allMatch(command -> !command.isOpen() || command.isConnected());
    }

    /** One that runs a point. */
    Machine busyMachine(Machine otherwise, boolean coordinating) {
        return works().stream()
                .map(work -> work.machine)
                .filter(machine -> coordinating || coordinator == null || coordinator.machine != machine)
                .findFirst()
                .orElse(otherwise);
    }

    boolean everyMemberRuns() {
        return machines.stream()
                .allMatch(machine -> Objects.requireNonNull(machine.member).isRunning());
    }

    /** Slots of members that run, less the points that run on them. */
    int freeSlots() {
        int slots = 0;
        for (Machine machine : machines) {
            slots += Objects.requireNonNull(machine.member).isRunning() ? SLOTS : 0;
        }
        return slots - works().size();
    }

    /** Entries in the tables of the coordinator and of members that run, by name of the table; those that have some. */
    Map<String, Integer> tables() {
        Map<String, Integer> all = new TreeMap<>();
        Tables.count(Objects.requireNonNull(coordinator).actor(), all);
        for (Machine machine : machines) {
            Running<Member.Command> member = Objects.requireNonNull(machine.member);
            if (member.isRunning()) {
                Tables.count(member.actor(), all);
            }
        }
        return all;
    }

    private long between(int fromMillis, int untilMillis) {
        return SimulatedTime.millis(random.nextInt(fromMillis, untilMillis));
    }

    /** An actor does something; what it has sent by then goes on its way. */
    private void speak(Machine machine, Runnable doing, @Nullable Ticket assigned) {
        doing.run();
        machine.parts.forEach(SimulatedPart::endIfCancelled);
        machine.parts.removeIf(SimulatedPart::isOver);
        processes.removeIf(process -> !process.isRunning());
        for (Running<?> process : List.copyOf(processes)) {
            for (Object message : process.kit.selfInbox().getAllReceived()) {
                send(machine, process, message);
            }
        }
        for (Coordinator.Command message : coordinatorName.getAllReceived()) {
            if (coordinator != null) {
                send(machine, coordinator, message);
            }
        }
        if (machine.executor != null) {
            begin(machine, machine.executor, assigned);
        }
    }

    /** What a member has given its threads takes a while. */
    private void begin(Machine machine, Unhurried executor, @Nullable Ticket assigned) {
        for (Runnable task = executor.next(); task != null; task = executor.next()) {
            Work work = new Work(Objects.requireNonNull(assigned), machine, (Future<?>) task);
            SimulatedPart.Inbox inbox = machine.inbox;
            if (inbox != null) {
                machine.inbox = null;
                works.add(work);
                beginPart(work, task, inbox);
                continue;
            }
            watch.begins(work);
            works.add(work);
            Runnable run = task;
            long nanos = between(5, random.nextInt(4) == 0 ? 40_000 : 3_000);
            if (work.ticket.equals(deadly) && (coordinator == null || coordinator.machine != machine)) {
                deaths++;
                time.after(0, () -> crash(machine));
            }
            if (hanging) {
                hanging = false;
                nanos = SimulatedTime.millis(3_600_000);
            }
            time.after(nanos, () -> {
                if (work.isLive()) {
                    watch.ends(work);
                    speak(machine, run, null);
                }
            });
        }
    }

    /** The parts of a run take as long as their windows. */
    private void beginPart(Work work, Runnable task, SimulatedPart.Inbox inbox) {
        List<SimulatedPart> one = new ArrayList<>();
        Runnable step = () -> {
            if (!one.get(0).isOver()) {
                speak(work.machine, one.get(0)::step, null);
            }
        };
        one.add(new SimulatedPart(task, work.task, inbox, time, step));
        work.machine.parts.add(one.get(0));
        time.after(between(5, 50), step);
    }

    private void send(Machine from, Running<?> to, Object message) {
        network.send(from, to.machine, name(to.kit.getRef()), message, arrived -> arrive(to, arrived));
    }

    private void arrive(Running<?> to, Object message) {
        if (message instanceof Member.Assign && to.isRunning()) {
            assignments++;
        } else if (message instanceof Coordinator.Wanted wanted && commands.containsKey(wanted.job())) {
            Objects.requireNonNull(commands.get(wanted.job())).saidWhatItWants();
        }
        to.receive(message);
    }
}

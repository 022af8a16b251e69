package io.shardsim.scenarios.cluster;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import org.apache.pekko.actor.testkit.typed.javadsl.TestInbox;
import org.apache.pekko.actor.typed.ActorRef;
import org.jspecify.annotations.Nullable;

/**
 * The real coordinator, members and commands on a simulated network, clock and disk, driven by a seed. Every message is serialized and deserialized.
 * The network loses, delays, reorders and duplicates messages; machines crash and return; the network partitions. A command's connection delivers
 * everything in order until it is cut.
 *
 * <p>Pekko itself is not run, only its outcome is simulated. A new coordinator appears some seconds after the old one's machine is gone, and the
 * smaller side of a lasting partition is ended. Pekko's connections, gossip and elections are left out.
 */
final class SimulatedCluster {
    static final Duration SILENCE = Duration.ofSeconds(4);
    static final Duration TAKEOVER = Duration.ofSeconds(60);
    /** Duration of a partition after which the smaller side is ended. */
    private static final long REMOVAL_NANOS = SimulatedTime.millis(7_000);

    static final int SLOTS = 2;
    final SplittableRandom random;
    final SimulatedTime time;
    private final RunnerFactory runners;
    private final SimulatedNetwork network;
    private final TestInbox<Coordinator.Command> coordinatorName = TestInbox.create("coordinator");
    private final List<SimulatedMachine> machines = new ArrayList<>();
    private final List<SimulatedActor<?>> processes = new ArrayList<>();
    private final Map<String, ActorRef<?>> names = new HashMap<>();
    private @Nullable SimulatedActor<Coordinator.Command> coordinator;
    /** Running points: state. */
    private final List<Work> works = new ArrayList<>();
    /** Whether one point is still to hang: state. */
    private boolean hanging;

    /** A point that crashes its machine: state. */
    private @Nullable Ticket deadly;
    /** Machines that it crashed: state. */
    private int deaths;
    /** Number of coordinators so far: state. */
    private int elections;
    /** Number of crashes so far, and of machines that were cut off: state. */
    private int losses;
    /** Number of assignments received by members: state. */
    private int assignments;
    /** Longest time for which a command had heard no coordinator when one of its points ended: state. */
    private long longestSilenceNanos;
    /** The same for a command that had heard no worker, and for one that had heard of no worker that runs points. */
    private long longestLonelinessNanos;

    private long longestIdlenessNanos;

    /** Connections of unfinished commands: state. */
    private final List<SimulatedLink> links = new ArrayList<>();

    private final Watch watch;
    /** Commands by name of the job. */
    private final Map<String, SimulatedCommand> commands = new LinkedHashMap<>();

    /** A point that a member runs, or was told to drop. */
    final class Work {
        final Ticket ticket;
        final SimulatedMachine machine;
        final long beganNanos = time.nowNanos();
        private final int life;
        private final Future<?> task;

        Work(Ticket ticket, SimulatedMachine machine, Future<?> task) {
            this.ticket = ticket;
            this.machine = machine;
            this.task = task;
            life = machine.lives;
        }

        boolean isLive() {
            return machine.up && machine.lives == life && !task.isDone();
        }
    }

    /** @param members number of machines, with a member each */
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
            SimulatedMachine machine = new SimulatedMachine("member-" + i + ":25520");
            machines.add(machine);
            start(machine);
        }
        elect();
        watch.look();
    }

    /** Returns the result without its wall time, which differs from run to run. */
    static RunResult timeless(RunResult result) {
        return taking(1, result);
    }

    /** Returns the same result with another wall time. */
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

    List<SimulatedMachine> machines() {
        return machines;
    }

    private void start(SimulatedMachine machine) {
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
        machine.member = new SimulatedActor<>(
                this,
                machine,
                Member.create(coordinatorName.getRef(), machine.address, SLOTS, runs),
                "member-" + machines.indexOf(machine) + "-" + machine.lives);
    }

    /** Cuts a machine's power for a while. */
    void crash(SimulatedMachine machine) {
        if (machine.up) {
            losses++;
            watch.touched(true);
            end(machine, between(5_000, 12_000));
        }
    }

    /** Interrupts a member: it announces that it leaves, ends soon after, and is restarted. */
    void leave(SimulatedMachine machine) {
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

    /** Tells a member to drop a point, by a late order. */
    void drop(SimulatedMachine machine, Ticket ticket) {
        if (machine.up) {
            Objects.requireNonNull(machine.member).receive(new Member.Drop(List.of(ticket)));
        }
    }

    private void end(SimulatedMachine machine, long electionNanos) {
        watch.lost(machine);
        machine.up = false;
        machine.parts.forEach(SimulatedPart::kill);
        machine.parts.clear();
        // Its system reports that connections are gone, or it has lost power.
        List.copyOf(links).stream()
                .filter(link -> link.machine == machine && random.nextBoolean())
                .forEach(SimulatedLink::reset);
        if (coordinator != null && coordinator.machine == machine) {
            coordinator = null;
            time.after(electionNanos, this::elect);
        }
        time.after(between(1_000, random.nextInt(5) == 0 ? 90_000 : 20_000), () -> start(machine));
    }

    /** Makes a point crash every machine that runs it except the coordinator's, which would lose the count of such losses. */
    void setDeadly(Ticket ticket) {
        deadly = ticket;
    }

    /** Makes the next point take an hour on its first member. */
    void hang() {
        hanging = true;
    }

    private void elect() {
        if (coordinator != null) {
            return;
        }
        for (SimulatedMachine machine : machines) {
            if (machine.up && !network.isApart(machine)) {
                elections++;
                coordinator = new SimulatedActor<>(
                        this, machine, Coordinator.create(SILENCE, time::clock), "coordinator-" + time.nowNanos());
                return;
            }
        }
        time.after(between(500, 1_000), this::elect);
    }

    /** Partitions the network for a while. */
    void part() {
        if (!network.isWhole()) {
            return;
        }
        List<SimulatedMachine> smaller = new ArrayList<>();
        for (SimulatedMachine machine : machines) {
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

    /** The worker's side of a command's connection. */
    SimulatedActor<SweepClient.Command> visit(SimulatedMachine machine, DoorMessage.Hello hello, SweepClient.Way way) {
        return new SimulatedActor<>(
                this,
                machine,
                SweepClient.create(hello, coordinatorName.getRef(), SILENCE.multipliedBy(3), way, time::clock),
                "client-" + hello.job() + "-" + hello.connection());
    }

    /** Returns the connections of commands that workers have. */
    long visits() {
        return processes.stream()
                .filter(process ->
                        process.isRunning() && name(process.kit.getRef()).startsWith("client-"))
                .count();
    }

    List<SimulatedLink> links() {
        return links;
    }

    void add(SimulatedActor<?> actor) {
        names.put(name(actor.kit.getRef()), actor.kit.getRef());
        processes.add(actor);
    }

    /** Records the end of a point of a command that had heard no coordinator, no worker, and none that runs points for so long. */
    void ended(long silenceNanos, long lonelinessNanos, long idlenessNanos) {
        longestSilenceNanos = Math.max(longestSilenceNanos, silenceNanos);
        longestLonelinessNanos = Math.max(longestLonelinessNanos, lonelinessNanos);
        longestIdlenessNanos = Math.max(longestIdlenessNanos, idlenessNanos);
    }

    void forget(SimulatedLink link) {
        links.remove(link);
    }

    Map<String, SimulatedCommand> commands() {
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

    /**
     * Returns whether a deadly point crashed more machines than the three after which each coordinator gives it up, plus one that was its last
     * message.
     */
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

    /** Returns whether one machine coordinates and reaches all running ones, and every command has a connection. */
    boolean isWhole() {
        return network.isFine()
                && network.isWhole()
                && coordinator != null
                && coordinator.isRunning()
                && commands.values().stream().allMatch(command -> !command.isOpen() || command.isConnected());
    }

    /** Returns a machine that runs a point. */
    SimulatedMachine busyMachine(SimulatedMachine otherwise, boolean coordinating) {
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

    /** Returns the slots of running members minus the points that run on them. */
    int freeSlots() {
        int slots = 0;
        for (SimulatedMachine machine : machines) {
            slots += Objects.requireNonNull(machine.member).isRunning() ? SLOTS : 0;
        }
        return slots - works().size();
    }

    /** Returns the number of entries in the tables of the coordinator and of running members, by name of the table, without empty ones. */
    Map<String, Integer> tables() {
        Map<String, Integer> all = new TreeMap<>();
        Tables.count(Objects.requireNonNull(coordinator).actor(), all);
        for (SimulatedMachine machine : machines) {
            SimulatedActor<Member.Command> member = Objects.requireNonNull(machine.member);
            if (member.isRunning()) {
                Tables.count(member.actor(), all);
            }
        }
        return all;
    }

    private long between(int fromMillis, int untilMillis) {
        return SimulatedTime.millis(random.nextInt(fromMillis, untilMillis));
    }

    /** Runs an actor's step; the messages that it has sent are then under way. */
    void speak(SimulatedMachine machine, Runnable doing, @Nullable Ticket assigned) {
        doing.run();
        machine.parts.forEach(SimulatedPart::endIfCancelled);
        machine.parts.removeIf(SimulatedPart::isOver);
        processes.removeIf(process -> !process.isRunning());
        for (SimulatedActor<?> process : List.copyOf(processes)) {
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

    /** Work that a member gives to its threads takes a while. */
    private void begin(SimulatedMachine machine, Unhurried executor, @Nullable Ticket assigned) {
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

    private void send(SimulatedMachine from, SimulatedActor<?> to, Object message) {
        network.send(from, to.machine, name(to.kit.getRef()), message, arrived -> arrive(to, arrived));
    }

    private void arrive(SimulatedActor<?> to, Object message) {
        if (message instanceof Member.Assign && to.isRunning()) {
            assignments++;
        } else if (message instanceof Coordinator.Wanted wanted && commands.containsKey(wanted.job())) {
            Objects.requireNonNull(commands.get(wanted.job())).saidWhatItWants();
        }
        to.receive(message);
    }
}

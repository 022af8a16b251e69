package io.shardsim.scenarios.cluster;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.RunnerFactory;
import java.io.NotSerializableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.testkit.typed.Effect;
import org.apache.pekko.actor.testkit.typed.javadsl.BehaviorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestInbox;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.jspecify.annotations.Nullable;

/**
 * Coordinator, members and commands as they are, on a simulated network, clock and disk. All that happens follows from a seed. Every message is written
 * as bytes and read again; the network loses, delays, reorders and doubles it; machines crash and come back; the network falls in two.
 *
 * <p>Here the simulation ends: what Pekko itself does is simulated by its outcome. A new coordinator appears some seconds after the old one's machine is
 * gone, and the smaller side of a network that stays apart is ended. Pekko's own connections, gossip and elections are not run, nor are runs whose
 * logical processes are on several members.
 */
final class SimulatedCluster {
    static final Duration SILENCE = Duration.ofSeconds(4);
    static final Duration TAKEOVER = Duration.ofSeconds(60);
    /** Network apart for longer than this ends the smaller side. */
    private static final long REMOVAL_NANOS = SimulatedTime.millis(7_000);

    private static final int SLOTS = 2;

    final SplittableRandom random;
    final SimulatedTime time;
    private final RunnerFactory runners;
    private final Faults faults;
    private final WireCodec codec;
    private final TestInbox<Coordinator.Command> coordinatorName = TestInbox.create("coordinator");
    private final List<Machine> machines = new ArrayList<>();
    private final List<Running<?>> processes = new ArrayList<>();
    private final Map<String, ActorRef<?>> names = new HashMap<>();
    private @Nullable Running<Coordinator.Command> coordinator;
    /** Machines that the others cannot reach now. */
    private List<Machine> apart = List.of();

    private boolean calm;

    /**
     * How bad the network is.
     *
     * @param lostPerMille messages that never come
     * @param doubledPerMille messages that come twice
     * @param delayMillisMax longest time on the way [ms]
     */
    record Faults(int lostPerMille, int doubledPerMille, int delayMillisMax) {}

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

        Machine(String address) {
            this.address = address;
        }
    }

    /** An actor on a machine, which ends with it. */
    private final class Running<T> {
        final Machine machine;
        final BehaviorTestKit<T> kit;
        final int life;

        Running(Machine machine, Behavior<T> behavior, String name) {
            this.machine = machine;
            life = machine.lives;
            kit = BehaviorTestKit.create(behavior, name);
            names.put(name(kit.getRef()), kit.getRef());
            processes.add(this);
            speak(machine, () -> {});
            for (Effect effect : kit.getAllEffects()) {
                if (effect instanceof Effect.TimerScheduled<?> timer) {
                    tick(timer.msg(), timer.delay().toNanos());
                }
            }
        }

        boolean isRunning() {
            return machine.up && machine.lives == life && kit.isAlive();
        }

        void receive(Object message) {
            if (isRunning()) {
                @SuppressWarnings("unchecked") // As it was sent: to a reference of this type.
                T own = (T) message;
                speak(machine, () -> kit.run(own));
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
    SimulatedCluster(SplittableRandom random, Faults faults, int members, RunnerFactory runners) {
        this.random = random;
        this.faults = faults;
        this.runners = runners;
        time = new SimulatedTime(random.nextLong());
        names.put(name(coordinatorName.getRef()), coordinatorName.getRef());
        codec = WireCodec.withText(ClusterProtocol.messages(), ActorRef.class, SimulatedCluster::name, names::get);
        for (int i = 0; i < members; i++) {
            Machine machine = new Machine("member-" + i + ":25520");
            machines.add(machine);
            start(machine);
        }
        elect();
    }

    /** The same without the time that it took, which differs from run to run. */
    static RunResult timeless(RunResult result) {
        RunResult.Effort effort = result.effort();
        return new RunResult(
                result.facts(),
                result.training(),
                result.collective(),
                result.network(),
                result.rank0(),
                result.remedy(),
                new RunResult.Effort(effort.executedEvents(), effort.simulatedEvents(), effort.pendingEventsMax(), 1),
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
        Member.Runs runs = new Member.Runs(runners, SLOTS, result -> {}, executor);
        machine.member = new Running<>(
                machine,
                Member.create(coordinatorName.getRef(), machine.address, SLOTS, runs),
                "member-" + machines.indexOf(machine) + "-" + machine.lives);
    }

    /** A machine loses its power, and has it again after a while. */
    void crash(Machine machine) {
        if (machine.up) {
            machine.up = false;
            if (coordinator != null && coordinator.machine == machine) {
                coordinator = null;
                time.after(between(5_000, 12_000), this::elect);
            }
            time.after(between(1_000, 20_000), () -> start(machine));
        }
    }

    private void elect() {
        if (coordinator != null) {
            return;
        }
        for (Machine machine : machines) {
            if (machine.up && !apart.contains(machine)) {
                coordinator = new Running<>(
                        machine, Coordinator.create(SILENCE, time::clock), "coordinator-" + time.nowNanos());
                return;
            }
        }
        time.after(between(500, 1_000), this::elect);
    }

    /** The network falls in two for a while. */
    void part() {
        if (!apart.isEmpty()) {
            return;
        }
        List<Machine> smaller = new ArrayList<>();
        for (Machine machine : machines) {
            if (2 * smaller.size() + 2 < machines.size() && random.nextBoolean()) {
                smaller.add(machine);
            }
        }
        apart = smaller;
        long nanos = between(500, 12_000);
        if (nanos > REMOVAL_NANOS) {
            time.after(REMOVAL_NANOS, () -> List.copyOf(smaller).forEach(this::crash));
        }
        time.after(nanos, () -> apart = List.of());
    }

    /** No more faults from now on: the network is as it should be. */
    void calm() {
        calm = true;
        apart = List.of();
    }

    /** A command on a machine of its own. */
    final class Command {
        private final Machine machine;
        private final Running<SweepClient.Command> client;
        final List<String> notices = new ArrayList<>();

        Command(String job) {
            machine = new Machine(job);
            machine.up = true;
            client = new Running<>(
                    machine,
                    SweepClient.create(
                            job,
                            coordinatorName.getRef(),
                            TAKEOVER,
                            new SweepClient.Told(notices::add, new SweepClient.View()),
                            time::clock),
                    "client-" + job);
        }

        CompletableFuture<RunResult> ask(int number, double weight, byte[] question) {
            CompletableFuture<RunResult> result = new CompletableFuture<>();
            client.receive(new SweepClient.Ask(number, weight, question, result));
            return result;
        }

        void close() {
            client.receive(new SweepClient.Close());
        }

        void kill() {
            machine.up = false;
        }

        /** The cluster has removed this command's machine. */
        void removed() {
            speak(machine, () -> client.kit.signal(PostStop.instance()));
            machine.up = false;
        }
    }

    /** Members that run, and have nothing left to do. */
    long idleMembers() {
        return machines.stream()
                .filter(machine ->
                        machine.up && Objects.requireNonNull(machine.member).isRunning())
                .filter(machine -> Objects.requireNonNull(machine.executor).isIdle())
                .count();
    }

    private long between(int fromMillis, int untilMillis) {
        return SimulatedTime.millis(random.nextInt(fromMillis, untilMillis));
    }

    /** An actor does something; what it has sent by then goes on its way. */
    private void speak(Machine machine, Runnable doing) {
        doing.run();
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
        Unhurried executor = machine.executor;
        Runnable task = executor == null ? null : executor.next();
        while (executor != null && task != null) {
            Runnable run = task;
            int life = machine.lives;
            time.after(between(5, random.nextInt(4) == 0 ? 40_000 : 3_000), () -> {
                if (machine.up && machine.lives == life) {
                    speak(machine, run);
                }
            });
            task = executor.next();
        }
    }

    private void send(Machine from, Running<?> to, Object message) {
        if (from == to.machine) {
            time.after(0, () -> to.receive(message));
            return;
        }
        boolean unreachable = apart.contains(from) != apart.contains(to.machine);
        if (unreachable || !calm && random.nextInt(1000) < faults.lostPerMille()) {
            return;
        }
        Object arrived = overTheWire(message);
        int times = !calm && random.nextInt(1000) < faults.doubledPerMille() ? 2 : 1;
        for (int i = 0; i < times; i++) {
            time.after(calm ? SimulatedTime.millis(1) : between(0, faults.delayMillisMax()), () -> to.receive(arrived));
        }
    }

    private Object overTheWire(Object message) {
        try {
            return codec.decode(codec.encode(message));
        } catch (NotSerializableException broken) {
            throw new AssertionError(broken);
        }
    }
}

package io.shardsim.scenarios.cluster;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A command's connection to a worker in a {@link SimulatedCluster}: like TCP, it delivers everything in order until one side learns that it is over.
 */
final class SimulatedLink implements RemotePoints.Link {
    private final SimulatedCluster cluster;
    private final SimulatedCommand command;
    final SimulatedMachine machine;
    private final int life;
    private final Direction there = new Direction(this::toWorker);
    private final Direction back = new Direction(this::toCommand);
    private @Nullable SimulatedActor<SweepClient.Command> visit;
    /** Whether the command still has it, whether the worker does, and whether anything passes: state. */
    private boolean here = true;

    private boolean present = true;
    private boolean passes = true;
    private boolean welcome;

    /** Messages under way; none arrives before an earlier one, or during a partition. */
    private final class Direction {
        private final Deque<Runnable> ahead = new ArrayDeque<>();
        private final Consumer<String> arrive;

        Direction(Consumer<String> arrive) {
            this.arrive = arrive;
        }

        void send(DoorMessage message) {
            String text = message.write();
            add(() -> arrive.accept(text));
        }

        void add(Runnable arrival) {
            ahead.add(arrival);
            if (ahead.size() == 1) {
                next();
            }
        }

        private void next() {
            cluster.time.after(
                    SimulatedTime.millis(
                            cluster.random.nextInt(cluster.network().isFine() ? 50 : 400)),
                    () -> {
                        if (passes && !ahead.isEmpty() && !cluster.network().isApart(machine)) {
                            ahead.remove().run();
                        }
                        if (passes && !ahead.isEmpty()) {
                            next();
                        }
                    });
        }
    }

    SimulatedLink(SimulatedCluster cluster, SimulatedCommand command, SimulatedMachine machine) {
        this.cluster = cluster;
        this.command = command;
        this.machine = machine;
        life = machine.lives;
        boolean listens = machine.up;
        back.add(() -> {
            if (here && command.isUp()) {
                if (listens && isAlive()) {
                    command.points().opened(this);
                } else {
                    reset();
                }
            }
        });
    }

    private boolean isAlive() {
        return machine.up && machine.lives == life;
    }

    boolean isOf(SimulatedCommand one) {
        return command == one;
    }

    boolean isWhole() {
        return here && present && passes && welcome && isAlive();
    }

    @Override
    public void send(DoorMessage message) {
        there.send(message);
    }

    /** Ends the command's side after its last message. */
    @Override
    public void close() {
        here = false;
        there.add(this::gone);
    }

    /** Ends the worker's side. */
    private final class Back implements SweepClient.Way {
        @Override
        public void send(DoorMessage message) {
            back.send(message);
        }

        @Override
        public void close() {
            back.add(SimulatedLink.this::reset);
        }
    }

    private void toWorker(String text) {
        DoorMessage message = DoorMessage.read(text);
        if (!present || !isAlive()) {
            return;
        }
        if (message instanceof DoorMessage.Hello hello) {
            SweepClient.Way way = new Back();
            visit = cluster.visit(machine, hello, way);
            way.send(new DoorMessage.Welcome(machine.address, cluster.machines().size()));
        } else if (visit != null) {
            visit.receive(message);
        }
    }

    private void toCommand(String text) {
        if (here && command.isUp()) {
            DoorMessage message = DoorMessage.read(text);
            command.heard(message);
            welcome |= message instanceof DoorMessage.Welcome;
            command.points().come(this, message);
        }
    }

    /** Notifies the command that it is over. */
    void reset() {
        if (here) {
            here = false;
            if (command.isUp()) {
                command.points().lost(this, "reset");
            }
            forgetWhenOver();
        }
    }

    /** Notifies the worker that it is over. */
    void gone() {
        if (present) {
            present = false;
            if (visit != null) {
                visit.receive(new SweepClient.Gone());
            }
            forgetWhenOver();
        }
    }

    /** Stops delivery. */
    void cut() {
        passes = false;
        there.ahead.clear();
        back.ahead.clear();
    }

    private void forgetWhenOver() {
        if (!here && !present) {
            cluster.forget(this);
        }
    }
}

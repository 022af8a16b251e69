package io.shardsim.scenarios.cluster;

import org.apache.pekko.actor.testkit.typed.Effect;
import org.apache.pekko.actor.testkit.typed.javadsl.BehaviorTestKit;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.internal.InterceptorImpl;

/** An actor on a machine of a {@link SimulatedCluster}, which ends with the machine. */
final class SimulatedActor<T> {
    private final SimulatedCluster cluster;
    final SimulatedMachine machine;
    final BehaviorTestKit<T> kit;
    final int life;

    SimulatedActor(SimulatedCluster cluster, SimulatedMachine machine, Behavior<T> behavior, String name) {
        this.cluster = cluster;
        this.machine = machine;
        life = machine.lives;
        kit = BehaviorTestKit.create(behavior, name);
        cluster.add(this);
        cluster.speak(machine, () -> {}, null);
        follow();
    }

    /** Timers repeat until their actor ends; other features of Pekko are not simulated. */
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

    /** The object with the actor's state. */
    Object actor() {
        Behavior<?> actor = kit.currentBehavior();
        while (actor instanceof InterceptorImpl<?, ?> around) {
            actor = around.nestedBehavior();
        }
        return actor;
    }

    void receive(Object message) {
        if (isRunning()) {
            @SuppressWarnings("unchecked") // Delivered as sent: to a reference of this type.
            T own = (T) message;
            cluster.speak(
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

    /** Timers of a busy machine are late occasionally. */
    private void tick(Object message, long nanos) {
        cluster.time.after(nanos + cluster.random.nextLong(nanos / 4), () -> {
            receive(message);
            if (isRunning()) {
                tick(message, nanos);
            }
        });
    }
}

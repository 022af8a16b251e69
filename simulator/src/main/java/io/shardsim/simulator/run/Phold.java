package io.shardsim.simulator.run;

import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.simulator.kernel.MarkBoard;
import io.shardsim.simulator.kernel.StateWriter;
import io.shardsim.simulator.kernel.VirtualTimeMessage;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.ExtensibleBehavior;
import org.apache.pekko.actor.typed.Signal;
import org.apache.pekko.actor.typed.TypedActorContext;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/**
 * PHOLD, the standard benchmark of discrete-event kernels [1]: each event sends one event to a random actor a random time ahead, so the number of
 * pending events is constant.
 *
 * <p>[1] Fujimoto, Performance of Time Warp under synthetic workloads, SCS Distributed Simulation 1990.
 */
public final class Phold {
    private static final long MEAN_DELAY_PS = 1_000_000;

    private Phold() {}

    private record Ball(long timePs, long order, int receiverId) implements VirtualTimeMessage {
        @Override
        public int sourceId() {
            return receiverId;
        }

        @Override
        public long earliestPs() {
            return timePs;
        }

        @Override
        public VirtualTimeMessage shifted(long deltaPs, int deltaOperations) {
            return new Ball(timePs + deltaPs, order, receiverId);
        }

        @Override
        public void save(StateWriter writer) {
            writer.instant(timePs);
            writer.value(order);
            writer.value(receiverId);
        }
    }

    private static final class Player extends ExtensibleBehavior<Ball> {
        private final ActorRef<Ball>[] players;
        private final RandomGenerator source;
        private final long endPs;

        private Player(ActorRef<Ball>[] players, long seed, long endPs) {
            this.players = players;
            this.endPs = endPs;
            source = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        }

        @Override
        public Behavior<Ball> receiveSignal(TypedActorContext<Ball> context, Signal signal) {
            return Behaviors.unhandled();
        }

        @Override
        public Behavior<Ball> receive(TypedActorContext<Ball> context, Ball ball) {
            long timePs = ball.timePs() + 1 + source.nextLong(2 * MEAN_DELAY_PS);
            if (timePs < endPs) {
                int next = source.nextInt(players.length);
                players[next].tell(new Ball(timePs, ball.order(), next));
            }
            return this;
        }
    }

    /**
     * Runs the benchmark.
     *
     * @param actors number of actors
     * @param pending number of events pending at any time
     * @param events approximate number of events executed
     */
    public static LogicalProcess.Outcome run(SimulationEngine engine, int actors, int pending, long events)
            throws InterruptedException {
        long endPs = events / pending * MEAN_DELAY_PS;
        return engine.execute(new Players(actors, pending, endPs));
    }

    private static final class Players implements SimulationEngine.Parts {
        private final int pending;
        private final long endPs;
        private final ActorRef<Ball>[] players;

        @SuppressWarnings({"unchecked", "rawtypes"}) // A generic array cannot be created otherwise.
        private Players(int actors, int pending, long endPs) {
            this.pending = pending;
            this.endPs = endPs;
            players = new ActorRef[actors];
        }

        @Override
        public int processes() {
            return 1;
        }

        @Override
        public void spawn(int process, ActorContext<LogicalProcess.Command> context) {
            for (int i = 0; i < players.length; i++) {
                long seed = i;
                players[i] = context.spawn(
                        new Player(players, seed, endPs), "player-" + i, DispatcherSelector.sameAsParent());
            }
        }

        @Override
        public List<LogicalProcess.Command> commands() {
            return List.of(new LogicalProcess.Command.RunAlone(this::begin, null, new MarkBoard()));
        }

        private void begin() {
            for (int ball = 0; ball < pending; ball++) {
                int player = ball % players.length;
                players[player].tell(new Ball(ball, ball, player));
            }
        }
    }
}

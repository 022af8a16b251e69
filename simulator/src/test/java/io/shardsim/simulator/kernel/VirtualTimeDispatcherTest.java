package io.shardsim.simulator.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.ConfigFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.apache.pekko.Version;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The few internals of Pekko that virtual time depends on, and its behaviour on top of them. */
class VirtualTimeDispatcherTest {
    private record Ping(long timePs, long order, int receiverId) implements VirtualTimeMessage {
        @Override
        public int sourceId() {
            return 0;
        }

        @Override
        public long earliestPs() {
            return timePs;
        }

        @Override
        public VirtualTimeMessage shifted(long deltaPs, int deltaOperations) {
            return new Ping(timePs + deltaPs, order, receiverId);
        }

        @Override
        public void save(StateWriter writer) {
            writer.instant(timePs);
        }
    }

    private ActorSystem<LogicalProcess.Command> system;
    private final CompletableFuture<LogicalProcess.Outcome> ended = new CompletableFuture<>();
    private final List<String> seen = new ArrayList<>();

    @BeforeEach
    void nothing() {
        seen.clear();
    }

    @AfterEach
    void stop() throws Exception {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    private LogicalProcess.Outcome run(BiConsumer<Ping, ActorRef<Ping>[]> handler, Ping... first) throws Exception {
        @SuppressWarnings({"unchecked", "rawtypes"})
        ActorRef<Ping>[] actors = new ActorRef[3];
        CompletableFuture<Void> spawned = new CompletableFuture<>();
        system = ActorSystem.create(
                LogicalProcess.create(
                        0,
                        context -> {
                            for (int i = 0; i < actors.length; i++) {
                                Behavior<Ping> behavior = Behaviors.receiveMessage(ping -> {
                                    seen.add(ping.timePs() + " at " + ping.receiverId());
                                    handler.accept(ping, actors);
                                    return Behaviors.same();
                                });
                                actors[i] = context.spawn(behavior, "actor-" + i, DispatcherSelector.sameAsParent());
                            }
                        },
                        spawned,
                        ended),
                "test",
                ConfigFactory.parseString("virtual-time-0 = ${virtual-time-dispatcher}")
                        .withFallback(ConfigFactory.parseResources(VirtualTimeDispatcherTest.class, "/simulator.conf"))
                        .withFallback(ConfigFactory.defaultReferenceUnresolved())
                        .resolve(),
                DispatcherSelector.fromConfig("virtual-time-0"));
        spawned.get(20, TimeUnit.SECONDS);
        Runnable begin = () -> {
            for (Ping ping : first) {
                actors[ping.receiverId()].tell(ping);
            }
        };
        system.tell(new LogicalProcess.Command.RunAlone(begin, null, new MarkBoard()));
        return ended.get(20, TimeUnit.SECONDS);
    }

    @Test
    void isPinnedToOnePekkoVersion() throws Exception {
        run((ping, actors) -> {});
        assertThat(Version.current())
                .as("VirtualTimeDispatcher leans on internals of this version: read its changes before you raise it")
                .isEqualTo("1.7.0");
    }

    @Test
    void deliversInVirtualTimeOrderWhateverTheOrderOfTelling() throws Exception {
        LogicalProcess.Outcome outcome = run(
                (ping, actors) -> {
                    if (ping.timePs() == 10) {
                        actors[2].tell(new Ping(15, 0, 2));
                        actors[0].tell(new Ping(12, 0, 0));
                    }
                },
                new Ping(30, 0, 0),
                new Ping(10, 0, 1),
                new Ping(20, 0, 2),
                new Ping(20, 0, 0));

        assertThat(seen).containsExactly("10 at 1", "12 at 0", "15 at 2", "20 at 0", "20 at 2", "30 at 0");
        assertThat(outcome.executedEvents()).isEqualTo(6);
        assertThat(outcome.nowPs()).isEqualTo(30);
    }

    @Test
    void endsTheRunWhenADeviceFails() {
        assertThatThrownBy(() -> run(
                        (ping, actors) -> {
                            throw new IllegalStateException("rule broken");
                        },
                        new Ping(10, 0, 1)))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("actor-1 failed at 10 ps");
    }

    @Test
    void endsTheRunWhenSomebodySendsIntoThePast() {
        assertThatThrownBy(() -> run((ping, actors) -> actors[0].tell(new Ping(9, 0, 0)), new Ping(10, 0, 1)))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("event at 9 ps is sent at 10 ps");
    }
}

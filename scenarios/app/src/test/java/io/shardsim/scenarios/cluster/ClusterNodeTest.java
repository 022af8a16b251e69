package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
class ClusterNodeTest {
    /** Pekko does this occasionally when a member is removed: its worker waited forever, and never came back. */
    @Test
    @Timeout(60)
    void endsForItsWorkerThoughItsActorSystemHangs() throws Exception {
        ClusterNode node = ClusterNode.start(
                ClusterFile.settings(new ClusterFile.Flags(null, null, null, 0, List.of(), null), Map.of()));
        CountDownLatch released = new CountDownLatch(1);
        Behavior<Void> hangs = Behaviors.receive(Void.class)
                .onSignal(PostStop.class, stopped -> {
                    released.await();
                    return Behaviors.stopped();
                })
                .build();
        try {
            node.seed();
            node.spawn(hangs, "hangs");

            node.terminate();

            node.awaitEnding();
            assertThat(node.system().getWhenTerminated().toCompletableFuture()).isNotDone();
        } finally {
            released.countDown();
            node.close();
        }
    }
}

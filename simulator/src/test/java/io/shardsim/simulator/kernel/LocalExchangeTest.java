package io.shardsim.simulator.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalExchangeTest {
    private static final int ROUNDS = 2_000;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** Every member sends its index and round to every other, in batches of varying size. */
    private static void play(WindowExchange exchange) {
        for (int round = 0; round < ROUNDS; round++) {
            for (int to = 0; to < exchange.processes(); to++) {
                for (int i = 0; i <= (round + to) % 3; i++) {
                    exchange.to(to).begin(round);
                    exchange.to(to).add(1_000L * round + exchange.self());
                }
            }
            long least = exchange.exchange(10L * round + exchange.self());
            assertThat(least).isEqualTo(10L * round);
            for (int from = 0; from < exchange.processes(); from++) {
                EventBatch batch = exchange.from(from);
                assertThat(batch.earliestPs()).isEqualTo(round);
                int count = 0;
                while (batch.hasNext()) {
                    assertThat(batch.next()).isEqualTo(1_000L * round + from);
                    count++;
                }
                assertThat(count).isEqualTo(1 + (round + exchange.self()) % 3);
            }
        }
    }

    @ParameterizedTest
    @Tag("slow")
    @ValueSource(ints = {1, 2, 3, 16})
    void everybodyGetsWhatTheOthersPostedInTheSameRound(int processes) throws Exception {
        List<Future<?>> members = new ArrayList<>();
        for (WindowExchange exchange : LocalExchange.among(processes)) {
            members.add(threads.submit(() -> play(exchange)));
        }
        for (Future<?> member : members) {
            member.get();
        }
    }

    @Test
    void whoWaitsForOneThatFailedIsLetGo() {
        List<WindowExchange> exchanges = LocalExchange.among(2);
        Future<?> waiting = threads.submit(() -> exchanges.get(0).exchange(1));
        exchanges.get(1).abort();

        assertThatThrownBy(waiting::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(OtherProcessFailedException.class);
    }
}

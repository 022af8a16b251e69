package io.shardsim.simulator.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.dispatch.Envelope;
import org.junit.jupiter.api.Test;

class FutureEventListTest {
    private record Event(long timePs, long order, int receiverId, int sourceId) implements VirtualTimeMessage {
        @Override
        public long earliestPs() {
            return timePs - 5;
        }

        @Override
        public VirtualTimeMessage shifted(long deltaPs, int deltaOperations) {
            return new Event(timePs + deltaPs, EventOrder.shifted(order, deltaOperations), receiverId, sourceId);
        }

        @Override
        public void save(StateWriter writer) {
            writer.instant(timePs);
            writer.order(order);
            writer.value(receiverId);
        }
    }

    private final FutureEventList events = new FutureEventList();

    private void push(Event event) {
        events.push(event, null, new Envelope(event, ActorRef.noSender()));
    }

    private Event pop() {
        events.pop();
        return (Event) events.poppedEnvelope().message();
    }

    @Test
    void deliversByTimeThenOrderThenReceiverThenSource() {
        SplittableRandom random = new SplittableRandom(7);
        List<Event> pushed = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            pushed.add(new Event(random.nextInt(50), random.nextInt(4), random.nextInt(5), i));
        }
        pushed.forEach(this::push);
        pushed.sort(Comparator.comparingLong(Event::timePs)
                .thenComparingLong(Event::order)
                .thenComparingInt(Event::receiverId)
                .thenComparingInt(Event::sourceId));

        List<Event> popped = new ArrayList<>();
        while (events.size() > 0) {
            popped.add(pop());
        }
        assertThat(popped).isEqualTo(pushed);
        assertThat(events.sizeMax()).isEqualTo(5_000);
    }

    @Test
    void keepsOrderWhilePushesAndPopsAlternate() {
        SplittableRandom random = new SplittableRandom(11);
        push(new Event(0, 0, 0, 0));
        long last = 0;
        for (int i = 1; i < 50_000; i++) {
            Event event = pop();
            assertThat(event.timePs()).isGreaterThanOrEqualTo(last);
            last = event.timePs();
            push(new Event(last + random.nextInt(100), 0, 0, i));
            if (i % 7 == 0) {
                push(new Event(last + random.nextInt(100), 1, 0, i));
            }
        }
    }

    @Test
    void refusesAnEventInThePast() {
        push(new Event(10, 0, 0, 0));
        pop();
        assertThatThrownBy(() -> push(new Event(9, 0, 0, 0)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("event at 9 ps is sent at 10 ps");
    }

    @Test
    void refusesTwoEventsWithOneKey() {
        push(new Event(10, 1, 2, 3));
        assertThatThrownBy(() -> push(new Event(10, 1, 2, 3)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("same key");
    }

    @Test
    void movesAllEventsTogether() {
        push(new Event(10, EventOrder.of(EventOrder.CHUNK, 3, 0, 0, 0, 0), 0, 0));
        push(new Event(20, EventOrder.of(EventOrder.CHUNK, 4, 0, 0, 0, 0), 0, 0));
        StateWriter before = new StateWriter();
        before.begin(5, 5, 3, new int[0]);
        events.save(before);

        events.shift(1_000, 2, Map.of());

        StateWriter after = new StateWriter();
        after.begin(1_005, 1_005, 5, new int[0]);
        events.save(after);
        assertThat(after.toArray()).isEqualTo(before.toArray());
        assertThat(events.nextTimePs()).isEqualTo(1_010);
        assertThat(events.earliestPs(1_005)).isEqualTo(1_005);
        assertThat(EventOrder.operation(pop().order())).isEqualTo(5);
    }
}

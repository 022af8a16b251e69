package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pekko.actor.testkit.typed.Effect;
import org.apache.pekko.actor.testkit.typed.javadsl.BehaviorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestInbox;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A coordinator by itself, with a clock that only tests advance. */
class CoordinatorTest {
    private static final Duration SILENCE = Duration.ofSeconds(4);
    private static final String JOB = "job";

    private final AtomicLong clock = new AtomicLong(Duration.ofHours(1).toNanos());
    private final TestInbox<SweepClient.Command> client = TestInbox.create();
    private BehaviorTestKit<Coordinator.Command> coordinator;
    private Coordinator.Command tick;

    @BeforeEach
    void begin() {
        coordinator = BehaviorTestKit.create(Coordinator.create(SILENCE, clock::get));
        Effect.TimerScheduled<?> timer = coordinator.expectEffectClass(Effect.TimerScheduled.class);
        tick = (Coordinator.Command) timer.msg();
        assertThat(timer.delay().toMillis()).isEqualTo(1000);
    }

    private final class Worker {
        final TestInbox<Member.Command> inbox = TestInbox.create();
        final String address;

        Worker(String address) {
            this.address = address;
        }

        void beat(int slots, Integer... running) {
            beat(slots, tickets(running), List.of());
        }

        void beat(int slots, List<Ticket> running, List<Ticket> finished) {
            coordinator.run(new Coordinator.Beat(inbox.getRef(), address, slots, running, finished));
        }

        /** Orders received: points to run, and negative ones to drop. */
        List<Integer> told() {
            List<Integer> told = new ArrayList<>();
            for (Member.Command said : inbox.getAllReceived()) {
                if (said instanceof Member.Assign assign) {
                    told.add(assign.ticket().number());
                } else {
                    ((Member.Drop) said).tickets().forEach(ticket -> told.add(-ticket.number()));
                }
            }
            return told;
        }
    }

    private static List<Ticket> tickets(Integer... numbers) {
        return List.of(numbers).stream().map(number -> new Ticket(JOB, number)).toList();
    }

    private void pass(double seconds) {
        clock.addAndGet((long) (seconds * 1e9));
    }

    private void want(Integer... numbers) {
        want(JOB, 1, client, numbers);
    }

    private void want(String job, int connection, TestInbox<SweepClient.Command> from, Integer... numbers) {
        coordinator.run(new Coordinator.Wanted(job, connection, from.getRef(), List.of(numbers), false));
    }

    private void submit(int number, double weight) {
        submit(JOB, number, weight);
    }

    private void submit(String job, int number, double weight) {
        coordinator.run(new Coordinator.Submitted(new Ticket(job, number), weight, new byte[] {(byte) number}));
    }

    /** A command that wants points of equal weight, once the coordinator assigns. */
    private void ask(Integer... numbers) {
        want(numbers);
        for (int number : numbers) {
            submit(number, 1);
        }
        pass(2);
    }

    private <T> List<T> said(Class<T> kind) {
        return said(client, kind);
    }

    private static <T> List<T> said(TestInbox<SweepClient.Command> client, Class<T> kind) {
        return client.getAllReceived().stream()
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    private List<String> notices() {
        return said(DoorMessage.Notice.class).stream()
                .map(DoorMessage.Notice::text)
                .toList();
    }

    @Test
    void listensForTwoSecondsFirst() {
        Worker member = new Worker("a");
        want(1);
        submit(1, 1);
        pass(1.999);
        member.beat(1);
        assertThat(member.told()).isEmpty();
        pass(0.001);
        coordinator.run(tick);
        assertThat(member.told()).containsExactly(1);
    }

    @Test
    void handsOutTheLongestFirstOneForEachSlot() {
        Worker member = new Worker("a");
        want(1, 2, 3);
        submit(1, 8);
        submit(2, 256);
        submit(3, 64);
        pass(2);

        member.beat(2);
        assertThat(member.told()).containsExactly(2, 3);
        want(1, 3);
        assertThat(member.told()).containsExactly(-2, 1);
        want(1, 3, 4, 5);
        submit(4, 1);
        assertThat(member.told()).isEmpty();
        member.beat(3, 1, 3);
        assertThat(member.told()).containsExactly(4);
    }

    @Test
    void handsAPointOutWhenItIsSubmittedWithItsQuestion() {
        Worker member = new Worker("a");
        want(7);
        pass(2);
        member.beat(1);
        submit(7, 1);
        submit("nobody", 8, 1);

        assertThat(member.inbox.getAllReceived()).singleElement().satisfies(said -> {
            assertThat(((Member.Assign) said).ticket()).isEqualTo(new Ticket(JOB, 7));
            assertThat(((Member.Assign) said).question()).containsExactly(7);
        });
        submit(7, 1);
        member.beat(2, 7);
        assertThat(member.told()).as("submitted twice").isEmpty();
    }

    /** Otherwise the longest points would all be on the first member. */
    @Test
    void membersTakeTurns() {
        Worker first = new Worker("a");
        Worker second = new Worker("b");
        want(1, 2, 3, 4);
        for (int number = 1; number <= 4; number++) {
            submit(number, 10 - number);
        }
        first.beat(2);
        second.beat(2);
        pass(2);
        coordinator.run(tick);

        assertThat(first.told()).containsExactly(1, 3);
        assertThat(second.told()).containsExactly(2, 4);
    }

    @Test
    void ofEqualPointsTheFirstGoesFirst() {
        Worker member = new Worker("a");
        ask(5, 3, 4);
        member.beat(3);
        assertThat(member.told()).containsExactly(5, 3, 4);
    }

    @Test
    void commandWithTheFewestPointsRunningComesFirst() {
        Worker member = new Worker("a");
        ask(1, 2, 3);
        member.beat(2);
        TestInbox<SweepClient.Command> other = TestInbox.create();
        want("long", 1, other, 9, 10, 11, 12);
        for (int number = 9; number <= 12; number++) {
            submit("long", number, 0.1);
        }
        assertThat(member.told()).containsExactly(1, 2);

        member.beat(3, 1, 2);
        assertThat(member.told()).containsExactly(9);
    }

    @Test
    void asksForPointsThatItDoesNotKnow() {
        want(9, 7, 8);
        submit(8, 1);
        assertThat(said(SweepClient.Unknown.class))
                .singleElement()
                .extracting(SweepClient.Unknown::numbers)
                .isEqualTo(List.of(7, 8, 9));
        want(8);
        assertThat(said(SweepClient.Unknown.class)).isEmpty();
    }

    @Test
    void tellsWhatEachMemberRunsOfACommandAndHowLongItIsSilent() {
        Worker busy = new Worker("busy");
        ask(1, 2);
        busy.beat(3, List.of(new Ticket(JOB, 1), new Ticket(JOB, 2), new Ticket("other", 1)), List.of());
        submit("other", 1, 1);
        pass(1.5);
        want(1, 2);

        assertThat(said(SweepClient.Status.class))
                .last()
                .satisfies(status -> assertThat(status.members())
                        .containsExactly(new MemberStatus(busy.inbox.getRef(), "busy", 2, 1500)));
    }

    @Test
    void handsOutAgainWhatASilentMemberRan() {
        Worker silent = new Worker("silent");
        Worker other = new Worker("other");
        ask(1);
        silent.beat(1);
        assertThat(silent.told()).containsExactly(1);
        pass(4);
        other.beat(1);
        coordinator.run(tick);
        assertThat(notices()).isEmpty();
        assertThat(other.told()).isEmpty();

        pass(0.001);
        coordinator.run(tick);
        assertThat(notices()).containsExactly("member silent has been silent for 4 s; its point is reassigned");
        assertThat(other.told()).containsExactly(1);
        want(1);
        assertThat(said(SweepClient.Status.class))
                .singleElement()
                .satisfies(status -> assertThat(status.members())
                        .extracting(MemberStatus::address)
                        .containsExactly("other"));
    }

    @Test
    void memberThatLeavesIsNotBlamedAndGetsNothing() {
        Worker leaving = new Worker("leaving");
        Worker other = new Worker("other");
        ask(1, 2);
        for (int again = 0; again < 4; again++) {
            leaving.beat(2);
            leaving.beat(0, 1, 2);
        }
        assertThat(leaving.told()).containsExactly(1, 2, 1, 2, 1, 2, 1, 2);
        assertThat(notices())
                .hasSize(4)
                .containsOnly("member leaving leaves; the 2 points it was running are reassigned");
        other.beat(2);
        assertThat(other.told()).containsExactly(1, 2);
        want();
        leaving.beat(1);
        leaving.beat(0);
        assertThat(notices()).containsExactly("member leaving leaves");
    }

    @Test
    void takesOverWhatMembersRunAlready() {
        Worker busy = new Worker("busy");
        Worker idle = new Worker("idle");
        want(1, 2);
        submit(1, 100);
        submit(2, 1);
        busy.beat(1, 1);
        pass(2);
        idle.beat(2);

        assertThat(idle.told()).containsExactly(2);
        assertThat(busy.told()).isEmpty();
    }

    @Test
    void remembersWhatMembersRunUntilItHearsOfThePoint() {
        Worker idle = new Worker("idle");
        Worker busy = new Worker("busy");
        want(1, 2);
        // Known first, so it is the first to get a point.
        idle.beat(2);
        busy.beat(1, 1);
        submit(1, 100);
        submit(2, 1);
        pass(3);
        idle.beat(2);

        assertThat(idle.told()).containsExactly(2);
        assertThat(busy.told()).isEmpty();
    }

    /** One takes 1 s, so a copy of the other is due after 30 s. */
    private void runASecond(Worker quick) {
        quick.beat(1);
        assertThat(quick.told()).hasSize(1);
        pass(1);
    }

    @Test
    void copiesAPointThatTakesLongToAMemberThatHasNothingElseToDo() {
        Worker slow = new Worker("slow");
        Worker quick = new Worker("quick");
        ask(1, 2);
        slow.beat(1);
        runASecond(quick);
        want(1);
        pass(29);
        slow.beat(2, 1);
        quick.beat(1);
        assertThat(quick.told()).containsExactly(-2);
        pass(0.001);
        slow.beat(2, 1);
        assertThat(slow.told()).as("no copy for who has it").containsExactly(1);
        quick.beat(1);
        assertThat(quick.told()).containsExactly(1);
        new Worker("third").beat(1);
        quick.beat(2, 1);
        Worker third = new Worker("third");
        third.beat(1);
        assertThat(third.told()).as("one copy is enough").isEmpty();

        // The first result counts; the other is dropped.
        want();
        assertThat(slow.told()).containsExactly(-1);
        assertThat(quick.told()).containsExactly(-1);
    }

    @Test
    void copiesOnlyWhatTakesThreeTimesAsLongAsAnyBefore() {
        Worker slow = new Worker("slow");
        Worker quick = new Worker("quick");
        ask(1, 2);
        slow.beat(1);
        quick.beat(1);
        pass(20);
        want(1);
        pass(40);
        quick.told();
        quick.beat(1);
        assertThat(quick.told()).isEmpty();
        pass(0.001);
        quick.beat(1);
        assertThat(quick.told()).containsExactly(1);
    }

    /** Before any point is done, it is unknown what is long. */
    @Test
    void copiesNothingBeforeAPointIsDone() {
        Worker slow = new Worker("slow");
        Worker free = new Worker("free");
        ask(1, 2);
        slow.beat(1);
        // Cancelled before it was assigned.
        want(1);
        pass(1000);
        free.beat(1);
        assertThat(free.told()).isEmpty();
    }

    @Test
    void copiesAPointOnlyLongAfterItWasHandedOutAgain() {
        Worker first = new Worker("first");
        Worker quick = new Worker("quick");
        Worker next = new Worker("next");
        Worker free = new Worker("free");
        ask(1, 2);
        first.beat(1);
        assertThat(first.told()).containsExactly(1);
        runASecond(quick);
        want(1);
        quick.beat(0);
        pass(39);

        first.beat(0);
        next.beat(1);
        assertThat(next.told()).containsExactly(1);
        free.beat(1);
        assertThat(free.told()).isEmpty();
        pass(31);
        next.beat(1, 1);
        free.beat(1);
        assertThat(free.told()).containsExactly(1);
    }

    private void loseThrice() {
        for (int life = 0; life < 3; life++) {
            Worker again = new Worker("fragile");
            again.beat(1);
            assertThat(again.told()).as("life %d", life).containsExactly(1);
        }
        new Worker("fragile").beat(1);
    }

    @Test
    void givesUpAPointThatTookThreeMembersWithIt() {
        ask(1);
        loseThrice();
        List<SweepClient.Command> all = client.getAllReceived();
        assertThat(all)
                .filteredOn(DoorMessage.Notice.class::isInstance)
                .extracting(notice -> ((DoorMessage.Notice) notice).text())
                .containsExactly(
                        "member fragile was restarted; its point is reassigned",
                        "member fragile was restarted; its point is reassigned",
                        "member fragile was restarted");
        DoorMessage.Failed failed = new DoorMessage.Failed(1, "3 members were lost while running it");
        assertThat(all).last().isInstanceOf(DoorMessage.Notice.class);
        assertThat(all).filteredOn(DoorMessage.Failed.class::isInstance).hasSize(1);
        // A single message may be lost.
        want(1);
        assertThat(said(DoorMessage.Failed.class)).containsExactly(failed);
    }

    /** A member presumed lost may still run it: no other shall. */
    @Test
    void copiesNoPointThatIsGivenUp() {
        Worker quick = new Worker("quick");
        ask(1, 2);
        loseThrice();
        pass(1);
        want(1);
        Worker holder = new Worker("holder");
        holder.beat(1, 1);
        pass(100);
        quick.beat(1);
        assertThat(quick.told()).isEmpty();
    }

    @Test
    void waitsBeforeItHandsOutAgainWhatAMemberHadAndHasNoMore() {
        Worker member = new Worker("a");
        ask(1);
        member.beat(1);
        assertThat(member.told()).containsExactly(1);
        pass(20);
        member.beat(1, 1);

        // Fetched and dropped, which the command reports a moment later.
        member.beat(1);
        pass(5);
        member.beat(1);
        assertThat(member.told()).isEmpty();
        pass(0.001);
        member.beat(1);
        assertThat(member.told()).containsExactly(1);
    }

    @Test
    void handsOutAgainWhatWasLostOnTheWay() {
        Worker member = new Worker("a");
        ask(1);
        member.beat(1);
        pass(5);
        member.beat(1);
        assertThat(member.told()).containsExactly(1);
        pass(0.001);
        member.beat(1);
        assertThat(member.told()).containsExactly(1);
    }

    @Test
    void dropsWhatNobodyWantsAnyMore() {
        Worker member = new Worker("a");
        ask(1, 2);
        member.beat(2);
        member.told();

        want(2);
        assertThat(member.told()).containsExactly(-1);
        // Its assignment was lost.
        member.beat(2, 1, 2);
        assertThat(member.told()).containsExactly(-1);
        // Wanted, but not yet requested again.
        want(2, 3);
        member.beat(2, 3, 2);
        assertThat(member.told()).isEmpty();
    }

    /** A command may be about to tell a new coordinator that it continues. */
    @Test
    void dropsWhatBelongsToNoCommandAfterTwelveSeconds() {
        Worker member = new Worker("a");
        pass(12);
        member.beat(1, 4);
        assertThat(member.told()).isEmpty();
        pass(0.001);
        member.beat(1, 4);
        assertThat(member.told()).containsExactly(-4);
    }

    @Test
    void offersFinishedPointsThatAreWantedWithEachBeat() {
        Worker member = new Worker("a");
        ask(1, 2);
        want(1);
        for (int beat = 0; beat < 2; beat++) {
            client.getAllReceived();
            List<Ticket> finished = List.of(new Ticket(JOB, 1), new Ticket(JOB, 2), new Ticket("nobody", 1));
            member.beat(1, List.of(), finished);
            assertThat(client.getAllReceived()).containsExactly(new SweepClient.Offered(1, member.inbox.getRef(), "a"));
        }
    }

    @Test
    void handsOutOtherPointsInPlaceOfThoseOfASilentCommand() {
        Worker member = new Worker("a");
        ask(1);
        member.beat(1);
        assertThat(member.told()).containsExactly(1);
        // Killed: it neither fetches finished points nor reports its end.
        TestInbox<SweepClient.Command> other = TestInbox.create();
        want("next", 1, other, 2);
        submit("next", 2, 1);
        pass(10);
        member.beat(1, List.of(), tickets(1));
        want("next", 1, other, 2);
        coordinator.run(tick);
        assertThat(member.told()).isEmpty();
        pass(0.001);
        coordinator.run(tick);
        assertThat(member.told()).containsExactly(-1, 2);
        // Forgotten, so any connection of it is new.
        want(JOB, 0, client, 1);
        assertThat(said(SweepClient.Replaced.class)).isEmpty();
    }

    /** Its first connection may still be open somewhere, and repeat what it last heard. */
    @Test
    void lastConnectionOfACommandCounts() {
        TestInbox<SweepClient.Command> again = TestInbox.create();
        Worker member = new Worker("a");
        ask(1);
        member.beat(1);
        assertThat(member.told()).containsExactly(1);
        want(JOB, 2, again, 1);
        client.getAllReceived();
        coordinator.run(new Coordinator.Wanted(JOB, 1, client.getRef(), List.of(), true));

        assertThat(client.getAllReceived()).containsExactly(new SweepClient.Replaced());
        assertThat(member.told()).isEmpty();
        member.beat(1, List.of(), tickets(1));
        assertThat(said(again, SweepClient.Offered.class)).hasSize(1);
    }

    @Test
    void commandThatIsOverIsForgotten() {
        Worker member = new Worker("a");
        ask(1);
        member.beat(1);
        coordinator.run(new Coordinator.Wanted(JOB, 5, client.getRef(), List.of(), true));
        assertThat(member.told()).containsExactly(1, -1);
        client.getAllReceived();
        member.beat(0);
        assertThat(notices()).isEmpty();
        want(JOB, 1, client, 1);
        assertThat(said(SweepClient.Replaced.class)).isEmpty();
    }
}

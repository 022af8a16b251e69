package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.TestProbe;
import org.apache.pekko.actor.typed.ActorRef;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CoordinatorTest {
    /** Members of these tests say something all the time, or nothing any more. */
    private static final Duration SILENCE = Duration.ofSeconds(4);

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final String JOB = "job";

    private static ActorTestKit kit;
    private ActorRef<Coordinator.Command> coordinator;
    private TestProbe<SweepClient.Command> client;

    @BeforeAll
    static void start() {
        kit = ActorTestKit.create();
    }

    @AfterAll
    static void end() {
        kit.shutdownTestKit();
    }

    @BeforeEach
    void begin() {
        coordinator = kit.spawn(Coordinator.create(SILENCE));
        client = kit.createTestProbe();
    }

    @Test
    @Tag("slow")
    void handsOutTheLongestFirstOneForEachSlot() {
        want(1, 2, 3);
        submit(1, 8);
        submit(2, 256);
        submit(3, 64);
        TestProbe<Member.Command> member = kit.createTestProbe();
        beat(member, "a", 2);

        assertThat(assignment(member)).isEqualTo(2);
        assertThat(assignment(member)).isEqualTo(3);
        want(1, 3);
        member.expectMessageClass(Member.Drop.class, PATIENCE);
        assertThat(assignment(member)).isEqualTo(1);
    }

    @Test
    void asksForPointsThatItDoesNotKnow() {
        want(7);

        client.expectMessageClass(SweepClient.Status.class, PATIENCE);
        assertThat(client.expectMessageClass(SweepClient.Unknown.class, PATIENCE)
                        .numbers())
                .containsExactly(7);
    }

    @Test
    @Tag("slow")
    void handsOutAgainWhatASilentMemberRan() {
        TestProbe<Member.Command> silent = kit.createTestProbe();
        TestProbe<Member.Command> other = kit.createTestProbe();
        want(1);
        submit(1, 1);
        beat(silent, "silent", 1);
        assertThat(assignment(silent)).isEqualTo(1);

        // The other one is busy with something else until the first is given up.
        String notice = null;
        while (notice == null) {
            beat(other, "other", 1, new Ticket("elsewhere", 9));
            want(1);
            SweepClient.Command said = client.receiveMessage(PATIENCE);
            notice = said instanceof DoorMessage.Notice told ? told.text() : null;
        }
        assertThat(notice)
                .startsWith("member silent has said nothing for 4 s; the point that it ran is handed out again");
        beat(other, "other", 1);
        assertThat(assignment(other)).isEqualTo(1);
    }

    @Test
    @Tag("slow")
    void takesOverWhatMembersRunAlready() {
        TestProbe<Member.Command> busy = kit.createTestProbe();
        TestProbe<Member.Command> idle = kit.createTestProbe();
        want(1, 2);
        beat(busy, "busy", 1, new Ticket(JOB, 1));
        submit(1, 100);
        submit(2, 1);
        beat(busy, "busy", 1, new Ticket(JOB, 1));
        beat(idle, "idle", 1);

        assertThat(assignment(idle)).isEqualTo(2);
        busy.expectNoMessage(Duration.ofMillis(200));
    }

    @Test
    void remembersWhatMembersRunUntilItHearsOfThePoint() {
        AtomicLong clock = new AtomicLong();
        coordinator = kit.spawn(Coordinator.create(Duration.ofSeconds(60), clock::get));
        TestProbe<Member.Command> idle = kit.createTestProbe();
        want(1, 2);
        // Known first, so it is the first to be given something.
        beat(idle, "idle", 2);
        beat(kit.createTestProbe(), "busy", 1, new Ticket(JOB, 1));
        submit(1, 100);
        submit(2, 1);
        pass(clock, 3);
        beat(idle, "idle", 2);

        assertThat(assignment(idle)).isEqualTo(2);
        idle.expectNoMessage(Duration.ofMillis(200));
    }

    @Test
    void copiesAPointOnlyLongAfterItWasHandedOutAgain() {
        AtomicLong clock = new AtomicLong();
        coordinator = kit.spawn(Coordinator.create(Duration.ofSeconds(90), clock::get));
        TestProbe<Member.Command> first = kit.createTestProbe();
        TestProbe<Member.Command> quick = kit.createTestProbe();
        TestProbe<Member.Command> next = kit.createTestProbe();
        TestProbe<Member.Command> free = kit.createTestProbe();
        want(1, 2);
        submit(1, 100);
        submit(2, 1);
        pass(clock, 3);
        beat(first, "first", 1);
        assertThat(assignment(first)).isEqualTo(1);
        beat(quick, "quick", 1);
        assertThat(assignment(quick)).isEqualTo(2);
        pass(clock, 1);
        want(1);
        beat(quick, "quick", 0);
        pass(clock, 39);

        beat(first, "first", 0);
        beat(next, "next", 1);
        assertThat(assignment(next)).isEqualTo(1);
        beat(free, "free", 1);
        pass(clock, 0);
        free.expectNoMessage(Duration.ofMillis(200));
        pass(clock, 31);
        beat(next, "next", 1, new Ticket(JOB, 1));
        want(1);
        beat(free, "free", 1);
        assertThat(assignment(free)).isEqualTo(1);
    }

    @Test
    @Tag("slow")
    void givesUpAPointThatTookThreeMembersWithIt() {
        want(1);
        submit(1, 1);
        for (int life = 0; life < 3; life++) {
            TestProbe<Member.Command> again = kit.createTestProbe();
            beat(again, "fragile", 1);
            assertThat(assignment(again)).isEqualTo(1);
        }
        beat(kit.createTestProbe(), "fragile", 1);

        SweepClient.Command said = client.receiveMessage(PATIENCE);
        while (!(said instanceof DoorMessage.Failed)) {
            said = client.receiveMessage(PATIENCE);
        }
        assertThat(((DoorMessage.Failed) said).why()).isEqualTo("3 members were lost while they ran it");

        // What is told once may be lost.
        want(1);
        said = client.receiveMessage(PATIENCE);
        while (!(said instanceof DoorMessage.Failed)) {
            said = client.receiveMessage(PATIENCE);
        }
    }

    @Test
    void waitsBeforeItHandsOutAgainWhatAMemberHadAndHasNoMore() {
        AtomicLong clock = new AtomicLong();
        coordinator = kit.spawn(Coordinator.create(Duration.ofSeconds(60), clock::get));
        TestProbe<Member.Command> member = kit.createTestProbe();
        want(1);
        submit(1, 1);
        pass(clock, 3);
        beat(member, "a", 1);
        assertThat(assignment(member)).isEqualTo(1);
        pass(clock, 20);
        beat(member, "a", 1, new Ticket(JOB, 1));

        // Fetched and dropped, which the command says a moment later.
        beat(member, "a", 1);
        pass(clock, 4);
        beat(member, "a", 1);
        pass(clock, 0);
        member.expectNoMessage(Duration.ofMillis(200));
        pass(clock, 2);
        beat(member, "a", 1);
        assertThat(assignment(member)).isEqualTo(1);
    }

    @Test
    @Tag("slow")
    void dropsWhatNobodyWantsAnyMore() {
        TestProbe<Member.Command> member = kit.createTestProbe();
        want(1);
        submit(1, 1);
        beat(member, "a", 1);
        assertThat(assignment(member)).isEqualTo(1);

        want();

        assertThat(member.expectMessageClass(Member.Drop.class, PATIENCE).tickets())
                .containsExactly(new Ticket(JOB, 1));
    }

    @Test
    @Tag("slow")
    void handsOutOtherPointsInPlaceOfThoseOfASilentCommand() {
        AtomicLong clock = new AtomicLong();
        coordinator = kit.spawn(Coordinator.create(SILENCE, clock::get));
        TestProbe<Member.Command> member = kit.createTestProbe();
        Ticket ofTheSilent = new Ticket(JOB, 1);
        want(1);
        submit(1, 1);
        pass(clock, 3);
        beat(member, "a", 1);
        assertThat(assignment(member)).isEqualTo(1);
        // Killed: it neither fetches what is finished nor says that it is over.
        TestProbe<SweepClient.Command> other = kit.createTestProbe();
        coordinator.tell(new Coordinator.Wanted("next", 1, other.getRef(), List.of(2), false));
        coordinator.tell(new Coordinator.Submitted(new Ticket("next", 2), 1, new byte[0]));
        for (int i = 0; i < 4; i++) {
            member.expectNoMessage(Duration.ofMillis(50));
            pass(clock, 3);
            coordinator.tell(new Coordinator.Beat(member.getRef(), "a", 1, List.of(), List.of(ofTheSilent)));
            coordinator.tell(new Coordinator.Wanted("next", 1, other.getRef(), List.of(2), false));
        }
        pass(clock, 1);

        assertThat(member.expectMessageClass(Member.Drop.class, PATIENCE).tickets())
                .containsExactly(ofTheSilent);
        beat(member, "a", 1);
        assertThat(assignment(member)).isEqualTo(2);
    }

    /** Its first connection may still be open somewhere, and say what it last heard. */
    @Test
    @Tag("slow")
    void lastConnectionOfACommandCounts() {
        TestProbe<SweepClient.Command> again = kit.createTestProbe();
        TestProbe<Member.Command> member = kit.createTestProbe();
        want(1);
        submit(1, 1);
        beat(member, "a", 1);
        assertThat(assignment(member)).isEqualTo(1);
        coordinator.tell(new Coordinator.Wanted(JOB, 2, again.getRef(), List.of(1), false));
        coordinator.tell(new Coordinator.Wanted(JOB, 1, client.getRef(), List.of(), true));

        SweepClient.Command said = client.receiveMessage(PATIENCE);
        while (!(said instanceof SweepClient.Replaced)) {
            said = client.receiveMessage(PATIENCE);
        }
        coordinator.tell(new Coordinator.Beat(member.getRef(), "a", 1, List.of(), List.of(new Ticket(JOB, 1))));
        said = again.receiveMessage(PATIENCE);
        while (!(said instanceof SweepClient.Offered)) {
            said = again.receiveMessage(PATIENCE);
        }
        member.expectNoMessage(Duration.ofMillis(200));
    }

    /** Lets time pass when the coordinator has done what it was told before. */
    private void pass(AtomicLong clock, int seconds) {
        TestProbe<SweepClient.Command> other = kit.createTestProbe();
        coordinator.tell(new Coordinator.Wanted("other", 1, other.getRef(), List.of(), false));
        other.expectMessageClass(SweepClient.Status.class, PATIENCE);
        clock.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private void want(Integer... numbers) {
        coordinator.tell(new Coordinator.Wanted(JOB, 1, client.getRef(), List.of(numbers), false));
    }

    private void submit(int number, double weight) {
        coordinator.tell(new Coordinator.Submitted(new Ticket(JOB, number), weight, new byte[0]));
    }

    private void beat(TestProbe<Member.Command> member, String address, int slots, Ticket... running) {
        coordinator.tell(new Coordinator.Beat(member.getRef(), address, slots, List.of(running), List.of()));
    }

    private static int assignment(TestProbe<Member.Command> member) {
        return member.expectMessageClass(Member.Assign.class, PATIENCE).ticket().number();
    }
}

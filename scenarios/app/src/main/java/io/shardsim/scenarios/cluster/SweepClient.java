package io.shardsim.scenarios.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a command, at the worker it is connected to: tells the coordinator which points are wanted, fetches results from the members that
 * have them, and passes them on. Ends with the connection. The command's points do not: it resumes them over another one.
 */
final class SweepClient extends AbstractBehavior<SweepClient.Command> {
    /** Time after which a missing part of a result is requested again; given up after some tries. */
    private static final Duration PART_PATIENCE = Duration.ofSeconds(3);

    private static final int TRIES = 4;
    /** Maximum results being fetched or not yet confirmed by the command, which bounds the memory that a slow command takes here. */
    private static final int UNDER_WAY_MAX = 8;

    /** Messages to a client, including the command's, passed on unchanged. */
    sealed interface Command
            permits DoorMessage,
                    SweepClient.Status,
                    SweepClient.Unknown,
                    SweepClient.Attempted,
                    SweepClient.Offered,
                    SweepClient.Part,
                    SweepClient.Replaced,
                    SweepClient.Gone,
                    SweepClient.Tick {}

    /** The members' status, from the coordinator. */
    record Status(List<MemberStatus> members) implements Command, WireMessage {}

    /** Points unknown to the coordinator: it is new, or they were lost in transit. */
    record Unknown(List<Integer> numbers) implements Command, WireMessage {}

    /**
     * A notice that a member has given up its part of an attempt, or has started one of another.
     *
     * @param attempt number of the attempt that it continues with, or takes next
     */
    record Attempted(int number, int attempt) implements Command, WireMessage {}

    /** A member's offer of a result. */
    record Offered(int number, ActorRef<Member.Command> member, String address) implements Command, WireMessage {}

    /**
     * A part of a result.
     *
     * @param length length of the whole result [bytes]
     */
    record Part(int number, String address, int length, int offset, byte[] bytes) implements Command, WireMessage {}

    /** A notice that the command has reconnected, here or to another worker. */
    record Replaced() implements Command, WireMessage {}

    /** A notice that the connection is closed. */
    record Gone() implements Command {}

    /** The timer for progress reports. */
    private record Tick() implements Command {}

    /** The connection to the command. */
    interface Way {
        void send(DoorMessage message);

        void close();
    }

    private final DoorMessage.Hello hello;
    private final ActorRef<Coordinator.Command> coordinator;
    private final Duration silence;
    private final Way way;
    /** Monotonic clock [ns]. */
    private final LongSupplier clock;

    /** State: points that the command waits for. */
    private final Map<Integer, Wish> wishes = new LinkedHashMap<>();

    private List<MemberStatus> members = List.of();
    /** Time when the coordinator was last heard from [ns]; null if never. */
    private @Nullable Long coordinatorNanos;

    /** Time when the command was last heard from [ns]. */
    private long commandNanos;

    private static final class Wish {
        final DoorMessage.Question question;
        /** For a split point, the members that run a part each, once they are assigned. */
        List<MemberStatus> parts = List.of();

        int attempt = 1;

        @Nullable
        Fetching fetching;
        /** Whether the command has received the outcome. */
        boolean told;

        Wish(DoorMessage.Question question) {
            this.question = question;
        }
    }

    private static final class Fetching {
        final ActorRef<Member.Command> member;
        final String address;
        byte[] bytes = {};
        int have;
        int tries;
        long askedNanos;

        Fetching(Offered offered) {
            member = offered.member();
            address = offered.address();
        }
    }

    private SweepClient(
            ActorContext<Command> context,
            DoorMessage.Hello hello,
            ActorRef<Coordinator.Command> coordinator,
            Duration silence,
            Way way,
            LongSupplier clock) {
        super(context);
        this.hello = hello;
        this.coordinator = coordinator;
        this.silence = silence;
        this.way = way;
        this.clock = clock;
        commandNanos = clock.getAsLong();
    }

    /**
     * @param silence time after which a silent command counts as gone
     * @param clock monotonic clock [ns]
     */
    static Behavior<Command> create(
            DoorMessage.Hello hello,
            ActorRef<Coordinator.Command> coordinator,
            Duration silence,
            Way way,
            LongSupplier clock) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(new Tick(), Coordinator.BEAT);
            SweepClient client = new SweepClient(context, hello, coordinator, silence, way, clock);
            if (hello.connection() == 1) {
                // So that the coordinator knows the job before its first point arrives.
                client.sayWhatIsWanted(false);
            }
            return client;
        }));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Part.class, this::onPart)
                .onMessage(Offered.class, this::onOffered)
                .onMessage(DoorMessage.Question.class, this::onQuestion)
                .onMessage(DoorMessage.Wanted.class, this::onWanted)
                .onMessage(Status.class, this::onStatus)
                .onMessage(Unknown.class, this::onUnknown)
                .onMessage(Attempted.class, this::onAttempted)
                .onMessage(DoorMessage.Notice.class, this::onNotice)
                .onMessage(DoorMessage.Failed.class, this::onFailed)
                .onMessage(Tick.class, tick -> onTick())
                .onMessage(Replaced.class, replaced -> Behaviors.stopped())
                .onMessage(Gone.class, gone -> Behaviors.stopped())
                .onSignal(PostStop.class, stopped -> {
                    way.close();
                    return this;
                })
                .build();
    }

    private Behavior<Command> onWanted(DoorMessage.Wanted wanted) {
        commandNanos = clock.getAsLong();
        wishes.keySet().retainAll(new HashSet<>(wanted.numbers()));
        sayWhatIsWanted(wanted.over());
        return wanted.over() ? Behaviors.stopped() : this;
    }

    private Behavior<Command> onQuestion(DoorMessage.Question question) {
        commandNanos = clock.getAsLong();
        if (wishes.size() >= DoorMessage.QUESTIONS_MAX) {
            way.send(new DoorMessage.Failed(
                    question.number(), "the command waits for " + DoorMessage.QUESTIONS_MAX + " points already"));
        } else if (wishes.putIfAbsent(question.number(), new Wish(question)) == null && question.parts() == 0) {
            submit(question);
        }
        return this;
    }

    private void submit(DoorMessage.Question question) {
        coordinator.tell(new Coordinator.Submitted(ticket(question.number()), question.weight(), question.body()));
    }

    private Ticket ticket(int number) {
        return new Ticket(hello.job(), number);
    }

    private Behavior<Command> onStatus(Status status) {
        coordinatorNanos = clock.getAsLong();
        members = status.members();
        return this;
    }

    /**
     * Assigns parts again each second until a result arrives, unless a member that runs one is lost. Only once the coordinator knows that the point
     * is wanted, or else it would have members drop it.
     */
    private void handOutParts(Wish wish) {
        for (int process = 0; process < wish.parts.size(); process++) {
            MemberStatus one = wish.parts.get(process);
            if (members.stream().noneMatch(member -> member.ref().equals(one.ref()))) {
                String lost = "member " + one.address() + " was lost while running part " + (process + 1) + " of "
                        + wish.parts.size();
                if (!wish.question.restart()) {
                    fail(wish, lost + "; run it again, or pass --restart");
                    return;
                }
                way.send(new DoorMessage.Notice(lost + "; restarting on the remaining members"));
                wish.parts = List.of();
                wish.attempt++;
                break;
            }
        }
        if (wish.parts.isEmpty()) {
            // Sorted by address, so that the next connection chooses the same order.
            wish.parts = members.stream()
                    .filter(member -> member.silentMillis() < 3 * Coordinator.BEAT.toMillis())
                    .sorted(Comparator.comparing(MemberStatus::address))
                    .limit(wish.question.parts())
                    .toList();
        }
        List<String> names = new ArrayList<>();
        wish.parts.forEach(
                member -> names.add(member.address() + "#" + member.ref().path().uid()));
        List<ActorRef<Member.Command>> refs =
                wish.parts.stream().map(MemberStatus::ref).toList();
        Attempt attempt = new Attempt(ticket(wish.question.number()), wish.attempt, names.hashCode());
        for (int process = 0; process < refs.size(); process++) {
            refs.get(process)
                    .tell(new Member.AssignPart(
                            attempt,
                            wish.question.body(),
                            process,
                            refs,
                            getContext().getSelf()));
        }
    }

    private Behavior<Command> onAttempted(Attempted attempted) {
        Wish wish = wishes.get(attempted.number());
        if (wish != null) {
            wish.attempt = Math.max(wish.attempt, attempted.attempt());
        }
        return this;
    }

    private void fail(Wish wish, String why) {
        wish.told = true;
        wish.fetching = null;
        way.send(new DoorMessage.Failed(wish.question.number(), why));
    }

    private Behavior<Command> onUnknown(Unknown unknown) {
        for (int number : unknown.numbers()) {
            Wish wish = wishes.get(number);
            if (wish != null && wish.question.parts() == 0) {
                submit(wish.question);
            } else if (wish != null && wish.fetching == null && !wish.told) {
                handOutParts(wish);
            }
        }
        return this;
    }

    private Behavior<Command> onNotice(DoorMessage.Notice notice) {
        way.send(notice);
        return this;
    }

    private Behavior<Command> onFailed(DoorMessage.Failed failed) {
        Wish wish = wishes.get(failed.number());
        if (wish != null && !wish.told) {
            fail(wish, failed.why());
        }
        return this;
    }

    private Behavior<Command> onOffered(Offered offered) {
        Wish wish = wishes.get(offered.number());
        if (wish != null && wish.fetching == null && !wish.told && underWay() < UNDER_WAY_MAX) {
            wish.fetching = new Fetching(offered);
            fetch(wish, wish.fetching);
        }
        return this;
    }

    private int underWay() {
        int count = 0;
        for (Wish wish : wishes.values()) {
            count += wish.fetching != null || wish.told ? 1 : 0;
        }
        return count;
    }

    private void fetch(Wish wish, Fetching fetching) {
        fetching.askedNanos = clock.getAsLong();
        fetching.member.tell(new Member.Fetch(
                ticket(wish.question.number()), fetching.have, getContext().getSelf()));
    }

    private Behavior<Command> onPart(Part part) {
        Wish wish = wishes.get(part.number());
        Fetching fetching = wish == null ? null : wish.fetching;
        if (wish == null
                || fetching == null
                || !fetching.address.equals(part.address())
                || part.length() <= 0
                || part.length() > DoorMessage.ANSWER_MAX
                || part.offset() != fetching.have) {
            return this;
        }
        if (fetching.have == 0) {
            fetching.bytes = new byte[part.length()];
        }
        if (part.bytes().length > fetching.bytes.length - fetching.have) {
            return this;
        }
        System.arraycopy(part.bytes(), 0, fetching.bytes, fetching.have, part.bytes().length);
        fetching.have += part.bytes().length;
        fetching.tries = 0;
        if (fetching.have < fetching.bytes.length) {
            fetch(wish, fetching);
        } else {
            wish.told = true;
            wish.fetching = null;
            way.send(new DoorMessage.Result(part.number(), fetching.address, fetching.bytes));
        }
        return this;
    }

    private Behavior<Command> onTick() {
        long now = clock.getAsLong();
        if (now - commandNanos > silence.toNanos()) {
            return Behaviors.stopped();
        }
        List<DoorMessage.Standing> standing = new ArrayList<>();
        for (MemberStatus member : members) {
            standing.add(new DoorMessage.Standing(member.address(), member.running(), member.silentMillis()));
        }
        way.send(new DoorMessage.Progress(
                coordinatorNanos == null ? -1 : (now - coordinatorNanos) / 1_000_000, standing));
        for (Wish wish : wishes.values()) {
            Fetching fetching = wish.fetching;
            if (fetching != null && now - fetching.askedNanos > PART_PATIENCE.toNanos()) {
                if (++fetching.tries < TRIES) {
                    fetch(wish, fetching);
                } else {
                    wish.fetching = null;
                }
            }
        }
        return this;
    }

    private void sayWhatIsWanted(boolean over) {
        coordinator.tell(new Coordinator.Wanted(
                hello.job(), hello.connection(), getContext().getSelf(), List.copyOf(wishes.keySet()), over));
    }
}

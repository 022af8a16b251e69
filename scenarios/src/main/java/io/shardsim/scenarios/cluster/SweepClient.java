package io.shardsim.scenarios.cluster;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.simulator.TooLargeException;
import java.io.NotSerializableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
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
 * One command's points: says which are wanted, fetches results from the members that have them, keeps the first of each.
 */
final class SweepClient extends AbstractBehavior<SweepClient.Command> {
    static final String NAME = "client";
    /** What all points fail with when the cluster no longer has this command. */
    static final String REMOVED = "this command was removed from the cluster";

    /** A part of a result that has not come after so long is asked for again, and given up after some tries. */
    private static final Duration PART_PATIENCE = Duration.ofSeconds(3);

    private static final int TRIES = 4;
    /** Largest packed result [bytes]. */
    private static final int ANSWER_MAX = 64 << 20;

    private static final Duration NOTICEABLE = Duration.ofSeconds(15);

    /** What others say. */
    sealed interface Command {}

    /** When the coordinator says how the members are. */
    record Status(List<MemberStatus> members) implements Command, WireMessage {}

    /** When the coordinator does not know points: it is new, or they were lost on the way. */
    record Unknown(List<Integer> numbers) implements Command, WireMessage {}

    /** When the coordinator has something to tell the user. */
    record Notice(String text) implements Command, WireMessage {}

    /** When the coordinator gives a point up. */
    record Unrunnable(int number, String why) implements Command, WireMessage {}

    /** When a member has a result [bytes]. */
    record Offered(int number, ActorRef<Member.Command> member, String address, int length)
            implements Command, WireMessage {}

    /** When a part of a result comes. */
    record Part(int number, String address, int offset, byte[] bytes) implements Command, WireMessage {}

    /** When the command asks for a point. */
    record Ask(int number, double weight, byte[] question, CompletableFuture<RunResult> result) implements Command {}

    /** When the command hands out one logical process of a point itself. */
    record AskPart(int number, MemberStatus member, Member.AssignPart assignment, CompletableFuture<RunResult> result)
            implements Command {}

    /** When the command no longer wants a point. */
    record Cancel(int number) implements Command {}

    /** When the command ends. */
    record Close() implements Command {}

    /** When it is time to say what is wanted. */
    private record Tick() implements Command {}

    /** What the user is shown; written by the actor, read by others. */
    static final class View {
        volatile List<MemberStatus> members = List.of();
        /** Points done by address: replaced, never changed. */
        volatile Map<String, Integer> done = Map.of();
        /** Points without a result. */
        volatile int wanted;
    }

    private final String job;
    private final ActorRef<Coordinator.Command> coordinator;
    private final Duration takeover;
    private final Consumer<String> notices;
    private final View view;
    private final WireCodec codec = ClusterProtocol.contentCodec();
    /** Points without a result: state. */
    private final Map<Integer, Wish> wishes = new LinkedHashMap<>();

    /** Time that only runs forward [ns]. */
    private final LongSupplier clock;

    private long coordinatorNanos;
    private boolean silenceTold;

    private static final class Wish {
        final int number;
        final CompletableFuture<RunResult> result;
        /** How it is asked for: one of these two. */
        final @Nullable Ask ask;

        final @Nullable AskPart part;

        @Nullable
        Fetching fetching;

        Wish(Ask ask) {
            number = ask.number();
            result = ask.result();
            this.ask = ask;
            part = null;
        }

        Wish(AskPart part) {
            number = part.number();
            result = part.result();
            ask = null;
            this.part = part;
        }
    }

    private static final class Fetching {
        final ActorRef<Member.Command> member;
        final String address;
        final byte[] bytes;
        int have;
        int tries;
        long askedNanos;

        Fetching(Offered offered) {
            member = offered.member();
            address = offered.address();
            bytes = new byte[offered.length()];
        }
    }

    private SweepClient(
            ActorContext<Command> context,
            String job,
            ActorRef<Coordinator.Command> coordinator,
            Duration takeover,
            Told told,
            LongSupplier clock) {
        super(context);
        this.job = job;
        this.coordinator = coordinator;
        this.takeover = takeover;
        notices = told.notices();
        view = told.view();
        this.clock = clock;
        coordinatorNanos = clock.getAsLong();
    }

    /**
     * @param takeover time without a coordinator after which all points fail
     * @param notices hears what the user should know
     */
    static Behavior<Command> create(
            String job,
            ActorRef<Coordinator.Command> coordinator,
            Duration takeover,
            Consumer<String> notices,
            View view) {
        return create(job, coordinator, takeover, new Told(notices, view), System::nanoTime);
    }

    /** Who is told what comes of it. */
    record Told(Consumer<String> notices, View view) {}

    /** The same by another clock [ns]. */
    static Behavior<Command> create(
            String job, ActorRef<Coordinator.Command> coordinator, Duration takeover, Told told, LongSupplier clock) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(new Tick(), Coordinator.BEAT);
            SweepClient client = new SweepClient(context, job, coordinator, takeover, told, clock);
            client.sayWhatIsWanted();
            return client;
        }));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Part.class, this::onPart)
                .onMessage(Offered.class, this::onOffered)
                .onMessage(Ask.class, this::onAsk)
                .onMessage(AskPart.class, this::onAskPart)
                .onMessage(Cancel.class, this::onCancel)
                .onMessage(Status.class, this::onStatus)
                .onMessage(Unknown.class, this::onUnknown)
                .onMessage(Notice.class, this::onNotice)
                .onMessage(Unrunnable.class, this::onUnrunnable)
                .onMessage(Tick.class, tick -> onTick())
                .onMessage(Close.class, close -> onClose())
                .onSignal(PostStop.class, stopped -> {
                    failAll(REMOVED);
                    return this;
                })
                .build();
    }

    private Behavior<Command> onAsk(Ask ask) {
        wishes.put(ask.number(), new Wish(ask));
        submit(ask);
        return this;
    }

    private Behavior<Command> onAskPart(AskPart part) {
        wishes.put(part.number(), new Wish(part));
        sayWhatIsWanted();
        part.member().ref().tell(part.assignment());
        return this;
    }

    private void submit(Ask ask) {
        coordinator.tell(new Coordinator.Submitted(new Ticket(job, ask.number()), ask.weight(), ask.question()));
    }

    private Behavior<Command> onCancel(Cancel cancel) {
        wishes.remove(cancel.number());
        sayWhatIsWanted();
        return this;
    }

    private Behavior<Command> onStatus(Status status) {
        coordinatorNanos = clock.getAsLong();
        if (silenceTold) {
            silenceTold = false;
            notices.accept("the cluster has a coordinator again");
        }
        view.members = status.members();
        failPartsOfTheLost(status.members());
        return this;
    }

    private void failPartsOfTheLost(List<MemberStatus> members) {
        Set<ActorRef<Member.Command>> there = new HashSet<>();
        members.forEach(member -> there.add(member.ref()));
        for (Wish wish : List.copyOf(wishes.values())) {
            AskPart part = wish.part;
            if (part != null && !there.contains(part.member().ref())) {
                wishes.remove(wish.number);
                wish.result.completeExceptionally(new MemberLostException("member "
                        + part.member().address() + " was lost, which ran part "
                        + (part.assignment().process() + 1) + " of "
                        + part.assignment().members().size()));
            }
        }
    }

    private Behavior<Command> onUnknown(Unknown unknown) {
        for (int number : unknown.numbers()) {
            Wish wish = wishes.get(number);
            if (wish != null && wish.ask != null) {
                submit(wish.ask);
            }
        }
        return this;
    }

    private Behavior<Command> onNotice(Notice notice) {
        notices.accept(notice.text());
        return this;
    }

    private Behavior<Command> onUnrunnable(Unrunnable unrunnable) {
        Wish wish = wishes.remove(unrunnable.number());
        if (wish != null) {
            wish.result.completeExceptionally(new IllegalStateException(unrunnable.why()));
            sayWhatIsWanted();
        }
        return this;
    }

    private Behavior<Command> onOffered(Offered offered) {
        Wish wish = wishes.get(offered.number());
        if (wish == null) {
            offered.member().tell(new Member.Drop(List.of(new Ticket(job, offered.number()))));
        } else if (wish.fetching == null && offered.length() > 0 && offered.length() <= ANSWER_MAX) {
            wish.fetching = new Fetching(offered);
            fetch(wish, wish.fetching);
        }
        return this;
    }

    private void fetch(Wish wish, Fetching fetching) {
        fetching.askedNanos = clock.getAsLong();
        fetching.member.tell(new Member.Fetch(new Ticket(job, wish.number), fetching.have));
    }

    private Behavior<Command> onPart(Part part) {
        Wish wish = wishes.get(part.number());
        Fetching fetching = wish == null ? null : wish.fetching;
        if (wish == null
                || fetching == null
                || !fetching.address.equals(part.address())
                || part.offset() != fetching.have
                || part.bytes().length > fetching.bytes.length - fetching.have) {
            return this;
        }
        System.arraycopy(part.bytes(), 0, fetching.bytes, fetching.have, part.bytes().length);
        fetching.have += part.bytes().length;
        fetching.tries = 0;
        if (fetching.have < fetching.bytes.length) {
            fetch(wish, fetching);
        } else {
            keep(wish, fetching);
        }
        return this;
    }

    private void keep(Wish wish, Fetching fetching) {
        int number = wish.number;
        try {
            Answer answer = codec.unpack(fetching.bytes, Answer.class);
            wishes.remove(number);
            count(fetching.address);
            view.wanted = wishes.size();
            if (answer instanceof Answer.Done done) {
                wish.result.complete(done.result());
            } else if (answer instanceof Answer.TooLarge tooLarge) {
                wish.result.completeExceptionally(
                        new TooLargeException(tooLarge.why(), tooLarge.keys().toArray(String[]::new)));
            } else {
                wish.result.completeExceptionally(new IllegalStateException(((Answer.Failed) answer).why()));
            }
        } catch (NotSerializableException broken) {
            notices.accept("a result of member " + fetching.address + " cannot be read, its point runs again: "
                    + broken.getMessage());
            wish.fetching = null;
        }
        fetching.member.tell(new Member.Drop(List.of(new Ticket(job, number))));
        sayWhatIsWanted();
    }

    private void count(String address) {
        Map<String, Integer> done = new LinkedHashMap<>(view.done);
        done.merge(address, 1, Integer::sum);
        view.done = done;
    }

    private Behavior<Command> onTick() {
        sayWhatIsWanted();
        long now = clock.getAsLong();
        for (Wish wish : wishes.values()) {
            Fetching fetching = wish.fetching;
            if (wish.part != null && fetching == null) {
                wish.part.member().ref().tell(wish.part.assignment());
            }
            if (fetching != null && now - fetching.askedNanos > PART_PATIENCE.toNanos()) {
                if (++fetching.tries < TRIES) {
                    fetch(wish, fetching);
                } else {
                    wish.fetching = null;
                }
            }
        }
        long silentNanos = now - coordinatorNanos;
        if (silentNanos > takeover.toNanos()) {
            failAll("the cluster has had no coordinator for " + takeover.toSeconds() + " s");
        } else if (silentNanos > NOTICEABLE.toNanos() && !silenceTold) {
            silenceTold = true;
            notices.accept("the cluster's coordinator has said nothing for " + NOTICEABLE.toSeconds()
                    + " s; waiting for another member to take over");
        }
        return this;
    }

    private Behavior<Command> onClose() {
        coordinator.tell(new Coordinator.Wanted(job, getContext().getSelf(), List.of(), true));
        return Behaviors.stopped();
    }

    private void failAll(String why) {
        List<Wish> all = new ArrayList<>(wishes.values());
        wishes.clear();
        for (Wish wish : all) {
            wish.result.completeExceptionally(new IllegalStateException(why));
        }
    }

    private void sayWhatIsWanted() {
        view.wanted = wishes.size();
        coordinator.tell(new Coordinator.Wanted(job, getContext().getSelf(), List.copyOf(wishes.keySet()), false));
    }
}

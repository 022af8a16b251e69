package io.shardsim.scenarios.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assigns points to members, longest first; a cluster has one coordinator.
 *
 * <p>It keeps no state that others do not also have: commands report which points they want, members which they run. So its successor, if its member
 * is lost, learns everything within a second. Points of a member that is silent for too long are reassigned. An idle member gets a copy of a point
 * that takes far longer than any before it: the first result counts.
 *
 * <p>Results do not pass through it: a command learns which member has one, and fetches it there.
 */
final class Coordinator extends AbstractBehavior<Coordinator.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Coordinator.class);
    static final String NAME = "coordinator";
    static final Duration BEAT = Duration.ofSeconds(1);

    /** Multiple of a member's maximum silence after which a silent command counts as over: it is about to be removed, or was killed. */
    private static final int JOB_SILENCES = 3;
    /** Time after which an assignment unknown to its member counts as lost, in transit or by the member. */
    private static final Duration ASSIGNMENT_LOST = Duration.ofSeconds(5);
    /** Time for which a new coordinator only listens: members may already be running requested points. */
    private static final Duration LISTENING = BEAT.multipliedBy(2);
    /** Number of lost members after which the point that they were running is blamed. */
    private static final int LOSSES_MAX = 3;
    /** Multiple of the longest point so far after which a copy is assigned, subject to a minimum. */
    private static final int COPY_FACTOR = 3;

    private static final Duration COPY_AFTER = Duration.ofSeconds(30);

    /** Messages to the coordinator. */
    sealed interface Command {}

    /**
     * A member's status, sent each second and on every change.
     *
     * @param slots points that it runs concurrently; 0 when it is about to leave
     * @param running points that it runs
     * @param finished points with results to be fetched
     */
    record Beat(ActorRef<Member.Command> member, String address, int slots, List<Ticket> running, List<Ticket> finished)
            implements Command, WireMessage {}

    /**
     * The points that a command still wants, sent each second and on every change.
     *
     * @param connection number of its connections so far: the last one counts
     * @param over whether the command is ending
     */
    record Wanted(String job, int connection, ActorRef<SweepClient.Command> client, List<Integer> numbers, boolean over)
            implements Command, WireMessage {}

    /**
     * A command's request for a point.
     *
     * @param weight expected cost, unitless
     * @param question packed {@link Question}
     */
    record Submitted(Ticket ticket, double weight, byte[] question) implements Command, WireMessage {}

    /** The timer for detecting silence. */
    private record Tick() implements Command {}

    private final Duration silence;
    private final Duration jobSilence;
    /** Monotonic clock [ns]. */
    private final LongSupplier clock;

    private final long beganNanos;
    /** State: members by address. */
    private final Map<String, MemberEntry> members = new LinkedHashMap<>();
    /** State: commands by name. */
    private final Map<String, Job> jobs = new LinkedHashMap<>();

    private static final class MemberEntry {
        final ActorRef<Member.Command> ref;
        final String address;
        final Set<Ticket> assigned = new LinkedHashSet<>();
        /** Time of each assignment, or of its last confirmation by the member [ns]. */
        final Map<Ticket, Long> assignedNanos = new HashMap<>();

        /** Points in its last report. */
        Set<Ticket> said = Set.of();

        int slots;
        long heardNanos;

        MemberEntry(ActorRef<Member.Command> ref, String address) {
            this.ref = ref;
            this.address = address;
        }
    }

    private static final class Job {
        /** Its last connection. */
        ActorRef<SweepClient.Command> client;

        int connection;
        final Map<Integer, Point> points = new LinkedHashMap<>();
        long heardNanos;
        /** Points it last wanted, including parts that it assigns itself. */
        Set<Integer> wanted = Set.of();
        /** Longest time of a point from assignment to result [ns]. */
        long longestNanos;

        Job(ActorRef<SweepClient.Command> client) {
            this.client = client;
        }
    }

    private static final class Point {
        final Ticket ticket;
        final double weight;
        final byte[] question;
        /** Addresses of the members that hold it. */
        final Set<String> holders = new LinkedHashSet<>();
        /** Time since which members hold it, 0 if none does [ns]. */
        long handedOutNanos;

        int losses;

        Point(Ticket ticket, double weight, byte[] question) {
            this.ticket = ticket;
            this.weight = weight;
            this.question = question;
        }
    }

    private Coordinator(ActorContext<Command> context, Duration silence, LongSupplier clock) {
        super(context);
        this.silence = silence;
        jobSilence = silence.multipliedBy(JOB_SILENCES);
        this.clock = clock;
        beganNanos = clock.getAsLong();
        LOG.info("coordinates the cluster");
    }

    /** @param silence time after which a member's points are reassigned */
    static Behavior<Command> create(Duration silence) {
        return create(silence, System::nanoTime);
    }

    /** Creates a coordinator with another clock [ns]. */
    static Behavior<Command> create(Duration silence, LongSupplier clock) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(new Tick(), BEAT);
            return new Coordinator(context, silence, clock);
        }));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Beat.class, this::onBeat)
                .onMessage(Wanted.class, this::onWanted)
                .onMessage(Submitted.class, this::onSubmitted)
                .onMessage(Tick.class, tick -> onTick())
                .build();
    }

    private Behavior<Command> onBeat(Beat beat) {
        long now = clock.getAsLong();
        MemberEntry member = members.get(beat.address());
        if (member != null && !member.ref.equals(beat.member())) {
            lose(member, "was restarted", true);
            member = null;
        }
        if (member == null) {
            member = new MemberEntry(beat.member(), beat.address());
            members.put(beat.address(), member);
        }
        member.slots = beat.slots();
        member.heardNanos = now;
        member.said = new LinkedHashSet<>(beat.running());
        member.said.addAll(beat.finished());
        takeOver(member, now);
        offer(member, beat.finished());
        forgetLostAssignments(member, now);
        if (beat.slots() == 0) {
            lose(member, "leaves", false);
        } else {
            assignAll();
        }
        return this;
    }

    /** Records points that a member newly reports, and has it drop those that nobody wants. */
    private void takeOver(MemberEntry member, long now) {
        List<Ticket> unwanted = new ArrayList<>();
        for (Ticket ticket : member.said) {
            Job job = jobs.get(ticket.job());
            Point point = job == null ? null : job.points.get(ticket.number());
            if (point != null) {
                hold(member, point, now);
            } else if (job == null ? now - beganNanos > jobSilence.toNanos() : !job.wanted.contains(ticket.number())) {
                unwanted.add(ticket);
            }
        }
        if (!unwanted.isEmpty()) {
            member.ref.tell(new Member.Drop(unwanted));
        }
    }

    /** Tells commands which results are ready, with each beat, so that none is missed. */
    private void offer(MemberEntry member, List<Ticket> finished) {
        for (Ticket ticket : finished) {
            Job job = jobs.get(ticket.job());
            if (job != null && job.wanted.contains(ticket.number())) {
                job.client.tell(new SweepClient.Offered(ticket.number(), member.ref, member.address));
            }
        }
    }

    private static void hold(MemberEntry member, Point point, long now) {
        if (member.assigned.add(point.ticket)) {
            member.assignedNanos.put(point.ticket, now);
        }
        point.holders.add(member.address);
        if (point.handedOutNanos == 0) {
            point.handedOutNanos = now;
        }
    }

    private void forgetLostAssignments(MemberEntry member, long now) {
        for (Ticket ticket : List.copyOf(member.assigned)) {
            if (member.said.contains(ticket)) {
                // If it does not report it later, it was dropped: the command that has the result is about to say so.
                member.assignedNanos.put(ticket, now);
            } else if (now - member.assignedNanos.getOrDefault(ticket, now) > ASSIGNMENT_LOST.toNanos()) {
                release(member, ticket);
            }
        }
    }

    private void release(MemberEntry member, Ticket ticket) {
        member.assigned.remove(ticket);
        member.assignedNanos.remove(ticket);
        Point point = point(ticket);
        if (point != null) {
            point.holders.remove(member.address);
            if (point.holders.isEmpty()) {
                point.handedOutNanos = 0;
            }
        }
    }

    private @Nullable Point point(Ticket ticket) {
        Job job = jobs.get(ticket.job());
        return job == null ? null : job.points.get(ticket.number());
    }

    private Behavior<Command> onWanted(Wanted wanted) {
        long now = clock.getAsLong();
        Job job = jobs.computeIfAbsent(wanted.job(), name -> new Job(wanted.client()));
        if (wanted.connection() < job.connection) {
            wanted.client().tell(new SweepClient.Replaced());
            return this;
        }
        job.client = wanted.client();
        job.connection = wanted.connection();
        job.heardNanos = now;
        Set<Integer> numbers = new HashSet<>(wanted.numbers());
        job.wanted = numbers;
        for (Point point : List.copyOf(job.points.values())) {
            if (!numbers.contains(point.ticket.number())) {
                finish(job, point, now);
            }
        }
        wanted.client().tell(new SweepClient.Status(status(wanted.job(), now)));
        List<Integer> unknown = numbers.stream()
                .filter(number -> !job.points.containsKey(number))
                .sorted()
                .toList();
        if (!unknown.isEmpty()) {
            wanted.client().tell(new SweepClient.Unknown(unknown));
        }
        job.points.values().stream().filter(Coordinator::isGivenUp).forEach(point -> tellGivenUp(job, point));
        if (wanted.over()) {
            jobs.remove(wanted.job());
        }
        assignAll();
        return this;
    }

    /** Removes a point that is no longer wanted: it is done, or its command was cancelled. */
    private void finish(Job job, Point point, long now) {
        job.points.remove(point.ticket.number());
        if (point.handedOutNanos != 0) {
            job.longestNanos = Math.max(job.longestNanos, now - point.handedOutNanos);
        }
        for (String holder : point.holders) {
            MemberEntry member = members.get(holder);
            if (member != null) {
                member.assigned.remove(point.ticket);
                member.assignedNanos.remove(point.ticket);
                member.ref.tell(new Member.Drop(List.of(point.ticket)));
            }
        }
    }

    private List<MemberStatus> status(String job, long now) {
        List<MemberStatus> all = new ArrayList<>();
        for (MemberEntry member : members.values()) {
            int running = 0;
            for (Ticket ticket : member.assigned) {
                running += ticket.job().equals(job) ? 1 : 0;
            }
            all.add(new MemberStatus(member.ref, member.address, running, (now - member.heardNanos) / 1_000_000));
        }
        return all;
    }

    private Behavior<Command> onSubmitted(Submitted submitted) {
        Ticket ticket = submitted.ticket();
        Job job = jobs.get(ticket.job());
        if (job != null) {
            job.points.computeIfAbsent(ticket.number(), number -> {
                Point point = new Point(ticket, submitted.weight(), submitted.question());
                holdWhoHas(point);
                return point;
            });
            assignAll();
        }
        return this;
    }

    /** Finds members that hold a point: a new coordinator may learn that before it learns of the point. */
    private void holdWhoHas(Point point) {
        for (MemberEntry member : members.values()) {
            if (member.said.contains(point.ticket)) {
                hold(member, point, clock.getAsLong());
            }
        }
    }

    private Behavior<Command> onTick() {
        long now = clock.getAsLong();
        for (MemberEntry member : List.copyOf(members.values())) {
            if (now - member.heardNanos > silence.toNanos()) {
                lose(member, "has been silent for " + silence.toSeconds() + " s", true);
            }
        }
        for (String name : List.copyOf(jobs.keySet())) {
            Job job = jobs.get(name);
            if (job != null && now - job.heardNanos > jobSilence.toNanos()) {
                LOG.info("command {} has been silent for {} s, dropped", name, jobSilence.toSeconds());
                List.copyOf(job.points.values()).forEach(point -> finish(job, point, now));
                jobs.remove(name);
            }
        }
        assignAll();
        return this;
    }

    /** Removes a member and reassigns its points. */
    private void lose(MemberEntry member, String why, boolean blame) {
        members.remove(member.address);
        LOG.info("member {} {}", member.address, why);
        Map<String, Integer> again = new LinkedHashMap<>();
        for (Ticket ticket : List.copyOf(member.assigned)) {
            release(member, ticket);
            Job job = jobs.get(ticket.job());
            Point point = point(ticket);
            if (job == null || point == null) {
                continue;
            }
            point.losses += blame ? 1 : 0;
            if (isGivenUp(point)) {
                tellGivenUp(job, point);
            } else {
                again.merge(ticket.job(), 1, Integer::sum);
            }
        }
        jobs.forEach((name, job) -> {
            int count = again.getOrDefault(name, 0);
            String points = count == 1 ? "its point is" : "the " + count + " points it was running are";
            String more = count == 0 ? "" : "; " + points + " reassigned";
            job.client.tell(new DoorMessage.Notice("member " + member.address + " " + why + more));
        });
    }

    private static boolean isGivenUp(Point point) {
        return point.losses >= LOSSES_MAX;
    }

    /** Reports a point as given up for as long as its command wants it, since a single message may be lost. */
    private static void tellGivenUp(Job job, Point point) {
        job.client.tell(
                new DoorMessage.Failed(point.ticket.number(), point.losses + " members were lost while running it"));
    }

    private void assignAll() {
        if (clock.getAsLong() - beganNanos < LISTENING.toNanos()) {
            return;
        }
        boolean handedOut = true;
        while (handedOut) {
            handedOut = false;
            // One point per member and round, so that the longest ones are not all on the first member.
            for (MemberEntry member : members.values()) {
                if (member.assigned.size() < member.slots) {
                    handedOut |= assignOne(member);
                }
            }
        }
    }

    private boolean assignOne(MemberEntry member) {
        long now = clock.getAsLong();
        Point next = null;
        // The command with the fewest running points comes first, so that a long sweep does not block a short one.
        List<Job> fair = new ArrayList<>(jobs.values());
        fair.sort(Comparator.comparingInt(Coordinator::running));
        for (Job job : fair) {
            for (Point point : job.points.values()) {
                if (point.holders.isEmpty() && !isGivenUp(point) && (next == null || point.weight > next.weight)) {
                    next = point;
                }
            }
            if (next != null) {
                break;
            }
        }
        if (next == null) {
            next = overdue(fair, member, now);
        }
        if (next == null) {
            return false;
        }
        hold(member, next, now);
        member.ref.tell(new Member.Assign(next.ticket, next.question));
        return true;
    }

    private static int running(Job job) {
        return (int) job.points.values().stream()
                .filter(point -> !point.holders.isEmpty())
                .count();
    }

    /** Returns a point that one other member has had for far too long. */
    private static @Nullable Point overdue(List<Job> jobs, MemberEntry member, long now) {
        for (Job job : jobs) {
            long limitNanos = Math.max(COPY_AFTER.toNanos(), COPY_FACTOR * job.longestNanos);
            for (Point point : job.points.values()) {
                if (job.longestNanos > 0
                        && point.holders.size() == 1
                        && !isGivenUp(point)
                        && !point.holders.contains(member.address)
                        && now - point.handedOutNanos > limitNanos) {
                    return point;
                }
            }
        }
        return null;
    }
}

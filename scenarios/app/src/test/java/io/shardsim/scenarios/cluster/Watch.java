package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.fail;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks a simulated cluster four times a second. While nothing is wrong, no wanted point waits while a slot is free, no member works for nobody, and
 * none repeats another's work. After a fault these hold once its effects have had time to end. Every bound is shorter than the time after which a
 * copy is assigned, since a copy would hide a loss.
 */
final class Watch {
    private static final long LOOK_NANOS = SimulatedTime.millis(250);
    /** Bound without any fault: a new coordinator listens for two seconds, learns everything within another, and assigns with its next beat. */
    private static final long WAIT_NANOS = SimulatedTime.millis(4_500);
    /** Bound after faults: a part of a result is requested four times before its member is given up. */
    private static final long WAIT_AFTER_FAULTS_NANOS = SimulatedTime.millis(20_000);

    private static final long STRAY_NANOS = SimulatedTime.millis(3_500);
    private static final long STRAY_AFTER_FAULTS_NANOS = SimulatedTime.millis(8_000);
    /** A command that could not report its end counts as dead after a minute. */
    private static final long STRAY_UNHEARD_NANOS = SimulatedTime.millis(65_000);
    /** Time after the first, minus message delays, from which a second member may also run a point. */
    private static final long COPY_NANOS = SimulatedTime.millis(29_500);
    /** Time after which messages under way have arrived. */
    private static final long ARRIVED_NANOS = SimulatedTime.millis(3_000);

    /** A point that was assigned before may be copied sooner after its start: its message was held up. */
    private static final long FORGIVEN_NANOS = SimulatedTime.millis(31_000);

    private final SimulatedCluster cluster;
    /** Time since which nothing has been wrong, or after all events. */
    private long wholeSinceNanos = Long.MAX_VALUE;

    private boolean touched;
    private boolean faulted;
    /** Time when a command last ended silently; long ago if none did. */
    private long unheardNanos = -STRAY_UNHEARD_NANOS;

    private final Map<Ticket, Long> waitingSince = new HashMap<>();
    private final Map<SimulatedCluster.Work, Long> strayingSince = new HashMap<>();
    /** Points started, minus those lost with their member and copies. */
    private final Map<Ticket, Integer> begun = new HashMap<>();

    private final Map<SimulatedMachine, Set<Ticket>> on = new HashMap<>();
    private final Map<Ticket, Long> firstNanos = new HashMap<>();
    /** Points run to their end at least once: a result may have left with its member while it was fetched. */
    private final Set<Ticket> ended = new HashSet<>();

    private int begunInAll;

    Watch(SimulatedCluster cluster) {
        this.cluster = cluster;
    }

    /**
     * Records that a machine is lost, leaves, or is cut off.
     *
     * @param hard whether it happens without notice
     */
    void touched(boolean hard) {
        touched = true;
        faulted |= hard;
        if (hard) {
            wholeSinceNanos = Long.MAX_VALUE;
        }
    }

    /** Returns whether nothing is wrong now, and messages sent during a fault have arrived. */
    boolean isSettled() {
        return cluster.isWhole() && sinceWhole(0, cluster.time.nowNanos()) >= (faulted ? ARRIVED_NANOS : 0);
    }

    /** Records a command that ends silently: its points on members take their slots until it counts as dead. */
    void unheard() {
        unheardNanos = cluster.time.nowNanos();
    }

    /** Returns whether nothing has ever been wrong. */
    boolean isUntouched() {
        return !touched;
    }

    void ends(SimulatedCluster.Work work) {
        ended.add(work.ticket);
    }

    boolean wasAllHeard() {
        return unheardNanos < 0;
    }

    int begun() {
        return begunInAll;
    }

    /** Records that everything on this machine is gone. */
    void lost(SimulatedMachine machine) {
        for (Ticket ticket : on.getOrDefault(machine, Set.of())) {
            begun.merge(ticket, -1, Integer::sum);
        }
        on.remove(machine);
    }

    void begins(SimulatedCluster.Work work) {
        begunInAll++;
        Ticket ticket = work.ticket;
        long now = cluster.time.nowNanos();
        long here = cluster.works().stream()
                .filter(other -> other.machine == work.machine)
                .count();
        check(here < SimulatedCluster.SLOTS, "%s has more points than slots", work.machine.address);
        List<SimulatedCluster.Work> same = cluster.works().stream()
                .filter(other -> other.ticket.equals(ticket))
                .toList();
        check(same.stream().noneMatch(other -> other.machine == work.machine), "%s runs twice on one member", ticket);
        boolean copy = now - firstNanos.computeIfAbsent(ticket, first -> now) >= COPY_NANOS;
        boolean clear = cluster.network().neverFaulty() || now - FORGIVEN_NANOS >= wholeSinceNanos;
        on.computeIfAbsent(work.machine, machine -> new HashSet<>()).add(ticket);
        int unlost = begun.merge(ticket, copy ? 0 : 1, Integer::sum);
        boolean matters = isWanted(ticket) || isAnswered(ticket);
        check(
                unlost <= 1 || !matters || !cluster.network().neverFaulty() || wasForgotten(ticket),
                "%s runs again, though it was not lost",
                ticket);
        check(same.isEmpty() || copy || !clear || !isWanted(ticket), "%s runs on a second member", ticket);
    }

    void look() {
        long now = cluster.time.nowNanos();
        touched |= !cluster.network().neverFaulty();
        faulted |= !cluster.network().neverFaulty();
        if (!cluster.isWhole()) {
            wholeSinceNanos = Long.MAX_VALUE;
        } else if (wholeSinceNanos == Long.MAX_VALUE) {
            wholeSinceNanos = now;
        }
        lookAtPoints(now);
        lookAtWorks(now);
        cluster.time.after(LOOK_NANOS, this::look);
    }

    private void lookAtPoints(long now) {
        Set<Ticket> underWay = new HashSet<>();
        cluster.works().forEach(work -> underWay.add(work.ticket));
        boolean free = cluster.freeSlots() > 0;
        Set<Ticket> waiting = new HashSet<>();
        for (SimulatedCommand command : cluster.commands().values()) {
            waiting.addAll(command.wanted());
        }
        waiting.removeAll(underWay);
        if (!free || now - unheardNanos < STRAY_UNHEARD_NANOS) {
            waiting.clear();
        }
        waitingSince.keySet().retainAll(waiting);
        // Results fetched from a member that has left keep their slots on the next one until the command gives the
        // first up.
        boolean leftWithResult = touched && waiting.stream().anyMatch(ended::contains);
        for (Ticket ticket : waiting) {
            long nanos = sinceWhole(waitingSince.computeIfAbsent(ticket, first -> now), now);
            check(
                    nanos <= (faulted || leftWithResult ? WAIT_AFTER_FAULTS_NANOS : WAIT_NANOS),
                    "%s has waited for %d ms beside a free slot",
                    ticket,
                    nanos / 1_000_000);
        }
    }

    private void lookAtWorks(long now) {
        strayingSince.keySet().retainAll(cluster.works());
        for (SimulatedCluster.Work work : cluster.works()) {
            if (isWanted(work.ticket)) {
                strayingSince.remove(work);
                continue;
            }
            long nanos = sinceWhole(strayingSince.computeIfAbsent(work, first -> now), now);
            SimulatedCommand command = cluster.commands().get(work.ticket.job());
            long max = command == null || !command.isOpen() && !command.isKnownToBeOver()
                    ? STRAY_UNHEARD_NANOS
                    : faulted ? STRAY_AFTER_FAULTS_NANOS : STRAY_NANOS;
            check(
                    nanos <= max,
                    "%s has run for %d ms on %s, and nobody wants it",
                    work.ticket,
                    nanos / 1_000_000,
                    work.machine.address);
        }
    }

    private long sinceWhole(long nanos, long now) {
        return wholeSinceNanos == Long.MAX_VALUE ? 0 : now - Math.max(nanos, wholeSinceNanos);
    }

    private boolean isWanted(Ticket ticket) {
        SimulatedCommand command = cluster.commands().get(ticket.job());
        return command != null && command.wants(ticket.number());
    }

    private boolean isAnswered(Ticket ticket) {
        SimulatedCommand command = cluster.commands().get(ticket.job());
        return command != null && command.isOpen() && command.has(ticket.number());
    }

    /** Returns whether no worker that the command knows was up for so long that members dropped its points. */
    private boolean wasForgotten(Ticket ticket) {
        SimulatedCommand command = cluster.commands().get(ticket.job());
        return command != null && command.wasForgotten();
    }

    private static void check(boolean holds, String otherwise, Object... what) {
        if (!holds) {
            fail(otherwise, what);
        }
    }
}

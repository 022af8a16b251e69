package io.shardsim.scenarios.cluster;

import io.shardsim.reports.RunResult;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A command on a machine of its own in a {@link SimulatedCluster}. */
final class SimulatedCommand {
    private final SimulatedCluster cluster;
    private final SimulatedMachine machine;
    private final String job;
    private final RemotePoints points;
    private final Map<Integer, CompletableFuture<RunResult>> asked = new LinkedHashMap<>();
    private final Set<Integer> cancelled = new HashSet<>();
    final List<String> notices = new ArrayList<>();
    /** Times when it last heard that the coordinator was heard, and when it last heard a worker. */
    private long coordinatorNanos;

    private long workerNanos;
    private long memberNanos;
    /** Whether it ended while nothing was wrong, so that the coordinator knows. */
    private boolean over;

    private boolean closed;
    /** Time when the coordinator last heard its points, and whether it was ever silent for so long that the coordinator forgot it. */
    private long saidNanos;

    private boolean forgotten;
    private int answers;

    /** @param contacts initial contacts */
    SimulatedCommand(SimulatedCluster cluster, String job, List<SimulatedMachine> contacts) {
        this.cluster = cluster;
        coordinatorNanos = now();
        workerNanos = coordinatorNanos;
        memberNanos = coordinatorNanos;
        saidNanos = coordinatorNanos;
        this.job = job;
        machine = new SimulatedMachine(job);
        machine.up = true;
        points = new RemotePoints(
                settings(contacts), job, (contact, asking) -> connect(contact), notices::add, cluster.time::clock);
        cluster.commands().put(job, this);
        tick();
    }

    private SimulatedLink connect(HostPort contact) {
        SimulatedMachine to = cluster.machines().stream()
                .filter(each -> each.address.equals(contact.toString()))
                .findFirst()
                .orElseThrow();
        SimulatedLink link = new SimulatedLink(cluster, this, to);
        cluster.links().add(link);
        return link;
    }

    private void tick() {
        if (isOpen()) {
            points.tick();
            cluster.time.after(
                    Coordinator.BEAT.toNanos() + cluster.random.nextLong(Coordinator.BEAT.toNanos() / 4), this::tick);
        }
    }

    RemotePoints points() {
        return points;
    }

    boolean isUp() {
        return machine.up;
    }

    int ask(double weight, byte[] question, CompletableFuture<RunResult> result) {
        return ask(weight, 0, false, question, result);
    }

    int ask(double weight, int parts, boolean restart, byte[] question, CompletableFuture<RunResult> result) {
        CompletableFuture<RunResult> unused = result.whenComplete((come, failure) -> ended(failure));
        int number = points.ask(weight, parts, restart, question, result);
        asked.put(number, result);
        return number;
    }

    void saidWhatItWants() {
        forgotten |=
                now() - saidNanos > SimulatedCluster.SILENCE.multipliedBy(3).toNanos();
        saidNanos = now();
    }

    boolean wasForgotten() {
        return forgotten;
    }

    /** Handles a message from a worker. */
    void heard(DoorMessage message) {
        workerNanos = now();
        if (message instanceof DoorMessage.Progress progress && progress.silentMillis() >= 0) {
            coordinatorNanos = Math.max(coordinatorNanos, workerNanos - SimulatedTime.millis(progress.silentMillis()));
            memberNanos = progress.workers().isEmpty() ? memberNanos : workerNanos;
        }
    }

    private void ended(@Nullable Throwable failure) {
        cluster.ended(now() - coordinatorNanos, now() - workerNanos, now() - memberNanos);
        answers += failure == null || String.valueOf(failure.getMessage()).startsWith("Node[") ? 1 : 0;
    }

    boolean wants(int number) {
        CompletableFuture<RunResult> result = asked.get(number);
        return isOpen() && result != null && !result.isDone() && !cancelled.contains(number);
    }

    boolean has(int number) {
        CompletableFuture<RunResult> result = asked.get(number);
        return result != null && result.isDone();
    }

    /** Returns the points that it waits for. */
    List<Ticket> wanted() {
        return asked.keySet().stream()
                .filter(this::wants)
                .map(number -> new Ticket(job, number))
                .toList();
    }

    boolean isOpen() {
        return machine.up && !closed;
    }

    /** Returns whether it hears a worker, and is heard by it. */
    boolean isConnected() {
        return cluster.links().stream().anyMatch(link -> link.isOf(this) && link.isWhole());
    }

    boolean isKnownToBeOver() {
        return over;
    }

    /** Returns the points answered by a member, which are no errors of the cluster. */
    int answers() {
        return answers;
    }

    /** Returns the points that it reports as wanted. */
    int waitsFor() {
        return points.wanted();
    }

    /** Returns the number of answers, as counted for its user. */
    int counted() {
        return points.counted();
    }

    void cancel(int number) {
        cancelled.add(number);
        points.cancel(number);
    }

    void close() {
        over = cluster.watch().isSettled();
        if (!over) {
            cluster.watch().unheard();
        }
        points.close();
        closed = true;
    }

    void kill() {
        cluster.watch().unheard();
        machine.up = false;
        // Its system reports it, or its machine has lost power.
        List.copyOf(cluster.links()).stream()
                .filter(link -> link.isOf(this) && cluster.random.nextBoolean())
                .forEach(SimulatedLink::gone);
    }

    /** Cuts its connections: both sides are notified, or only one. */
    void cut() {
        cluster.watch().touched(true);
        List.copyOf(cluster.links()).stream().filter(link -> link.isOf(this)).forEach(link -> {
            int what = cluster.random.nextInt(3);
            if (what != 0) {
                link.reset();
            }
            if (what != 1) {
                link.gone();
            }
            link.cut();
        });
    }

    private long now() {
        return cluster.time.nowNanos();
    }

    private static ClusterSettings settings(List<SimulatedMachine> contacts) {
        return new ClusterSettings(
                "shardsim",
                ClusterSettings.LOOPBACK,
                ClusterSettings.LOOPBACK,
                0,
                contacts.stream()
                        .map(machine -> HostPort.parse(machine.address))
                        .toList(),
                null,
                null,
                new ClusterSettings.Patience(
                        SimulatedCluster.SILENCE,
                        SimulatedCluster.SILENCE,
                        SimulatedCluster.TAKEOVER,
                        SimulatedCluster.TAKEOVER,
                        SimulatedCluster.TAKEOVER));
    }
}

package io.shardsim.scenarios.cluster;

import io.shardsim.scenarios.evaluation.RunnerFactory;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A member that runs points until it is told to stop. */
public final class Worker {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final long GOODBYE_SECONDS = 3;
    /** Maximum pause before rejoining. A member that has belonged to the cluster for this long does not pause. */
    private static final Duration PAUSE_MAX = Duration.ofMinutes(5);

    private final ClusterSettings settings;
    private final int threads;
    private final RunnerFactory runners;
    /** Addresses of its cluster's members seen so far. */
    private final Set<HostPort> seen = ConcurrentHashMap.newKeySet();

    private volatile boolean ending;
    private volatile boolean broken;
    /** Task to run before the JVM ends. */
    private volatile Runnable goodbye = () -> {};

    /** @param threads number of concurrent points */
    public Worker(ClusterSettings settings, int threads, RunnerFactory runners) {
        this.settings = settings;
        this.threads = threads;
        this.runners = runners;
    }

    /**
     * Joins the cluster, prints its address, and runs points. After being removed, it finds its cluster and rejoins, after growing pauses if it does
     * not stay: while one of the others cannot hear it, its joining keeps them busy.
     *
     * @param seed whether to start a cluster without searching for one
     * @param out receives {@code listening HOST:PORT} once the member has joined the cluster
     * @return why it ended, or null if it was asked to
     */
    public @Nullable String run(boolean seed, PrintWriter out) throws InterruptedException {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            ending = true;
                            goodbye.run();
                        },
                        "leaving"));
        ClusterNode node = ClusterNode.start(settings);
        try {
            Door door = node.openDoor(new ClusterMeters(node.system()));
            join(node, seed);
            HostPort address = node.address();
            out.println("listening " + address);
            out.flush();
            Duration served = serve(node, door);
            Duration pause = Duration.ZERO;
            while (!ending && !broken) {
                node.close();
                pause = pauseAfter(served, pause);
                LOG.warn("this member no longer belongs to the cluster; looking for it in {} s", pause.toSeconds());
                Thread.sleep(pause.toMillis());
                node = ClusterNode.start(settings.withPort(address.port()));
                door = node.openDoor(new ClusterMeters(node.system()));
                Set<HostPort> contacts = new LinkedHashSet<>(settings.seeds());
                contacts.addAll(seen);
                DoorMessage.Greeting found =
                        node.find(List.copyOf(contacts), settings.patience().join());
                if (found == null) {
                    return "this member no longer belongs to the cluster, and no other member answered within "
                            + settings.patience().join().toSeconds() + " s; start it again to rejoin";
                }
                served = Duration.ZERO;
                try {
                    node.join(HostPort.parse(found.address()), List.copyOf(contacts));
                    LOG.info("belongs to the cluster again");
                    served = serve(node, door);
                } catch (IllegalStateException refused) {
                    LOG.warn("{}", refused.getMessage());
                }
            }
            return ending ? null : "the point runner has stopped, and this member with it; see its log";
        } finally {
            if (!ending) {
                node.close();
            }
        }
    }

    private Duration pauseAfter(Duration served, Duration pause) {
        Duration next = pause.isZero() ? settings.patience().removal() : pause.multipliedBy(2);
        return served.compareTo(PAUSE_MAX) >= 0 ? Duration.ZERO : next.compareTo(PAUSE_MAX) > 0 ? PAUSE_MAX : next;
    }

    /**
     * Runs points until this member leaves the cluster.
     *
     * @return how long it belonged to the cluster
     */
    private Duration serve(ClusterNode node, Door door) {
        long beganNanos = System.nanoTime();
        node.watchMembers(LOG::info, seen);
        ClusterMeters meters = door.meters();
        Member.Runs runs = new Member.Runs(runners, threads, meters::finished);
        meters.watch(runs);
        ActorRef<Coordinator.Command> coordinator = node.coordinator();
        ActorRef<Member.Command> member =
                node.spawn(Member.create(coordinator, node.address().toString(), threads, runs), Member.NAME);
        node.guard(member, () -> {
            if (!ending && !node.isRemoved()) {
                LOG.error("{} has stopped, and this member with it", Member.NAME);
                broken = true;
                node.terminate();
            }
        });
        goodbye = () -> leave(node, member);
        door.serve(coordinator);
        node.awaitEnding();
        goodbye = () -> {};
        return Duration.ofNanos(System.nanoTime() - beganNanos);
    }

    private void join(ClusterNode node, boolean seed) throws InterruptedException {
        if (seed) {
            node.seed();
            return;
        }
        boolean first = !settings.seeds().isEmpty() && settings.seeds().get(0).equals(node.address());
        boolean alone = first && settings.seeds().size() == 1;
        Duration patience =
                first ? settings.patience().silence() : settings.patience().join();
        if (!alone) {
            LOG.info(
                    "looking for a member at {} for up to {} s",
                    ClusterNode.words(settings.seeds()),
                    patience.toSeconds());
        }
        DoorMessage.Greeting found = alone ? null : node.find(settings.seeds(), patience);
        if (found != null) {
            node.join(HostPort.parse(found.address()), settings.seeds());
        } else if (first) {
            node.seed();
        } else {
            throw new IllegalStateException("no member of a cluster answers at " + ClusterNode.words(settings.seeds())
                    + " within " + settings.patience().join().toSeconds()
                    + " s; start the first with: shardsim worker --seed");
        }
    }

    /** Hands back running points, and leaves the cluster before the JVM ends. */
    private static void leave(ClusterNode node, ActorRef<Member.Command> member) {
        CountDownLatch told = new CountDownLatch(1);
        member.tell(new Member.Leave(told::countDown));
        try {
            if (!told.await(GOODBYE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("leaving without handing back its points");
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        node.leave();
    }
}

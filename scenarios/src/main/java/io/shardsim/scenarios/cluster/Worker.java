package io.shardsim.scenarios.cluster;

import io.shardsim.scenarios.evaluation.RunnerFactory;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A member that runs points until it is told to end. */
public final class Worker {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);
    private static final long GOODBYE_SECONDS = 3;

    private final ClusterSettings settings;
    private final int threads;
    private final RunnerFactory runners;
    private volatile boolean ending;

    /** @param threads points that run at once */
    public Worker(ClusterSettings settings, int threads, RunnerFactory runners) {
        this.settings = settings;
        this.threads = threads;
        this.runners = runners;
    }

    /**
     * Joins the cluster, says so, and runs points.
     *
     * @param seed whether to start a cluster without looking for one
     * @param out where {@code listening HOST:PORT} goes once the member belongs to the cluster
     * @return why it ended, or null when it was asked to
     */
    public @org.jspecify.annotations.Nullable String run(boolean seed, PrintWriter out) throws InterruptedException {
        ClusterNode node = ClusterNode.start(settings, List.of(ClusterNode.WORKER, ClusterNode.VOTER));
        try {
            join(node, seed);
            node.watchMembers(LOG::info);
            ClusterMeters meters = new ClusterMeters(node.system());
            Member.Runs runs = new Member.Runs(runners, threads, meters::finished);
            meters.watch(runs);
            ActorRef<Coordinator.Command> coordinator = node.coordinator();
            ActorRef<Member.Command> member =
                    node.spawn(Member.create(coordinator, node.address().toString(), threads, runs), Member.NAME);
            node.guard(member, () -> ending);
            Thread hook = new Thread(() -> leave(node, member), "leaving");
            Runtime.getRuntime().addShutdownHook(hook);
            try (MetricsEndpoint endpoint =
                    MetricsEndpoint.open(settings.metrics(), node.system(), meters, coordinator)) {
                out.println("listening " + node.address());
                out.flush();
                if (endpoint.address() != null) {
                    LOG.info("meters at http://{}/metrics", endpoint.address());
                }
                node.system().getWhenTerminated().toCompletableFuture().join();
            }
            return ending ? null : "this member no longer belongs to the cluster; start it again to rejoin";
        } finally {
            if (!ending) {
                node.close();
            }
        }
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
                    "looks for a member at {} for up to {} s",
                    ClusterNode.words(settings.seeds()),
                    patience.toSeconds());
        }
        Greeter.Greeting found = alone ? null : node.find(patience, true);
        if (found != null) {
            node.join(HostPort.parse(found.address()));
        } else if (first) {
            node.seed();
        } else {
            throw new IllegalStateException("no member of a cluster answers at " + ClusterNode.words(settings.seeds())
                    + " within " + settings.patience().join().toSeconds()
                    + " s; start the first with: shardsim worker --seed");
        }
    }

    /** Hands back what runs, and leaves the cluster before the JVM ends. */
    private void leave(ClusterNode node, ActorRef<Member.Command> member) {
        ending = true;
        CountDownLatch told = new CountDownLatch(1);
        member.tell(new Member.Leave(told::countDown));
        try {
            if (!told.await(GOODBYE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("leaves without having handed back its points");
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        node.leave();
    }
}

package io.shardsim.scenarios.cluster;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.simulator.TooLargeException;
import io.shardsim.topology.Cluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.ActorRef;

/**
 * Has points run by the members of a cluster, which it joins for as long as it is open. A call waits for its point, so as many points are on
 * their way as there are calls.
 */
public final class ClusterRunner implements ScenarioRunner {
    private static final int QUESTION_MAX = ClusterSerializer.MESSAGE_MAX - (4 << 10);

    private final RunOptions options;
    private final Split split;
    private final String job;
    private final Duration patience;
    /** Held by the run that is split: there is one at a time. */
    private final ReentrantLock splitting = new ReentrantLock();

    private final ClusterNode node;
    private final ActorRef<SweepClient.Command> client;
    private final SweepClient.View view = new SweepClient.View();
    private final WireCodec codec = ClusterProtocol.contentCodec();
    private final AtomicInteger numbers = new AtomicInteger();
    private final Notices notices;

    private ClusterRunner(
            ClusterSettings settings, RunOptions options, Split split, ClusterNode node, Notices notices) {
        this.options = options;
        this.split = split;
        patience = settings.patience().takeover();
        this.notices = notices;
        this.node = node;
        job = "run-" + UUID.randomUUID().toString().substring(0, 8);
        client = node.spawn(
                SweepClient.create(job, node.coordinator(), settings.patience().takeover(), notices, view),
                SweepClient.NAME);
    }

    /** Whether a point runs on one member or on all of them. */
    public enum Split {
        /** Each point on one member. */
        NO,
        /** Each point on all members, a group of nodes each; ends when one of them is lost. */
        YES,
        /** The same, but begins again on those that are left. */
        YES_AND_AGAIN
    }

    /**
     * Joins the cluster.
     *
     * @param settings with the members to join by as seeds
     * @param notices hears what the user should know, from other threads
     * @throws IllegalStateException when there is no such cluster, or it is of another build
     */
    public static ClusterRunner join(
            ClusterSettings settings, RunOptions options, Split split, Consumer<String> notices)
            throws InterruptedException {
        Greeter.Greeting found;
        try (ClusterNode scout = ClusterNode.start(settings, List.of(ClusterNode.COMMAND))) {
            found = scout.find(settings.patience().join(), false);
        }
        if (found == null) {
            throw new IllegalStateException("no member of a cluster answers at " + ClusterNode.words(settings.seeds()));
        }
        List<String> roles = new ArrayList<>(List.of(ClusterNode.COMMAND));
        if (found.workers() % 2 == 0) {
            // An even number of members could fall apart into two halves, of which neither may go on; one more vote
            // decides.
            roles.add(ClusterNode.VOTER);
        }
        ClusterNode node = ClusterNode.start(settings, roles);
        try {
            node.join(HostPort.parse(found.address()));
            Notices told = new Notices(notices);
            told.accept("joined the cluster at " + found.address() + ", " + found.workers()
                    + (found.workers() == 1 ? " member" : " members"));
            node.watchMembers(told);
            return new ClusterRunner(settings, options, split, node, told);
        } catch (RuntimeException | InterruptedException failure) {
            node.close();
            throw failure;
        }
    }

    @Override
    public RunResult run(ScenarioPoint point) throws InterruptedException {
        byte[] question = codec.pack(new Question(point, options));
        if (question.length > QUESTION_MAX) {
            throw new IllegalStateException(
                    "the point takes " + question.length + " bytes > " + QUESTION_MAX + " that a member is asked with");
        }
        return split == Split.NO ? whole(point, question) : inParts(point, question);
    }

    private RunResult whole(ScenarioPoint point, byte[] question) throws InterruptedException {
        int number = numbers.incrementAndGet();
        CompletableFuture<RunResult> result = new CompletableFuture<>();
        client.tell(new SweepClient.Ask(number, point.cluster().worldSize(), question, result));
        try {
            return result.get();
        } catch (InterruptedException interrupted) {
            client.tell(new SweepClient.Cancel(number));
            throw interrupted;
        } catch (ExecutionException failure) {
            throw told(failure);
        }
    }

    private RuntimeException told(ExecutionException failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        if (SweepClient.REMOVED.equals(cause.getMessage())) {
            return new IllegalStateException(
                    SweepClient.REMOVED + ": some of its members did not hear it at " + node.address()
                            + ", or it did not hear them; let all of them reach that address, or set --host",
                    cause);
        }
        return cause instanceof MemberLostException || cause instanceof TooLargeException
                ? (RuntimeException) cause
                : new IllegalStateException(String.valueOf(cause.getMessage()), cause);
    }

    private RunResult inParts(ScenarioPoint point, byte[] question) throws InterruptedException {
        splitting.lockInterruptibly();
        try {
            while (true) {
                List<MemberStatus> members = members(leaves(point.cluster()));
                try {
                    return inParts(question, members);
                } catch (MemberLostException lost) {
                    if (split != Split.YES_AND_AGAIN) {
                        throw new IllegalStateException(
                                lost.getMessage() + "; run it again, or let --restart begin again by itself", lost);
                    }
                    notices.accept(lost.getMessage() + "; begins again on those that are left");
                }
            }
        } finally {
            splitting.unlock();
        }
    }

    private static int leaves(Cluster cluster) {
        return cluster.leafOf(cluster.nodes() - 1) + 1;
    }

    /** Members that are well, in the order of their addresses, and no more than there is work for. */
    private List<MemberStatus> members(int max) throws InterruptedException {
        long beganNanos = System.nanoTime();
        while (System.nanoTime() - beganNanos < patience.toNanos()) {
            List<MemberStatus> well = view.members.stream()
                    .filter(member -> member.silentMillis() < 3 * Coordinator.BEAT.toMillis())
                    .sorted(Comparator.comparing(MemberStatus::address))
                    .limit(max)
                    .toList();
            if (!well.isEmpty()) {
                return well;
            }
            Thread.sleep(Coordinator.BEAT.toMillis() / 4);
        }
        throw new IllegalStateException("no member of the cluster has been heard for " + patience.toSeconds() + " s");
    }

    @SuppressWarnings(
            "FutureReturnValueIgnored") // Of the parts, the first to end is waited for; passing that on cannot fail.
    private RunResult inParts(byte[] question, List<MemberStatus> members) throws InterruptedException {
        int first = numbers.addAndGet(members.size()) - members.size() + 1;
        List<ActorRef<Member.Command>> refs =
                members.stream().map(MemberStatus::ref).toList();
        CompletableFuture<RunResult> firstDone = new CompletableFuture<>();
        for (int process = 0; process < members.size(); process++) {
            Ticket ticket = new Ticket(job, first + process);
            CompletableFuture<RunResult> result = new CompletableFuture<>();
            // All parts end with the same result; the first failure says why there is none.
            result.whenComplete((done, failure) -> {
                if (failure != null) {
                    firstDone.completeExceptionally(failure);
                } else {
                    firstDone.complete(done);
                }
            });
            client.tell(new SweepClient.AskPart(
                    ticket.number(),
                    members.get(process),
                    new Member.AssignPart(ticket, client, question, job + "/" + first, process, refs),
                    result));
        }
        try {
            return firstDone.get();
        } catch (ExecutionException failure) {
            throw told(failure);
        } finally {
            for (int process = 0; process < members.size(); process++) {
                client.tell(new SweepClient.Cancel(first + process));
            }
        }
    }

    /** How the members are, on one line: {@code 127.0.0.1:17355 4 done + 1 running, ...}. */
    @Override
    public String standing() {
        List<String> words = new ArrayList<>();
        Map<String, Integer> done = view.done;
        for (MemberStatus member : view.members) {
            words.add(member.address() + " " + done.getOrDefault(member.address(), 0) + " done"
                    + (member.running() == 0 || view.wanted == 0 ? "" : " + " + member.running() + " running")
                    + (member.silentMillis() > 3 * Coordinator.BEAT.toMillis()
                            ? ", silent for " + member.silentMillis() / 1000 + " s"
                            : ""));
        }
        return String.join(", ", words);
    }

    @Override
    public void close() {
        notices.end();
        client.tell(new SweepClient.Close());
        node.close();
    }

    /** What the user should know until the runner leaves: that the members are gone then is no news. */
    private static final class Notices implements Consumer<String> {
        private final Consumer<String> user;
        private volatile boolean over;

        Notices(Consumer<String> user) {
            this.user = user;
        }

        @Override
        public void accept(String text) {
            if (!over) {
                user.accept(text);
            }
        }

        void end() {
            over = true;
        }
    }
}

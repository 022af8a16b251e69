package io.shardsim.scenarios.cluster;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.serving.BoundedServer;
import io.shardsim.simulator.TooLargeException;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Runs points on the workers of a cluster, as its client. A call blocks until its point is done, so there are as many points in flight as calls. */
public final class ClusterRunner implements ScenarioRunner {
    private static final int QUESTION_MAX = ClusterSerializer.MESSAGE_MAX - (4 << 10);

    private final RunOptions options;
    private final Split split;
    /** Held by the split run; only one runs at a time. */
    private final ReentrantLock splitting = new ReentrantLock();

    private final DoorClient door;
    private final RemotePoints points;
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(BoundedServer.daemons("points"));
    private final WireCodec codec = ClusterProtocol.contentCodec();

    private ClusterRunner(ClusterSettings settings, RunOptions options, Split split, Consumer<String> notices) {
        this.options = options;
        this.split = split;
        door = new DoorClient(settings);
        String job = "run-" + UUID.randomUUID().toString().substring(0, 8);
        points = new RemotePoints(settings, job, door::connect, notices, System::nanoTime);
    }

    /** How a point is distributed over workers. */
    public enum Split {
        /** Each point on one worker. */
        NO,
        /** Each point on all workers, a group of nodes each; fails when one of them is lost. */
        YES,
        /** Each point on all workers, restarted on the remaining ones when one is lost. */
        YES_AND_AGAIN
    }

    /**
     * Connects to the cluster.
     *
     * @param settings settings with the workers to contact as seeds
     * @param notices receives messages for the user, from other threads
     * @throws IllegalStateException when there is no such cluster, or it has another build
     */
    @SuppressWarnings("FutureReturnValueIgnored") // Ends with the timer.
    public static ClusterRunner join(
            ClusterSettings settings, RunOptions options, Split split, Consumer<String> notices)
            throws InterruptedException {
        ClusterRunner runner = new ClusterRunner(settings, options, split, notices);
        try {
            runner.timer.scheduleWithFixedDelay(
                    runner.points::tick, 0, Coordinator.BEAT.toMillis(), TimeUnit.MILLISECONDS);
            int workers = runner.points.connected().get();
            notices.accept("connected to the cluster at " + runner.points.contact() + ", " + workers
                    + (workers == 1 ? " member" : " members"));
            return runner;
        } catch (ExecutionException failure) {
            runner.close();
            throw failure(failure);
        } catch (InterruptedException interrupted) {
            runner.close();
            throw interrupted;
        }
    }

    @Override
    public RunResult run(ScenarioPoint point) throws InterruptedException {
        byte[] question = codec.pack(new Question(point, options));
        if (question.length > QUESTION_MAX) {
            throw new IllegalStateException("the point takes " + question.length + " bytes > " + QUESTION_MAX
                    + " that a question to a member may have");
        }
        if (split == Split.NO) {
            return ask(point, question, 0);
        }
        splitting.lockInterruptibly();
        try {
            return ask(point, question, point.cluster().groupOf(point.cluster().nodes() - 1) + 1);
        } finally {
            splitting.unlock();
        }
    }

    private RunResult ask(ScenarioPoint point, byte[] question, int parts) throws InterruptedException {
        CompletableFuture<RunResult> result = new CompletableFuture<>();
        int number = points.ask(point.cluster().worldSize(), parts, split == Split.YES_AND_AGAIN, question, result);
        try {
            return result.get();
        } catch (InterruptedException interrupted) {
            points.cancel(number);
            throw interrupted;
        } catch (ExecutionException failure) {
            throw failure(failure);
        }
    }

    private static RuntimeException failure(ExecutionException failure) {
        Throwable cause = failure.getCause() == null ? failure : failure.getCause();
        return cause instanceof TooLargeException tooLarge
                ? tooLarge
                : new IllegalStateException(String.valueOf(cause.getMessage()), cause);
    }

    @Override
    public String standing() {
        return points.standing();
    }

    @Override
    public void close() {
        points.close();
        timer.shutdownNow();
        door.close();
    }
}

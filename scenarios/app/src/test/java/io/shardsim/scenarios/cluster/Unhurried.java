package io.shardsim.scenarios.cluster;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An executor without threads: tasks run when a test says so. */
final class Unhurried extends AbstractExecutorService {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean shut;

    @Override
    public void execute(Runnable task) {
        waiting.add(task);
    }

    /** Returns the next task that has not run; null if there is none. */
    @Nullable
    Runnable next() {
        return waiting.poll();
    }

    @Override
    public void shutdown() {
        shut = true;
    }

    @Override
    public List<Runnable> shutdownNow() {
        shut = true;
        List<Runnable> left = List.copyOf(waiting);
        waiting.clear();
        return left;
    }

    @Override
    public boolean isShutdown() {
        return shut;
    }

    @Override
    public boolean isTerminated() {
        return shut && waiting.isEmpty();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }
}

package io.shardsim.scenarios.cli;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.reports.writing.ResultsCsv;
import io.shardsim.scenarios.evaluation.ProgressListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A program's request, received through {@link ServeCommand}. A command that runs for a request has no terminal and no user: the request contains its
 * input files, the program receives the progress and can cancel, and a report is written only if the request names a folder.
 */
final class Request {
    private static final ThreadLocal<@Nullable Request> OF_THREAD = new ThreadLocal<>();

    private final Map<String, String> texts;
    private final ProgressListener progress;
    private final List<ScenarioResult> results = new ArrayList<>();
    // State: guarded by this.
    private @Nullable Runnable stop;
    private boolean cancelled;

    /** @param texts scenario texts, by the names that the command gets as arguments */
    Request(Map<String, String> texts, ProgressListener progress) {
        this.texts = texts;
        this.progress = progress;
    }

    /** The request that the current thread handles; null for the terminal. */
    static @Nullable Request current() {
        return OF_THREAD.get();
    }

    /** Runs a command for this request, in the calling thread. */
    int run(IntSupplier command) {
        OF_THREAD.set(this);
        try {
            return command.getAsInt();
        } finally {
            OF_THREAD.remove();
        }
    }

    /** The text sent under this file name; null if there is none. */
    @Nullable
    String text(String file) {
        return texts.get(file);
    }

    ProgressListener progress() {
        return progress;
    }

    /** Stores the results of the runs. */
    void keep(List<ScenarioResult> results) {
        this.results.addAll(results);
    }

    /** The stored results. */
    List<ScenarioResult> results() {
        return List.copyOf(results);
    }

    /** The stored results as rows of {@code results.csv}. */
    List<Map<String, @Nullable Object>> rows() {
        return results.stream()
                .flatMap(result -> ResultsCsv.rows(result).stream())
                .toList();
    }

    /** Ends the command early, as Ctrl-C does. */
    synchronized void cancel() {
        cancelled = true;
        if (stop != null) {
            stop.run();
        }
    }

    synchronized boolean isCancelled() {
        return cancelled;
    }

    /** @param stop ends the runs; may be called immediately, and from another thread */
    synchronized void onCancel(Runnable stop) {
        this.stop = stop;
        if (cancelled) {
            stop.run();
        }
    }
}

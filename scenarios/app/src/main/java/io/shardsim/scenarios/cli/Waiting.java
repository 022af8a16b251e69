package io.shardsim.scenarios.cli;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Prints that a command waits for its input: with a pipe that nobody writes to, it would seem to hang. */
final class Waiting implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final @Nullable Thread thread;

    private Waiting(@Nullable Thread thread) {
        this.thread = thread;
    }

    /** Starts waiting, until closed. Regular files are ignored. */
    static Waiting on(List<String> names) {
        return on(names, PATIENCE, System.err::println);
    }

    /**
     * @param names file names, or - for stdin
     * @param tell called once after that time, unless closed before
     */
    static Waiting on(List<String> names, Duration patience, Consumer<String> tell) {
        List<String> pipes = names.stream()
                .filter(Waiting::isPipe)
                .map(name -> name.equals(ScenarioFiles.STANDARD_INPUT) ? ScenarioFiles.STANDARD_INPUT_NAME : name)
                .toList();
        if (pipes.isEmpty()) {
            return new Waiting(null);
        }
        Thread thread = new Thread(
                () -> {
                    try {
                        Thread.sleep(patience.toMillis());
                        tell.accept("still reading " + String.join(", ", pipes)
                                + ": its writer has not closed it yet, or nothing writes to it");
                    } catch (InterruptedException read) {
                        // The input arrived in time.
                    }
                },
                "waiting");
        thread.setDaemon(true);
        thread.start();
        return new Waiting(thread);
    }

    private static boolean isPipe(String name) {
        if (name.equals(ScenarioFiles.STANDARD_INPUT)) {
            return true;
        }
        try {
            Path path = Path.of(name);
            return Files.exists(path) && !Files.isRegularFile(path) && !Files.isDirectory(path);
        } catch (InvalidPathException none) {
            return false;
        }
    }

    @Override
    public void close() {
        if (thread != null) {
            thread.interrupt();
        }
    }
}

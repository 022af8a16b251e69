package io.shardsim.scenarios.fuzz;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends inputs to a target one after another, each within ten seconds of CPU time, and keeps faulty ones, shrunk. For a long hunt, run it in the
 * folder {@code scenarios}: {@code Fuzz TARGET COUNT [FIRST_SEED [FOLDER]]}; a count that ends with s is in seconds. Faulty inputs are written to the
 * folder, and the counts of each kind are printed at the end. After the fix, move an input to {@code src/test/resources/fuzz}, into the folder of its
 * target and outcome, where {@link FuzzTest} repeats it.
 */
final class Fuzz implements AutoCloseable {
    static final long SECONDS_MAX = 10;
    private static final long SECONDS_TO_STOP = 2;
    /** Maximum inputs kept per fault. */
    private static final int KEPT_EACH = 3;

    /** Factor on a time limit for a busy machine. */
    private static final int BUSY = 6;

    private final String name;
    private final Target target;
    private final long secondsMax;
    private final Map<String, Integer> counts = new TreeMap<>();
    /** A thread for inputs; replaced when it hangs. */
    private ExecutorService worker = worker();

    private volatile long cpuNanosBefore;

    Fuzz(String name, long secondsMax) throws Exception {
        this.name = name;
        this.secondsMax = secondsMax;
        target = Targets.named(name);
    }

    public static void main(String[] arguments) throws Exception {
        boolean timed = arguments[1].endsWith("s");
        long count = Long.parseLong(arguments[1].replace("s", ""));
        long first = arguments.length > 2 ? Long.parseLong(arguments[2]) : 1;
        Path folder = Path.of(arguments.length > 3 ? arguments[3] : "build/fuzz");
        int faults;
        try (Fuzz fuzz = new Fuzz(arguments[0], SECONDS_MAX)) {
            faults = timed
                    ? fuzz.hunt(first, Long.MAX_VALUE, count, folder)
                    : fuzz.hunt(first, count, Long.MAX_VALUE, folder);
            System.out.print(fuzz.counted());
        }
        System.exit(faults == 0 ? 0 : 1);
    }

    private static ExecutorService worker() {
        return Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "fuzz");
            thread.setDaemon(true);
            return thread;
        });
    }

    /**
     * Runs inputs.
     *
     * @param folder folder for faulty inputs
     * @return number of faulty inputs
     */
    int hunt(long first, long inputs, long seconds, Path folder) throws Exception {
        int faults = 0;
        long began = System.nanoTime();
        for (long i = 0; i < inputs && TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began) < seconds; i++) {
            byte[] input = target.input(first + i);
            Outcome outcome = outcome(input);
            String kind = outcome.isFault()
                    ? "FAULT " + outcome.detail()
                    : outcome.kind().name();
            int before = counts.merge(kind, 1, Integer::sum);
            if (outcome.isFault()) {
                faults++;
                if (before <= KEPT_EACH) {
                    keep(folder, first + i, input, outcome);
                }
            }
        }
        return faults;
    }

    private void keep(Path folder, long seed, byte[] input, Outcome fault) throws IOException, InterruptedException {
        System.out.println(name + " seed " + seed + ": " + fault.detail());
        byte[] least = fault.detail().startsWith("longer") ? input : CutDown.of(input, fault, this::outcome);
        Files.createDirectories(folder.resolve(name));
        Files.write(folder.resolve(name).resolve(String.valueOf(seed)), least);
    }

    /** Returns the counts by kind. */
    String counted() {
        StringBuilder text = new StringBuilder(name).append(':');
        counts.forEach((kind, count) ->
                text.append(' ').append(count).append(' ').append(kind).append(','));
        return text.append('\n').toString();
    }

    Map<String, Integer> counts() {
        return counts;
    }

    /** Returns the outcome of an input, computed on another thread that is stopped after the time limit. */
    Outcome outcome(byte[] input) throws InterruptedException {
        Thread[] thread = new Thread[1];
        Future<Outcome> outcome = worker.submit(() -> {
            thread[0] = Thread.currentThread();
            cpuNanosBefore = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            return target.outcome(input);
        });
        long beganNanos = System.nanoTime();
        while (true) {
            try {
                return outcome.get(1, TimeUnit.SECONDS);
            } catch (ExecutionException crash) {
                return Outcome.crash(crash.getCause());
            } catch (TimeoutException late) {
                // On a very busy machine it has not even started.
                if (isTooLate(thread[0], System.nanoTime() - beganNanos)) {
                    return stopped(thread[0]);
                }
            }
        }
    }

    /** Counts CPU time, since a busy machine may be slow, unless the thread does nothing at all. */
    private boolean isTooLate(@Nullable Thread thread, long tookNanos) {
        if (thread == null) {
            return false;
        }
        long cpuNanos = ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.getId());
        return Math.max(cpuNanos - cpuNanosBefore, tookNanos / BUSY) > TimeUnit.SECONDS.toNanos(secondsMax);
    }

    private Outcome stopped(Thread thread) throws InterruptedException {
        String place = "";
        for (StackTraceElement at : thread.getStackTrace()) {
            if (place.isEmpty() && at.getClassName().startsWith("io.shardsim")) {
                place = at.getClassName().replaceAll(".*\\.", "") + "." + at.getMethodName();
            }
        }
        worker.shutdownNow();
        boolean ended = worker.awaitTermination(SECONDS_TO_STOP, TimeUnit.SECONDS);
        worker = worker();
        return Outcome.fault(
                "longer than " + secondsMax + " s at " + place + (ended ? "" : ", and cannot be interrupted"));
    }

    @Override
    public void close() {
        worker.shutdownNow();
    }
}

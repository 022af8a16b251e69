package io.shardsim.scenarios.fuzz;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs fuzzed scenarios one after the other, each within ten seconds, and keeps those that went wrong.
 *
 * <p>By hand, for a long hunt: {@code Fuzz SECONDS [FIRST_SEED [FOLDER]]} in the folder {@code scenarios} writes the faulty scenarios into the folder and
 * says at the end what there was of each kind. A scenario that was mended goes into {@code src/test/resources/fuzz}, where {@link FuzzTest} repeats it.
 */
final class Fuzz {
    private static final long SECONDS_MAX = 10;
    private static final long SECONDS_TO_STOP = 2;

    private Fuzz() {}

    public static void main(String[] arguments) throws Exception {
        long seconds = Long.parseLong(arguments[0]);
        long first = arguments.length > 1 ? Long.parseLong(arguments[1]) : 1;
        Path folder = Path.of(arguments.length > 2 ? arguments[2] : "build/fuzz");
        Map<String, Integer> counts = new TreeMap<>();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        long seed = first;
        for (; System.nanoTime() < end; seed++) {
            String text = FuzzedScenario.text(seed);
            Outcome outcome = outcome(text, SECONDS_MAX);
            String kind = outcome.isFault()
                    ? "FAULT " + outcome.detail()
                    : outcome.kind().name();
            if (counts.merge(kind, 1, Integer::sum) <= 3 && outcome.isFault()) {
                keep(folder, seed, text, outcome);
            }
        }
        System.out.println(seed - first + " scenarios, seeds " + first + " to " + (seed - 1));
        counts.forEach((kind, count) -> System.out.println(count + "  " + kind));
        System.exit(0);
    }

    private static void keep(Path folder, long seed, String text, Outcome outcome) throws IOException {
        System.out.println("seed " + seed + ": " + outcome.detail());
        Files.createDirectories(folder);
        Files.writeString(folder.resolve(seed + ".yaml"), "# " + outcome.detail() + "\n" + text);
    }

    /** What becomes of a scenario, by a thread of its own that is stopped when it takes too long. */
    static Outcome outcome(String text, long secondsMax) throws InterruptedException {
        CheckedScenario scenario = new CheckedScenario(text);
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        outcome.complete(scenario.outcome());
                    } catch (Throwable escaped) {
                        outcome.completeExceptionally(escaped);
                    }
                },
                "fuzzed scenario");
        thread.setDaemon(true);
        thread.start();
        try {
            return outcome.get(secondsMax, TimeUnit.SECONDS);
        } catch (ExecutionException escaped) {
            return Outcome.crash("harness", escaped);
        } catch (TimeoutException late) {
            return stopped(scenario, thread, secondsMax);
        }
    }

    private static Outcome stopped(CheckedScenario scenario, Thread thread, long secondsMax)
            throws InterruptedException {
        String place = "";
        for (StackTraceElement at : thread.getStackTrace()) {
            if (place.isEmpty() && at.getClassName().startsWith("io.shardsim")) {
                place = at.getClassName().replaceAll(".*\\.", "") + "." + at.getMethodName();
            }
        }
        thread.interrupt();
        thread.join(TimeUnit.SECONDS.toMillis(SECONDS_TO_STOP));
        return Outcome.fault("longer than " + secondsMax + " s in " + scenario.stage() + " at " + place
                + (thread.isAlive() ? ", and cannot be interrupted" : ""));
    }
}

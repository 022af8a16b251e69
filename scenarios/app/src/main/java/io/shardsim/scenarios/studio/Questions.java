package io.shardsim.scenarios.studio;

import io.shardsim.reports.ScenarioResult;
import io.shardsim.scenarios.serving.BoundedServer;
import io.shardsim.scenarios.serving.Refused;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Questions of pages, deduplicated: pages with equal questions wait for one answer, and the last answers are cached. A question that no page waits
 * for any more is cancelled.
 *
 * <p>Questions are answered in order of arrival. Searches have a thread of their own, so that a long one delays nobody's run.
 */
final class Questions implements AutoCloseable {
    /** Maximum number of cached answers; the least recently requested goes first. */
    private static final int KEPT_MAX = 32;
    /** Maximum number of questions without an answer. */
    private static final int OPEN_MAX = 256;
    /** Maximum number of open questions per visitor, to leave room for others. */
    private static final int OPEN_OF_ONE_MAX = 64;
    /** Maximum time spent on a question while another one waits. */
    private static final long WORK_NANOS_MAX = TimeUnit.MINUTES.toNanos(1);
    /** Divisor of that time after which a run counts as long: then it keeps its threads, but gives up its slot to a waiting one. */
    private static final int LONG_SHARE = 20;
    /** Maximum number of concurrent runs; each takes all cores that it finds free. */
    private static final int RUNS_AT_ONCE = 2;

    private final Answering answering;
    private final ThreadPoolExecutor runs = new ThreadPoolExecutor(
            RUNS_AT_ONCE,
            2 * RUNS_AT_ONCE,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            BoundedServer.daemons("studio-run"));
    private final ExecutorService searches = Executors.newSingleThreadExecutor(BoundedServer.daemons("studio-search"));
    private final StudioMeters.Counts counts = new StudioMeters.Counts();
    /** State: questions by key, most recently requested last; guarded by this. */
    private final Map<String, Asked> all = new LinkedHashMap<>(16, 0.75f, true);

    private final long workNanosMax;

    Questions(Answering answering) {
        this(answering, WORK_NANOS_MAX);
    }

    Questions(Answering answering, long workNanosMax) {
        this.answering = answering;
        this.workNanosMax = workNanosMax;
    }

    /**
     * The progress of an answer.
     *
     * @param share share of the work done, 0 to 1
     */
    record Progress(double share, String text) {}

    /** A question that pages wait for. */
    final class Asked {
        private final String key;
        private final String visitor;
        private final boolean search;
        private final Answering.Pending request;
        private final CompletableFuture<Answering.Answer> answer = new CompletableFuture<>();
        private volatile Progress progress = new Progress(0, "");
        /** Start of work, from {@link System#nanoTime}; 0 before. */
        private volatile long beganNanos;

        private volatile boolean ended;
        /** Guarded by the questions, as is the number of waiting pages. */
        private boolean gavePlace;

        private int pages;

        private Asked(String key, String visitor, boolean search, JsonNode question) {
            this.key = key;
            this.visitor = visitor;
            this.search = search;
            request = answering.request(question, (share, text) -> progress = new Progress(share, text));
        }

        /** Returns the question's key. */
        String key() {
            return key;
        }

        Progress progress() {
            return progress;
        }

        /** Returns the answer, or null on a timeout. */
        Answering.@Nullable Answer await(long millis) throws InterruptedException {
            try {
                return answer.get(millis, TimeUnit.MILLISECONDS);
            } catch (TimeoutException notYet) {
                return null;
            } catch (ExecutionException failure) {
                throw new IllegalStateException(failure.getCause());
            }
        }

        private void work() {
            long startNanos = System.nanoTime();
            beganNanos = startNanos;
            try {
                Answering.Answer given = request.answer();
                given.results().forEach(result -> result.runs().forEach(counts.runs::finished));
                counts.answered.increment();
                answer.complete(ended ? endedEarly(given) : given);
            } catch (RuntimeException | Error failure) {
                answer.completeExceptionally(failure);
            } finally {
                counts.workNanos.add(System.nanoTime() - startNanos);
                takePlace();
            }
        }

        private boolean isBegun() {
            return beganNanos != 0;
        }

        /** If others wait, gives up its slot to one of them after some time, and cancels it after a long time. */
        void makeRoom() {
            synchronized (Questions.this) {
                if (!isBegun() || ended || answer.isDone() || !isAnyWaiting(search)) {
                    return;
                }
                long workNanos = System.nanoTime() - beganNanos;
                if (!search && !gavePlace && workNanos > workNanosMax / LONG_SHARE) {
                    gavePlace = givePlace();
                }
                if (workNanos > workNanosMax) {
                    all.remove(key, this);
                    counts.cancelled.increment();
                    ended = true;
                    request.cancel();
                }
            }
        }

        private void takePlace() {
            synchronized (Questions.this) {
                if (gavePlace) {
                    runs.setCorePoolSize(runs.getCorePoolSize() - 1);
                }
            }
        }

        /** Returns the partial answer of a cancelled question, with the reason. */
        private Answering.Answer endedEarly(Answering.Answer partly) {
            String why = "Ended after " + TimeUnit.NANOSECONDS.toSeconds(workNanosMax)
                    + " s of work because others are waiting; ask for fewer runs, or run the scenario on your "
                    + "own machine.";
            ObjectNode message = partly.message().deepCopy().put("ended", why);
            if (message.path("type").asString().equals("problems")) {
                message.putArray("problems").add(why);
            }
            return new Answering.Answer(message, partly.results());
        }

        /** Ends the wait of one page. */
        void leave() {
            synchronized (Questions.this) {
                if (--pages == 0 && !answer.isDone()) {
                    all.remove(key, this);
                    counts.cancelled.increment();
                    request.cancel();
                }
            }
        }
    }

    /**
     * Asks for one page, which must leave later.
     *
     * @param visitor the visitor who asks
     */
    synchronized Asked ask(JsonNode question, boolean search, String visitor) throws Refused {
        String key = key(question);
        Asked asked = all.get(key);
        counts.asked.increment();
        if (asked != null) {
            counts.shared.increment();
        } else {
            if (!takeMore()) {
                throw new Refused(503, OPEN_MAX + " questions are waiting; ask again later");
            }
            if (open().filter(each -> each.visitor.equals(visitor)).count() >= OPEN_OF_ONE_MAX) {
                throw new Refused(429, OPEN_OF_ONE_MAX + " of your questions are waiting; wait for one to finish");
            }
            asked = new Asked(key, visitor, search, question);
            all.put(key, asked);
            (search ? searches : runs).execute(asked::work);
            forgetOldest();
        }
        asked.pages++;
        return asked;
    }

    /** Returns whether there is room for another question. */
    synchronized boolean takeMore() {
        return open().count() < OPEN_MAX;
    }

    /** Returns the number of unanswered questions, either started or waiting. */
    synchronized long open(boolean begun) {
        return open().filter(asked -> asked.isBegun() == begun).count();
    }

    private Stream<Asked> open() {
        return all.values().stream().filter(asked -> !asked.answer.isDone());
    }

    private boolean isAnyWaiting(boolean search) {
        return open().anyMatch(asked -> asked.search == search && !asked.isBegun());
    }

    StudioMeters.Counts counts() {
        return counts;
    }

    private void forgetOldest() {
        int kept = 0;
        for (Asked asked : all.values()) {
            kept += asked.answer.isDone() ? 1 : 0;
        }
        Iterator<Asked> oldest = all.values().iterator();
        while (kept > KEPT_MAX && oldest.hasNext()) {
            if (oldest.next().answer.isDone()) {
                oldest.remove();
                kept--;
            }
        }
    }

    /** Returns the runs of a cached answer; empty for any other. */
    List<ScenarioResult> results(String key) {
        CompletableFuture<Answering.Answer> answer;
        synchronized (this) {
            Asked asked = all.get(key);
            answer = asked == null ? null : asked.answer;
        }
        return answer == null || !answer.isDone() || answer.isCompletedExceptionally()
                ? List.of()
                : answer.join().results();
    }

    /** Adds one concurrent run; returns false if there are already twice as many. */
    private boolean givePlace() {
        boolean more = runs.getCorePoolSize() < runs.getMaximumPoolSize();
        if (more) {
            runs.setCorePoolSize(runs.getCorePoolSize() + 1);
        }
        return more;
    }

    private static String key(JsonNode question) {
        try {
            byte[] text = question.toString().getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text), 0, 16);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            all.values().forEach(asked -> asked.request.cancel());
        }
        runs.shutdownNow();
        searches.shutdownNow();
    }
}

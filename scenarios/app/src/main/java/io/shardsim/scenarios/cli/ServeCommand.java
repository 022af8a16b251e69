package io.shardsim.scenarios.cli;

import io.shardsim.scenarios.cluster.Build;
import io.shardsim.scenarios.evaluation.ProgressListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code serve --stdio}: answers requests of a program, as JSON lines ({@code docs/protocol.md}).
 *
 * <p>Requests run one at a time, each on all cores, while a reader thread receives cancellations.
 */
@Command(
        name = "serve",
        description = "Answers requests from a program, such as shardsim.py in a notebook: one JSON object per line on "
                + "stdin and stdout (docs/protocol.md).",
        footer = {"", "Exits when stdin ends and every request is answered. Exit status: 0."})
final class ServeCommand implements Callable<Integer> {
    private static final int VERSION = 1;
    private static final int REQUESTS_MAX = 512;
    /** Maximum length of a line: several of the largest scenarios [characters]. */
    private static final int LINE_MAX = 16 << 20;
    /** Minimum interval between progress messages of a request. */
    private static final long PROGRESS_NANOS = 200_000_000;

    private final Answers answers;
    /** Unanswered requests, by number. */
    private final Map<Long, Request> open = new ConcurrentHashMap<>();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(names = "--stdio", required = true, description = "Serve stdin and stdout.")
    private boolean stdio;

    ServeCommand(Answers answers) {
        this.answers = answers;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        PrintStream printed = System.out;
        // Reserves stdout for answers.
        System.setOut(System.err);
        ExecutorService commands = Executors.newSingleThreadExecutor();
        try {
            say(Answers.message("hello")
                    .put("version", VERSION)
                    .put("build", Build.current().toString()));
            hearAll(commands);
        } finally {
            commands.shutdown();
            commands.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            System.setOut(printed);
        }
        return ExitStatus.DONE;
    }

    private void hearAll(ExecutorService commands) throws IOException {
        Reader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = line(in); line != null; line = line(in)) {
            if (!line.isBlank()) {
                hear(line, commands);
            }
        }
    }

    /** The next line, truncated if it is too long for a request; null at the end. */
    private static @Nullable String line(Reader in) throws IOException {
        StringBuilder line = new StringBuilder();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            if (line.length() <= LINE_MAX) {
                line.append((char) next);
            }
        }
        return line.toString();
    }

    private void hear(String line, ExecutorService commands) {
        JsonNode asked;
        try {
            asked = line.length() > LINE_MAX
                    ? JsonMapper.shared().nullNode()
                    : JsonMapper.shared().readTree(line);
        } catch (JacksonException wrong) {
            asked = JsonMapper.shared().nullNode();
        }
        JsonNode at = asked.path("number");
        String type = asked.path("type").asString("");
        if (!asked.isObject()) {
            refuse(null, "not a request: a line is one JSON object of at most " + LINE_MAX + " characters");
        } else if (!at.canConvertToLong() || !at.isIntegralNumber()) {
            refuse(null, "number is " + at + "; write a whole number that no open request uses");
        } else if (type.equals("cancel")) {
            Request cancelled = open.get(at.longValue());
            if (cancelled != null) {
                cancelled.cancel();
            }
        } else {
            open(at.longValue(), type, asked, commands);
        }
    }

    private void open(long number, String type, JsonNode asked, ExecutorService commands) {
        Request request = new Request(Answers.texts(asked), progress(number));
        if (open.size() >= REQUESTS_MAX || open.putIfAbsent(number, request) != null) {
            refuse(
                    number,
                    open.containsKey(number)
                            ? "number " + number + " is used by a request that is still open; write another"
                            : REQUESTS_MAX + " requests are open; wait for an answer");
            return;
        }
        commands.execute(() -> {
            ObjectNode answer = request.isCancelled()
                    ? Answers.problems(ExitStatus.INTERRUPTED, List.of("cancelled before it started"))
                    : answers.answer(type, asked, request);
            open.remove(number);
            say(answer.put("number", number));
        });
    }

    /** Sends progress of a request, at a limited rate. */
    private ProgressListener progress(long number) {
        AtomicLong nextNanos = new AtomicLong(System.nanoTime());
        return (share, what) -> {
            long nowNanos = System.nanoTime();
            if (nowNanos - nextNanos.get() >= 0) {
                nextNanos.set(nowNanos + PROGRESS_NANOS);
                say(Answers.message("progress")
                        .put("number", number)
                        .put("share", share)
                        .put("text", what));
            }
        };
    }

    private void refuse(@Nullable Long number, String why) {
        say(Answers.problems(ExitStatus.USAGE, List.of(why)).put("number", number));
    }

    /** Sends a message; cancels all requests if the program has closed the pipe. */
    private synchronized void say(ObjectNode message) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(JsonMapper.shared().writeValueAsString(message));
        if (out.checkError()) {
            open.values().forEach(Request::cancel);
        }
    }
}

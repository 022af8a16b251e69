package io.shardsim.scenarios.demo;

import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.fuzz.Damage;
import io.shardsim.scenarios.fuzz.Outcome;
import io.shardsim.scenarios.fuzz.Target;
import io.shardsim.scenarios.fuzz.Verdicts;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Bytes sent to the teaching page's server. In an input PLACE is replaced by the server's host and port, VIEWER by an open page, LENGTH by the length
 * of the body. Every answer must be one that the page expects, and the server must keep answering.
 */
public final class RequestTarget implements Target {
    private static final String SCENARIO = """
            scenario: request
            model: {hidden: 256, layers: 2, heads: 8, vocab: 4096}
            cluster: {gpu: a100-80gb, gpus_per_node: 2, intra_node: 300 GB/s, nics_per_node: 1, nic: 100 Gbit/s, nodes: 1}
            training: {sequence_length: 128, global_batch: 4, micro_batch: 1}
            strategy: {kind: zero3}
            sweep: {training.activation_checkpointing: [none, full]}
            """;
    private static final List<String> REQUESTS = List.of(
            "GET /",
            "GET /replay.js",
            "GET /api/offer",
            "GET /api/lessons",
            "GET /api/window?viewer=VIEWER&side=a&run=1&from=0&until=1000000000",
            "GET /api/export?viewer=VIEWER&a=1&from=0",
            "POST /api/lesson?viewer=VIEWER&id=none",
            "POST /api/close?viewer=0123",
            "POST /api/run?viewer=VIEWER&side=a\n{\"point\": \"1\", \"nodes\": \"1\"}",
            "POST /api/run?viewer=VIEWER&side=a\n{\"strategy\": \"fsdp\", \"sequence_length\": \"128\"}",
            "POST /api/run?viewer=VIEWER&side=b\n{\"lesson\": \"first\", \"point\": \"a\"}");
    private static final List<String> HEADERS = List.of(
            "Origin: http://PLACE",
            "Origin: http://evil.example",
            "Sec-Fetch-Site: same-origin",
            "Expect: 100-continue",
            "Transfer-Encoding: chunked",
            "Content-Length: 5",
            "Accept-Encoding: gzip",
            "Range: bytes=0-1",
            "Cookie: a=b");
    private static final Set<Integer> STATUSES =
            Set.of(200, 400, 403, 404, 405, 411, 413, 414, 422, 429, 431, 501, 503, 505);
    private static final int MILLIS_MAX = 9_000;
    private static final int ANSWER_MAX = 1 << 20;
    private static final long EVENTS_MAX = 100_000;
    private static final Pattern WELL_FORMED =
            Pattern.compile("(GET|POST) /[\\w/.?=&-]* HTTP/1\\.1\r\nHost: PLACE\r\n(Content-Length: LENGTH\r\n)?\r\n");

    /** Start of an answer that another one follows. */
    private static final Pattern CONTINUE = Pattern.compile("(?s)HTTP/1\\.1 100 .*?\r\n\r\n");
    /** Answer of the JDK's server to malformed HTTP. */
    private static final String JDK_REFUSES = "<h1>400 Bad Request</h1>";

    private final DemoServer server;
    private final URI address;
    private final Socket page;
    private final String viewer;

    /** Starts a server, and opens a page. */
    public RequestTarget() throws Exception {
        PointSimulation simulation = new PointSimulation(new RunOptions(1, true).within(EVENTS_MAX));
        server = new Demo(new DemoScenario("request.yaml", SCENARIO), simulation::run, PointSimulation::fits, 1)
                .at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.start();
        address = URI.create(server.address());
        page = connection();
        page.getOutputStream().write(filled("GET /api/events HTTP/1.1\r\nHost: PLACE\r\n\r\n"));
        Matcher hello = Pattern.compile("\"viewer\" ?: ?\"(\\w+)\"").matcher("");
        StringBuilder said = new StringBuilder();
        while (!hello.find()) {
            said.append((char) page.getInputStream().read());
            hello.reset(said);
        }
        viewer = hello.group(1);
        Thread reader = new Thread(this::listen, "fuzz-page");
        reader.setDaemon(true);
        reader.start();
    }

    /** Discards what the server sends to the page. */
    private void listen() {
        try {
            page.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException closed) {
            // The server has ended.
        }
    }

    private Socket connection() throws IOException {
        Socket socket = new Socket();
        socket.connect(new InetSocketAddress(address.getHost(), address.getPort()));
        return socket;
    }

    private byte[] filled(String request) {
        String text = request.replace("PLACE", address.getAuthority()).replace("VIEWER", String.valueOf(viewer));
        int body = text.indexOf("\r\n\r\n");
        int length = body < 0 ? 0 : text.substring(body + 4).getBytes(StandardCharsets.UTF_8).length;
        // A body may contain the word by chance.
        String head = body < 0 ? text : text.substring(0, body);
        return (head.replace("LENGTH", String.valueOf(length)) + text.substring(head.length()))
                .getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] input(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Damage damage = new Damage(random);
        String[] asked = REQUESTS.get(random.nextInt(REQUESTS.size())).split("\n", 2);
        String line = random.nextInt(3) == 0 ? damage.text(asked[0]) : asked[0];
        StringBuilder request = new StringBuilder(line).append(" HTTP/1.1\r\nHost: PLACE\r\n");
        if (random.nextInt(3) == 0) {
            String header = HEADERS.get(random.nextInt(HEADERS.size()));
            request.append(random.nextInt(3) == 0 ? damage.text(header) : header)
                    .append("\r\n");
        }
        if (asked.length > 1) {
            request.append("Content-Length: LENGTH\r\n\r\n")
                    .append(random.nextBoolean() ? damage.text(asked[1]) : asked[1]);
        } else {
            request.append("\r\n");
        }
        String whole = random.nextInt(12) == 0 ? damage.text(request.toString()) : request.toString();
        return whole.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public Outcome outcome(byte[] input) throws IOException {
        String request = new String(input, StandardCharsets.UTF_8);
        String answer;
        try (Socket socket = connection()) {
            // Closed immediately: a million of them would use up all ports.
            socket.setSoLinger(true, 0);
            socket.setSoTimeout(MILLIS_MAX);
            socket.getOutputStream().write(filled(request));
            socket.shutdownOutput();
            answer = answer(socket.getInputStream());
        } catch (SocketTimeoutException silent) {
            return Outcome.fault("no answer within " + MILLIS_MAX / 1000 + " s");
        } catch (SocketException refused) {
            answer = "";
        }
        return judged(request, answer);
    }

    /** Reads up to the end of the announced body, since another answer may follow; of an event stream only the header. */
    private static String answer(InputStream in) throws IOException {
        StringBuilder answer = new StringBuilder();
        byte[] buffer = new byte[8192];
        int end;
        while ((end = end(answer)) < 0 && answer.length() < ANSWER_MAX) {
            int read = in.read(buffer);
            if (read < 0) {
                return answer.toString();
            }
            answer.append(new String(buffer, 0, read, StandardCharsets.ISO_8859_1));
            Matcher interim = CONTINUE.matcher(answer);
            if (interim.lookingAt()) {
                answer.delete(0, interim.end());
            }
        }
        return end < 0 ? answer.toString() : answer.substring(0, end);
    }

    /** Returns the end of an answer; -1 while it is incomplete. */
    private static int end(StringBuilder answer) {
        int head = answer.indexOf("\r\n\r\n");
        if (head < 0) {
            return -1;
        }
        Matcher length = Pattern.compile("(?i)\r\ncontent-length: (\\d+)").matcher(answer.substring(0, head));
        if (!length.find()) {
            return answer.indexOf("event-stream") > 0 ? answer.length() : -1;
        }
        int end = head + 4 + Integer.parseInt(length.group(1));
        return answer.length() < end ? -1 : end;
    }

    private static Outcome judged(String request, String answer) {
        if (answer.isEmpty()) {
            return WELL_FORMED.matcher(request).lookingAt()
                    ? Outcome.fault(
                            "no answer to " + request.lines().findFirst().orElse(""))
                    : Outcome.of(Outcome.Kind.REFUSED);
        }
        if (answer.contains(JDK_REFUSES)) {
            return Outcome.of(Outcome.Kind.REFUSED);
        }
        Matcher status = Pattern.compile("HTTP/1\\.1 (\\d{3}) ").matcher(answer);
        if (!status.lookingAt() || !STATUSES.contains(Integer.parseInt(status.group(1)))) {
            return Outcome.fault("answer " + answer.lines().findFirst().orElse("") + " " + body(answer));
        }
        if (!status.group(1).equals("200")) {
            String wrong = Verdicts.printed(body(answer), request);
            return wrong.isEmpty() ? Outcome.of(Outcome.Kind.REFUSED) : Outcome.fault(wrong);
        }
        if (answer.toLowerCase(Locale.ROOT).contains("content-type: application/json")) {
            try {
                JsonMapper.shared().readTree(body(answer));
            } catch (JacksonException broken) {
                return Outcome.fault("answers what is no JSON");
            }
        }
        return Outcome.of(Outcome.Kind.RAN);
    }

    private static String body(String answer) {
        int head = answer.indexOf("\r\n\r\n");
        return head < 0 ? "" : answer.substring(head + 4);
    }
}

package io.shardsim.scenarios.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.shardsim.scenarios.app.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Tag("slow")
class DemoServerTest {
    private final JsonMapper mapper = new JsonMapper();
    private final HttpClient client = HttpClient.newHttpClient();
    private DemoServer server;

    @BeforeEach
    void start() throws Exception {
        server = Main.demo(DemoScenario.open(null), 2).at(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        server.start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** Sends HTTP by hand, since the JDK's client does not allow these headers. */
    private String status(String method, String path, String... headers) throws IOException {
        URI address = URI.create(server.address());
        try (Socket socket = new Socket(address.getHost(), address.getPort())) {
            OutputStream out = socket.getOutputStream();
            boolean host = String.join("", headers).contains("Host:");
            String request = method + " " + path + " HTTP/1.1\r\nConnection: close\r\n"
                    + (host ? "" : "Host: " + address.getAuthority() + "\r\n")
                    + (headers.length == 0 ? "" : String.join("\r\n", headers) + "\r\n") + "\r\n";
            out.write(request.getBytes(StandardCharsets.UTF_8));
            out.flush();
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
                    .readLine()
                    .split(" ")[1];
        }
    }

    @Test
    void listensOnLoopbackAndSendsAStrictPolicy() throws Exception {
        assertThat(server.address()).matches("http://127\\.0\\.0\\.1:\\d+/");
        HttpResponse<String> page = get("");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy"))
                .hasValueSatisfying(policy -> assertThat(policy)
                        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                        .doesNotContain("unsafe"));
        assertThat(page.body()).doesNotContain("http://", "https://");
    }

    @Test
    void answersOnlyItsOwnNameAndOrigin() throws Exception {
        assertThat(status("GET", "/api/offer")).isEqualTo("200");
        assertThat(status("GET", "/api/offer", "Host: evil.example")).isEqualTo("403");
        assertThat(status("GET", "/api/offer", "Origin: http://evil.example")).isEqualTo("403");
        assertThat(status("GET", "/api/offer", "Sec-Fetch-Site: cross-site")).isEqualTo("403");
        assertThat(status("GET", "/api/events", "Sec-Fetch-Site: same-site")).isEqualTo("403");
        assertThat(status("GET", "/", "Sec-Fetch-Site: cross-site"))
                .as("a link to the page")
                .isEqualTo("200");
        String port = server.address().replaceAll("\\D+$", "").replaceAll(".*:", "");
        assertThat(status("GET", "/api/offer", "Host: localhost:" + port)).isEqualTo("200");
    }

    @Test
    void refusesWhatItDoesNotOffer() throws Exception {
        assertThat(status("GET", "/../first.yaml")).isEqualTo("404");
        assertThat(status("GET", "/ReplayPage.class")).isEqualTo("404");
        assertThat(status("POST", "/api/offer")).isEqualTo("405");
        assertThat(status("GET", "/api/window?viewer=00&side=a&from=0&until=1")).isEqualTo("404");
        try (Page page = new Page()) {
            assertThat(page.run("{\"nodes\": \"3\"}").statusCode()).isEqualTo(422);
            assertThat(page.run("{\"strategy\": \"mics}], sweep: {a: [\"}").statusCode())
                    .isEqualTo(422);
            assertThat(page.run("no json").statusCode()).isEqualTo(400);
            assertThat(page.run("[1]").statusCode()).isEqualTo(400);
            assertThat(page.run("").statusCode()).isEqualTo(400);
            assertThat(page.run("{\"nodes\": {\"a\": 1}}").statusCode()).isEqualTo(400);
            assertThat(status("GET", "/api/window?viewer=%zz")).isEqualTo("400");
            assertThat(page.run("\"" + "x".repeat(20_000) + "\"").statusCode()).isEqualTo(413);
            assertThat(get("api/window?viewer=" + page.viewer + "&side=a&from=5&until=5")
                            .statusCode())
                    .isEqualTo(400);
        }
    }

    @Test
    void severalPagesRunByThemselvesAndAClosedOneIsFreed() throws Exception {
        List<Page> pages = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            pages.add(new Page());
        }
        assertThat(server.viewers()).isEqualTo(3);
        JsonNode first = mapper.readTree(pages.get(0).run("{\"nodes\": \"2\"}").body());
        JsonNode second = mapper.readTree(
                pages.get(1).run("{\"nodes\": \"2\", \"strategy\": \"zero3\"}").body());
        assertThat(first.get("result").get("strategy").asString()).isEqualTo("mics");
        assertThat(second.get("result").get("strategy").asString()).isEqualTo("zero3");
        JsonNode window = mapper.readTree(
                get("api/window?viewer=" + pages.get(0).viewer + "&side=a&run=1&from=0&until=1000000000")
                        .body());
        assertThat(window.get("journeys").size()).isPositive();
        for (Page page : pages) {
            page.close();
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> server.viewers() == 0);
        assertThat(get("api/window?viewer=" + pages.get(0).viewer + "&side=a&from=0&until=1")
                        .statusCode())
                .isEqualTo(404);
    }

    @Test
    void laterChoiceTakesTheSideAndFramesAreAtMostTwentyASecond() throws Exception {
        try (Page page = new Page()) {
            long beganNanos = System.nanoTime();
            var slow = client.sendAsync(
                    page.request("{\"nodes\": \"16\", \"strategy\": \"zero3\"}"), HttpResponse.BodyHandlers.ofString());
            await().until(() -> page.frames() > 0);
            HttpResponse<String> quick = page.run("{\"nodes\": \"2\"}");
            assertThat(quick.statusCode()).isEqualTo(200);
            assertThat(slow.get().body()).contains("gone");
            double seconds = (System.nanoTime() - beganNanos) * 1e-9;
            assertThat((double) page.frames()).isLessThanOrEqualTo(1 + 20 * seconds);
        }
    }

    @Test
    void pagesAndTheirSidesAreBounded() throws Exception {
        List<Page> pages = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            pages.add(new Page());
        }
        assertThat(status("GET", "/api/events")).isEqualTo("503");
        Page page = pages.get(0);
        assertThat(page.run("b", "{\"nodes\": \"3\"}").statusCode()).isEqualTo(422);
        assertThat(page.run("a", "{\"nodes\": \"3\"}").statusCode()).isEqualTo(422);
        assertThat(page.run("c", "{\"nodes\": \"3\"}").statusCode()).isEqualTo(429);
        for (Page one : pages) {
            one.close();
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> server.viewers() == 0);
        new Page().close();
    }

    /** In memory, one vote per voter, only for the open question. */
    @Test
    void aClassAnswersTheQuestionThatIsOpen() throws Exception {
        try (Page page = new Page()) {
            String voter = "\"voter\": \"0123456789abcdef\"";
            assertThat(post("api/vote", "{\"id\": \"a\", \"value\": \"1\", " + voter + "}"))
                    .isEqualTo(409);
            assertThat(post("api/ask?viewer=00", "{\"id\": \"a\"}")).isEqualTo(404);
            String ask = "api/ask?viewer=" + page.viewer;
            assertThat(post(ask, "{\"id\": \"a\", \"question\": \"no json\"}")).isEqualTo(400);
            assertThat(post(ask, "{\"id\": \"a\", \"question\": \"{}\"}")).isEqualTo(200);
            for (String value : new String[] {"1", "2.5e-3"}) {
                assertThat(post("api/vote", "{\"id\": \"a\", \"value\": \"" + value + "\", " + voter + "}"))
                        .isEqualTo(200);
            }
            assertThat(post("api/vote", "{\"id\": \"b\", \"value\": \"1\", " + voter + "}"))
                    .isEqualTo(409);
            for (String value : new String[] {"NaN", "1e999", "one"}) {
                assertThat(post("api/vote", "{\"id\": \"a\", \"value\": \"" + value + "\", " + voter + "}"))
                        .isEqualTo(400);
            }
            assertThat(post("api/vote", "{\"id\": \"a\", \"value\": \"1\"}")).isEqualTo(400);
            assertThat(get("api/votes?id=a&viewer=" + page.viewer).body()).isEqualTo("{\"values\":[0.0025]}");
            assertThat(post(ask, "{\"id\": \"\"}")).isEqualTo(200);
            assertThat(get("api/poll").body()).startsWith("{\"id\":\"\"");
            assertThat(get("vote").body()).contains("vote.js");
        }
    }

    private int post(String path, String body) throws Exception {
        return client.send(
                        HttpRequest.newBuilder(URI.create(server.address() + path))
                                .POST(HttpRequest.BodyPublishers.ofString(body))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    /** Neither an endless header nor an endless body holds a thread for long. */
    @Test
    void clientsThatSendTooSlowlyAreDropped() throws Exception {
        URI address = URI.create(server.address());
        String head = "POST /api/run?side=a&viewer=";
        try (Page page = new Page();
                Socket slowHead = new Socket(address.getHost(), address.getPort());
                Socket slowBody = new Socket(address.getHost(), address.getPort())) {
            slowHead.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
            slowBody.getOutputStream()
                    .write((head + page.viewer + " HTTP/1.1\r\nHost: " + address.getAuthority()
                                    + "\r\nContent-Length: 100\r\n\r\n{")
                            .getBytes(StandardCharsets.UTF_8));
            for (Socket slow : List.of(slowHead, slowBody)) {
                slow.setSoTimeout(60_000);
                assertThat(slow.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    private HttpResponse<String> get(String path) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create(server.address() + path)).build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** An open page: its event stream. */
    private final class Page implements AutoCloseable {
        private final Socket socket;
        private final String viewer;
        private final AtomicInteger frames = new AtomicInteger();

        Page() throws Exception {
            URI address = URI.create(server.address());
            socket = new Socket(address.getHost(), address.getPort());
            socket.getOutputStream()
                    .write(("GET /api/events HTTP/1.1\r\nHost: " + address.getAuthority() + "\r\n\r\n")
                            .getBytes(StandardCharsets.UTF_8));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            String line = in.readLine();
            while (!line.startsWith("data:")) {
                line = in.readLine();
            }
            viewer = mapper.readTree(line.substring(5)).get("viewer").asString();
            Thread reader = new Thread(() -> read(in));
            reader.setDaemon(true);
            reader.start();
        }

        private void read(BufferedReader in) {
            try {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    frames.addAndGet(line.startsWith("event: progress") ? 1 : 0);
                }
            } catch (IOException closed) {
                // The page is gone.
            }
        }

        int frames() {
            return frames.get();
        }

        HttpRequest request(String body) {
            return request("a", body);
        }

        private HttpRequest request(String side, String body) {
            return HttpRequest.newBuilder(URI.create(server.address() + "api/run?viewer=" + viewer + "&side=" + side))
                    .POST(HttpRequest.BodyPublishers.ofString(body))
                    .build();
        }

        HttpResponse<String> run(String body) throws Exception {
            return client.send(request(body), HttpResponse.BodyHandlers.ofString());
        }

        HttpResponse<String> run(String side, String body) throws Exception {
            return client.send(request(side, body), HttpResponse.BodyHandlers.ofString());
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}

package io.shardsim.scenarios.studio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.scenarios.cluster.ClusterSettings;
import io.shardsim.scenarios.cluster.Keytool;
import io.shardsim.scenarios.evaluation.ProgressListener;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Permissions of a page, sharing of answers, and the end of questions; nothing is simulated. */
class StudioServerTest {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String SCENARIO = """
            {"scenario": "a", "model": "gpt2-1.5b", "cluster": {"instance": "p4d.24xlarge", "nodes": 2},
             "strategy": {"kind": "zero3"}, "training": {"sequence_length": 1024, "global_batch": 64, "micro_batch": 4}}""";

    private final HttpClient client = HttpClient.newHttpClient();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger cancelled = new AtomicInteger();
    /** Until it is open, nothing is answered. */
    private final CountDownLatch gate = new CountDownLatch(1);

    private StudioServer server;

    @BeforeEach
    void start() throws Exception {
        server = open("");
    }

    @AfterEach
    void stop() {
        gate.countDown();
        server.close();
    }

    private StudioServer open(String token) throws Exception {
        return open(token, null);
    }

    private StudioServer open(String token, SSLContext tls) throws Exception {
        StudioServer opened = new StudioServer(
                this::request,
                StudioOffer.of("test", null),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                token,
                tls);
        opened.start();
        return opened;
    }

    @Test
    void onAllAddressesThePageIsAtTheMachinesName() throws Exception {
        try (StudioServer everywhere = new StudioServer(
                this::request, StudioOffer.of("test", null), new InetSocketAddress(0), "secret", null)) {
            assertThat(everywhere.address())
                    .startsWith("http://" + InetAddress.getLocalHost().getHostName() + ":");
        }
    }

    private Answering.Pending request(JsonNode asked, ProgressListener progress) {
        CountDownLatch end = new CountDownLatch(1);
        return new Answering.Pending() {
            @Override
            public Answering.Answer answer() {
                progress.show(0.5, "half");
                try {
                    while (!gate.await(5, TimeUnit.MILLISECONDS) && end.getCount() > 0) {
                        // Waits for either.
                    }
                } catch (InterruptedException stopping) {
                    Thread.currentThread().interrupt();
                }
                answered.incrementAndGet();
                return new Answering.Answer(
                        JSON.createObjectNode().put("type", "result").put("status", 0), List.of());
            }

            @Override
            public void cancel() {
                cancelled.incrementAndGet();
                end.countDown();
            }
        };
    }

    private HttpRequest.Builder to(String path) {
        return HttpRequest.newBuilder(URI.create(server.address() + path));
    }

    private HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        return client.send(
                to(path).POST(HttpRequest.BodyPublishers.ofString(body)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(to(path).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static String question(String type, String options) {
        return "{\"type\": \"" + type + "\", \"arguments\": [\"q\"], \"texts\": {\"q\": " + SCENARIO
                + "}, \"options\": " + options + "}";
    }

    @Test
    void offersWhatTheTablesHave() throws Exception {
        JsonNode offer = JSON.readTree(get("api/offer").body());
        assertThat(offer.path("models").size()).isGreaterThan(20);
        assertThat(offer.path("strategies").findValuesAsString("name")).contains("zero3", "mics", "fsdp");
        assertThat(offer.at("/schema/properties/training/properties/precision/enum")
                        .size())
                .isEqualTo(5);
        assertThat(offer.path("start").has("sweep")).isFalse();
        for (JsonNode name : offer.path("examples")) {
            assertThat(get("api/library?name=" + name.asString()).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void looksAtAQuestionBeforeItRuns() throws Exception {
        JsonNode seen = JSON.readTree(
                post("api/look", "{\"scenario\": " + SCENARIO + "}").body());
        assertThat(seen.path("problems")).isEmpty();
        assertThat(seen.at("/points/0/fits").asBoolean()).isTrue();
        assertThat(seen.at("/points/0/at_most_samples_per_second").asDouble()).isPositive();
        assertThat(seen.path("yaml").asString()).startsWith("scenario: a\nmodel: gpt2-1.5b\n");
        assertThat(answered).hasValue(0);
    }

    @ParameterizedTest
    @CsvSource({
        "zero3, zero33, strategy.kind",
        "'\"global_batch\": 64', '\"global_batch\": 63', training.global_batch",
        "'\"nodes\": 2', '\"nodes\": 2, \"nod\": 1', cluster.nod",
        "'\"scenario\": \"a\"', '\"scenario\": \"a\", \"sweep\": {\"cluster.nodes\": [1, -2]}', sweep.cluster.nodes",
    })
    void eachProblemNamesItsKey(String right, String wrong, String key) throws Exception {
        String scenario = SCENARIO.replace(right, wrong);
        assertThat(scenario).isNotEqualTo(SCENARIO);
        JsonNode seen = JSON.readTree(
                post("api/look", "{\"scenario\": " + scenario + "}").body());
        assertThat(seen.at("/problems/0/key").asString()).isEqualTo(key);
    }

    @Test
    void readsWhatPeopleHave() throws Exception {
        String yaml = "scenario: mine\nmodel: gpt2-1.5b\ncluster: {instance: p4d.24xlarge, nodes: 2}\n";
        JsonNode read = JSON.readTree(post("api/read", JSON.writeValueAsString(Map.of("name", "a.yaml", "text", yaml)))
                .body());
        assertThat(read.at("/scenario/cluster/nodes").isInt()).isTrue();
        String deepspeed =
                "{\"train_batch_size\": 64, \"zero_optimization\": {\"stage\": 3}, \"bf16\": {\"enabled\": true}}";
        HttpResponse<String> said =
                post("api/read", JSON.writeValueAsString(Map.of("name", "ds.json", "text", deepspeed)));
        assertThat(JSON.readTree(said.body()).at("/scenario/strategy/kind").asString())
                .as(said.body())
                .startsWith("zero3");
        String log = Files.readString(Path.of("configurations/all_reduce.log"));
        assertThat(post("api/read", JSON.writeValueAsString(Map.of("name", "all_reduce.log", "text", log)))
                        .body())
                .isEqualTo("{\"log\":true}");
        HttpResponse<String> broken = post("api/read", "{\"name\": \"a.yaml\", \"text\": \"a: [\"}");
        assertThat(broken.statusCode()).isEqualTo(422);
        assertThat(JSON.readTree(broken.body()).path("problems")).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\": \"worker\", \"arguments\": [\"q\"], \"texts\": {\"q\": 1}}",
                "{\"type\": \"run\", \"arguments\": [\"/etc/passwd\"], \"texts\": {\"q\": 1}}",
                "{\"type\": \"compare\", \"arguments\": [\"build/a\"], \"texts\": {\"build/a\": 1}}",
                "{\"type\": \"run\", \"arguments\": [\"q\"], \"texts\": {\"q\": 1}, \"options\": {\"out\": \"/tmp\"}}",
                "{\"type\": \"plan\", \"arguments\": [\"q\"], \"texts\": {\"q\": 1}, \"options\": {\"output\": \"/tmp\"}}",
                "{\"type\": \"plan\", \"arguments\": [\"q\"], \"texts\": {\"q\": 1}, \"options\": {\"time-limit\": \"2h\"}}",
                "{\"type\": \"run\", \"arguments\": [], \"texts\": {\"q\": 1}}",
                "{\"type\": \"run\"}",
                "[]",
                "nothing",
            })
    void aPageAsksOfItsOwnTextsAlone(String question) throws Exception {
        assertThat(post("api/ask", question).statusCode()).isEqualTo(400);
        assertThat(answered).hasValue(0);
    }

    @Test
    void whatTwoAskIsAnsweredOnce() throws Exception {
        List<CompletableFuture<HttpResponse<String>>> pages = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            pages.add(client.sendAsync(
                    to("api/ask")
                            .POST(HttpRequest.BodyPublishers.ofString(question("run", "{}")))
                            .build(),
                    HttpResponse.BodyHandlers.ofString()));
        }
        Thread.sleep(500);
        gate.countDown();
        for (CompletableFuture<HttpResponse<String>> page : pages) {
            List<String> lines = page.get().body().lines().toList();
            assertThat(lines.get(lines.size() - 1)).contains("\"type\":\"result\"", "\"key\":");
            assertThat(page.get().body()).contains("\"share\":0.5");
        }
        assertThat(answered).hasValue(1);
        post("api/ask", question("run", "{}"));
        assertThat(answered).as("kept").hasValue(1);
        post("api/ask", question("run", "{\"no-trials\": true}"));
        assertThat(answered).as("another question").hasValue(2);
    }

    @Test
    void whatNoPageWaitsForEnds() throws Exception {
        byte[] body = question("run", "{}").getBytes(StandardCharsets.UTF_8);
        URI place = URI.create(server.address());
        try (Socket page = new Socket(place.getHost(), place.getPort())) {
            page.getOutputStream()
                    .write(("POST /api/ask HTTP/1.1\r\nHost: " + place.getAuthority() + "\r\nContent-Length: "
                                    + body.length + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            page.getOutputStream().write(body);
            assertThat(page.getInputStream().read()).isEqualTo('H');
            assertThat(cancelled).hasValue(0);
        }
        for (int i = 0; i < 200 && cancelled.get() == 0; i++) {
            Thread.sleep(50);
        }
        assertThat(cancelled).hasValue(1);
    }

    @Test
    void aRunDoesNotWaitForSearches() throws Exception {
        for (int i = 0; i < 3; i++) {
            client.sendAsync(
                    to("api/ask")
                            .POST(HttpRequest.BodyPublishers.ofString(
                                    question("plan", "{\"budget\": \"" + i + "k USD\"}")))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
        CompletableFuture<HttpResponse<String>> run = client.sendAsync(
                to("api/ask")
                        .POST(HttpRequest.BodyPublishers.ofString(question("run", "{}")))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        Thread.sleep(500);
        gate.countDown();
        assertThat(run.get(20, TimeUnit.SECONDS).body()).contains("result");
    }

    @Test
    void withATokenOnlyThePagesFilesAreOpen() throws Exception {
        server.close();
        server = open("secret");
        assertThat(get("").statusCode()).isEqualTo(200);
        assertThat(get("main.js").statusCode()).isEqualTo(200);
        assertThat(get("api/offer").statusCode()).isEqualTo(401);
        assertThat(get("api/offer?token=secrets").statusCode()).isEqualTo(401);
        assertThat(get("api/offer?token=secret").statusCode()).isEqualTo(200);
        HttpRequest shown =
                to("api/offer").header("Authorization", "Bearer secret").build();
        assertThat(client.send(shown, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
        assertThat(post("api/ask", question("run", "{}")).statusCode()).isEqualTo(401);
    }

    @Test
    void countsWhatItIsAsked() throws Exception {
        gate.countDown();
        post("api/ask", question("run", "{}"));
        post("api/ask", question("run", "{}"));
        post("api/ask", question("plan", "{}"));
        post("api/ask", question("worker", "{}"));
        assertThat(get("metrics").body())
                .contains(
                        "shardsim_studio_asked_total 3.0",
                        "shardsim_studio_from_store_total 1.0",
                        "shardsim_studio_answered_total 2.0",
                        "shardsim_studio_cancelled_total 0.0",
                        "shardsim_studio_refused_total 1.0",
                        "shardsim_studio_waiting 0.0",
                        "shardsim_studio_running 0.0",
                        "shardsim_studio_work_seconds_total",
                        "shardsim_runs_total",
                        "jvm_memory_used_bytes");
        assertThat(get("ready").body()).isEqualTo("{\"ready\":true}");
    }

    @Test
    void countsWhatRunsAndWhatWaits() throws Exception {
        for (int i = 0; i < 3; i++) {
            client.sendAsync(
                    to("api/ask")
                            .POST(HttpRequest.BodyPublishers.ofString(question("run", "{\"tokens\": \"" + i + "B\"}")))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
        Awaitility.await()
                .untilAsserted(() -> assertThat(get("metrics").body())
                        .contains("shardsim_studio_running 2.0", "shardsim_studio_waiting 1.0"));
    }

    /** With the workers' stores; a browser has no certificate of its own, so none is requested. */
    @Test
    void servesHttpsWithTheStoresOfWorkers(@TempDir Path folder) throws Exception {
        Keytool.keys(folder, "keys.p12", "-validity", "365");
        SSLContext tls = new ClusterSettings.Tls(
                        folder.resolve("keys.p12"), "change-it", folder.resolve("keys.p12"), "change-it")
                .context();
        server.close();
        server = open("secret", tls);
        assertThat(server.address()).startsWith("https://127.0.0.1:");
        SSLContext browser = SSLContext.getInstance("TLS");
        browser.init(null, trusted(folder.resolve("keys.p12")), null);
        HttpClient trusting = HttpClient.newBuilder().sslContext(browser).build();
        HttpRequest own = to("api/offer")
                .header("Authorization", "Bearer secret")
                .header("Origin", server.address().substring(0, server.address().length() - 1))
                .build();
        assertThat(trusting.send(own, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(200);
        for (String path : List.of("api/offer", "metrics", "ready")) {
            assertThat(trusting.send(to(path).build(), HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .as(path)
                    .isEqualTo(401);
        }
        assertThatThrownBy(() -> client.send(to("").build(), HttpResponse.BodyHandlers.ofString()))
                .isInstanceOf(SSLHandshakeException.class);
        try (Socket plain = new Socket("127.0.0.1", URI.create(server.address()).getPort())) {
            plain.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(plain.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                    .doesNotContain("studio");
        }
    }

    private static TrustManager[] trusted(Path store) throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream file = Files.newInputStream(store)) {
            keys.load(file, "change-it".toCharArray());
        }
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("shardsim", keys.getCertificate("shardsim"));
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        return managers.getTrustManagers();
    }

    @Test
    void pagesOfOtherSitesAreRefused() throws Exception {
        HttpRequest foreign =
                to("api/offer").header("Origin", "http://example.com").build();
        assertThat(client.send(foreign, HttpResponse.BodyHandlers.ofString()).statusCode())
                .isEqualTo(403);
    }

    @Test
    void damagedRequestsLeaveItAlive() throws Exception {
        damagedRequests(0, 300);
    }

    @Test
    @Tag("night")
    void tenThousandDamagedRequestsLeaveItAlive() throws Exception {
        damagedRequests(300, 10_000);
    }

    private void damagedRequests(int from, int to) throws Exception {
        gate.countDown();
        List<String> paths = List.of("api/ask", "api/look", "api/read", "api/export");
        for (int seed = from; seed < to; seed++) {
            Random random = new Random(seed);
            String body =
                    damaged(random.nextBoolean() ? question("run", "{}") : "{\"scenario\": " + SCENARIO + "}", random);
            HttpResponse<String> said = post(paths.get(random.nextInt(paths.size())), body);
            assertThat(said.statusCode()).as("seed %d: %s", seed, body).isIn(200, 400, 422);
        }
        assertThat(get("api/offer").statusCode()).isEqualTo(200);
    }

    private static String damaged(String text, Random random) {
        StringBuilder damaged = new StringBuilder(text);
        for (int i = random.nextInt(4); i >= 0 && damaged.length() > 1; i--) {
            int at = random.nextInt(damaged.length());
            switch (random.nextInt(4)) {
                case 0 -> damaged.deleteCharAt(at);
                case 1 -> damaged.insert(at, (char) (32 + random.nextInt(95)));
                case 2 -> damaged.setLength(at + 1);
                default -> damaged.setCharAt(at, "0123456789-.eE[]{}\",:\u0000\u202e".charAt(random.nextInt(22)));
            }
        }
        return damaged.toString();
    }
}

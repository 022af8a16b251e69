package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.cluster.wire.WireCodec;
import io.shardsim.scenarios.evaluation.PointSimulation;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.ScenarioRunner;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A worker in this JVM, and the clients of its port. */
@Tag("slow")
class DoorTest {
    private static final String SWEEP = """
            scenario: door
            cluster: {instance: p4d.24xlarge, nodes: 1}
            workload: {collective: all_reduce, size: 1 MiB}
            sweep: {workload.size: [1 MiB, 2 MiB, 3 MiB, 4 MiB, 5 MiB, 6 MiB, 7 MiB, 8 MiB, 9 MiB, 10 MiB]}
            """;
    private static final int CUTS = Integer.getInteger("door.cuts", 100);

    private final WireCodec codec = ClusterProtocol.contentCodec();
    private final List<AutoCloseable> open = new ArrayList<>();
    private ClusterSettings settings;
    private ClusterNode node;
    private ActorRef<Member.Command> member;

    @BeforeEach
    void begin() throws Exception {
        ClusterSettings any =
                ClusterFile.settings(new ClusterFile.Flags(null, null, null, 0, List.of(), null), Map.of());
        node = ClusterNode.start(any);
        open.add(node);
        ClusterMeters meters = new ClusterMeters(node.system());
        Door door = node.openDoor(meters);
        assertThat(get("/ready").statusCode()).isEqualTo(503);
        node.seed();
        settings = ClusterFile.settings(
                new ClusterFile.Flags(
                        null, null, null, 0, List.of(node.address().toString()), null),
                Map.of());
        Member.Runs runs = new Member.Runs(options -> new Slow(), 1, meters::finished);
        meters.watch(runs);
        ActorRef<Coordinator.Command> coordinator = node.coordinator();
        member = node.spawn(Member.create(coordinator, node.address().toString(), 1, runs), Member.NAME);
        door.serve(coordinator);
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
    }

    /** Takes long enough for connections to be cut meanwhile. */
    private static final class Slow implements ScenarioRunner {
        private final PointSimulation simulation = new PointSimulation(1, true);

        @Override
        public RunResult run(ScenarioPoint point) throws InterruptedException {
            Thread.sleep(400);
            return simulation.run(point);
        }

        @Override
        public void close() {
            simulation.close();
        }
    }

    private HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://" + node.address() + path))
                .timeout(Duration.ofSeconds(9));
        return HttpClient.newHttpClient()
                .send(
                        (headers.length == 0 ? request : request.headers(headers)).build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void newcomerIsServedWhileHundredsOfSlowClientsAsk() throws Exception {
        for (int i = 0; i < 700; i++) {
            Socket socket = new Socket(node.address().host(), node.address().port());
            open.add(socket);
            socket.getOutputStream()
                    .write((i % 2 == 0 ? "GET /metrics HT" : "GET /members HTTP/1.1\r\nHost: here\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
        }

        assertThat(get("/metrics").body()).contains("shardsim_cluster_points_total 0");
        assertThat(get("/members").body()).startsWith("{\"members\":[");
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> get("/ready").statusCode() == 200);
        assertThat(get("/nosuch").statusCode()).isEqualTo(404);
        assertThat(get("/commands").statusCode()).isEqualTo(400);
    }

    @Test
    void commandOfAnotherBuildIsRefusedWithBothVersions() {
        assertThat(refusal(new DoorMessage.Hello(DoorMessage.VERSION, "shardsim 9.9.9", "shardsim", "job", 1)))
                .isEqualTo("the worker at " + node.address() + " runs " + Build.current()
                        + ", this is shardsim 9.9.9; run the same build on every member");
        assertThat(refusal(new DoorMessage.Hello(
                        DoorMessage.VERSION, Build.current().toString(), "other", "job", 1)))
                .startsWith("the worker at " + node.address() + " belongs to the cluster shardsim, not to other");
    }

    private String refusal(DoorMessage.Hello hello) {
        CompletableFuture<String> why = new CompletableFuture<>();
        HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(
                        URI.create("ws://" + node.address() + Door.COMMANDS), new java.net.http.WebSocket.Listener() {
                            @Override
                            public java.util.concurrent.CompletionStage<?> onText(
                                    java.net.http.WebSocket socket, CharSequence text, boolean last) {
                                why.complete(((DoorMessage.Refused) DoorMessage.read(text.toString())).why());
                                return null;
                            }
                        })
                .join()
                .sendText(hello.write(), true);
        return why.orTimeout(20, TimeUnit.SECONDS).join();
    }

    /** Unmasked, of negative length, with an unknown opcode, and an endless message. */
    @Test
    void whatIsNoFrameOfACommandClosesItsConnection() throws Exception {
        byte[] endless = new byte[8 + 0xffff];
        ByteBuffer.wrap(endless).put((byte) 0x01).put((byte) 0xfe).putShort((short) -1);
        ByteBuffer negative = ByteBuffer.allocate(14).put((byte) 0x81).put((byte) 0xff);
        for (byte[] frame : List.of(
                new byte[] {(byte) 0x81, 1, 'x'},
                negative.putLong(Long.MIN_VALUE).array(),
                new byte[] {(byte) 0x83, (byte) 0x81, 0, 0, 0, 0, 'x'},
                endless)) {
            try (Socket socket =
                    new Socket(node.address().host(), node.address().port())) {
                socket.setSoTimeout(9_000);
                socket.getOutputStream()
                        .write(("GET " + Door.COMMANDS + " HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\n"
                                        + "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                        + "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                InputStream from = socket.getInputStream();
                assertThat(new String(from.readNBytes(12), StandardCharsets.US_ASCII))
                        .isEqualTo("HTTP/1.1 101");
                assertThatCode(() -> {
                            for (int i = 0; i < (frame == endless ? 200 : 1); i++) {
                                socket.getOutputStream().write(frame);
                                frame[0] = (byte) (frame == endless ? 0 : frame[0]);
                            }
                            from.readAllBytes();
                        })
                        .satisfiesAnyOf(
                                none -> assertThat(none).isNull(),
                                broken -> assertThat(broken)
                                        .isInstanceOf(SocketException.class)
                                        .isNotInstanceOf(SocketTimeoutException.class));
            }
        }
        assertThat(get("/greeting").statusCode()).isEqualTo(200);
    }

    /** A browser lets any page open a WebSocket, but sends the page's origin. */
    @Test
    void pageInABrowserCommandsNothing() {
        assertThatThrownBy(() -> HttpClient.newHttpClient()
                        .newWebSocketBuilder()
                        .header("Origin", "http://elsewhere")
                        .buildAsync(
                                URI.create("ws://" + node.address() + Door.COMMANDS),
                                new java.net.http.WebSocket.Listener() {})
                        .join())
                .hasCauseInstanceOf(java.net.http.WebSocketHandshakeException.class);
    }

    @Test
    void commandWhoseConnectionIsCutAgainAndAgainComesToTheSame() throws Exception {
        List<ScenarioPoint> points = ScenarioReader.readText("door.yaml", SWEEP).points();
        TcpProxy proxy = TcpProxy.to(node.address());
        DoorClient door = new DoorClient(settings);
        List<String> notices = new ArrayList<>();
        HostPort place = new HostPort("127.0.0.1", proxy.port());
        RemotePoints command = new RemotePoints(
                settings, "cut", (contact, asking) -> door.connect(place, asking), notices::add, System::nanoTime);
        ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
        open.addAll(List.of(proxy, door, timer::shutdownNow));
        var unused = timer.scheduleWithFixedDelay(command::tick, 0, 1, TimeUnit.SECONDS);
        command.connected().get(20, TimeUnit.SECONDS);
        int cuts = 0;
        int asked = 0;
        try (PointSimulation here = new PointSimulation(1, true)) {
            while (cuts < CUTS) {
                List<CompletableFuture<RunResult>> results = new ArrayList<>();
                for (ScenarioPoint point : points) {
                    CompletableFuture<RunResult> result = new CompletableFuture<>();
                    results.add(result);
                    command.ask(1, 0, false, codec.pack(new Question(point, new RunOptions(1, true))), result);
                    asked++;
                }
                while (!results.stream().allMatch(CompletableFuture::isDone)) {
                    Thread.sleep(50 + cuts % 7 * 30L);
                    cuts += cuts < CUTS && proxy.cut() ? 1 : 0;
                }
                for (int i = 0; i < points.size(); i++) {
                    assertThat(SimulatedCluster.timeless(results.get(i).join()))
                            .isEqualTo(SimulatedCluster.timeless(here.run(points.get(i))));
                }
            }
        }
        command.close();
        System.out.println(cuts + " cuts, " + asked + " points");
        assertThat(notices).anyMatch(notice -> notice.startsWith("continuing through the worker at "));
        assertThat(command.counted()).isEqualTo(asked);
    }

    /** A worker whose working actor has stopped is not ready, and a command does not wait for it forever. */
    @Test
    void stoppedActorIsSeenByProbesAndCommands() throws Exception {
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> get("/ready").statusCode() == 200);
        node.system()
                .systemActorOf(
                        org.apache.pekko.actor.typed.javadsl.Behaviors.setup(context -> {
                            member.tell(new Member.Leave(() -> {}));
                            return org.apache.pekko.actor.typed.javadsl.Behaviors.stopped();
                        }),
                        "stopping",
                        org.apache.pekko.actor.typed.Props.empty());
        Awaitility.await()
                .atMost(Duration.ofSeconds(20))
                .until(() -> get("/ready").statusCode() == 503);
        try (ClusterRunner runner =
                ClusterRunner.join(settings, new RunOptions(1, true), ClusterRunner.Split.NO, notice -> {})) {
            ScenarioPoint point =
                    ScenarioReader.readText("door.yaml", SWEEP).points().get(0);
            assertThatThrownBy(() -> runner.run(point))
                    .hasMessage("the cluster's coordinator has heard no worker for 15 s");
        }
    }
}

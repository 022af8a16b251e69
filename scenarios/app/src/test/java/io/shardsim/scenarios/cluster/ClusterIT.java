package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.cli.ShardsimCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Address;
import org.apache.pekko.actor.Deploy;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.PoisonPill;
import org.apache.pekko.actor.Props;
import org.apache.pekko.remote.RemoteScope;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.extension.TestWatcher;
import org.junit.jupiter.api.io.TempDir;

/** An undisturbed cluster of three worker JVMs; {@link ClusterLossIT} takes one apart. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("slow")
class ClusterIT {
    /** Concurrent connections of strangers; {@code -Dcluster.strangers=N} opens more. */
    private static final int STRANGERS = Integer.getInteger("cluster.strangers", 600);

    @RegisterExtension
    static final TestWatcher LOGS = JvmCluster.logsOfFailures();

    @TempDir
    static Path folder;

    private static JvmCluster cluster;
    private static Jvm first;
    private static Jvm second;
    private static Jvm third;
    private static String seed;
    private static Path another;

    @BeforeAll
    static void startThree() throws Exception {
        cluster = JvmCluster.patient(folder);
        List<Jvm> members = cluster.threeMembers("--metrics-port", "0");
        first = members.get(0);
        second = members.get(1);
        third = members.get(2);
        seed = first.listening();
        another = jarOfAnotherBuild();
    }

    @AfterAll
    static void endAll() throws Exception {
        Jvm.closeAll();
    }

    private static void assertWholeAndUnharmed() throws Exception {
        assertThat(first.isAlive() && second.isAlive() && third.isAlive()).isTrue();
        org.awaitility.Awaitility.await()
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(get("/members").split("\"status\":\"up\",\"reachable\":true", -1))
                        .hasSize(4));
        Jvm run = cluster.run(seed, "short.yaml");
        assertThat(run.awaitEnd()).as(run.err()).isZero();
        assertThat(run.out()).contains("\"digest\"");
    }

    private static String get(String path) throws Exception {
        Matcher address = Pattern.compile("metrics at (http://\\S+)/metrics").matcher(first.err());
        assertThat(address.find()).isTrue();
        HttpResponse<String> answer = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(address.group(1) + path))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    @Test
    @Order(1)
    void strangersChangeNothingButTheLog() throws Exception {
        Path otherName = Files.writeString(folder.resolve("other-name.conf"), "name: other\n");
        Jvm nameless = Jvm.start(
                folder,
                Jvm.JAR,
                Map.of(),
                "worker",
                "--port",
                "0",
                "--join",
                seed,
                "--cluster-file",
                otherName.toString());
        Jvm older = Jvm.start(folder, another, Map.of(), "worker", "--port", "0", "--join", seed);
        fuzz();
        forge();
        first.awaitLog("is not between 28 and 262144", 20);

        assertThat(nameless.awaitEnd()).isEqualTo(1);
        assertThat(nameless.out()).isEmpty();
        assertThat(nameless.err()).contains("the worker at " + seed + " belongs to the cluster shardsim, not to other");
        assertThat(older.awaitEnd()).isEqualTo(1);
        assertThat(older.out()).isEmpty();
        assertThat(older.err())
                .containsPattern(seed
                        + " runs shardsim \\S+ \\(build \\w+, protocol \\S+\\), this is shardsim 9\\.9\\.9 \\(build")
                .contains("run the same build on every member");
        assertWholeAndUnharmed();
    }

    @Test
    @Order(2)
    void questionsHaveTheAnswersOfOneMachine() throws Exception {
        for (String[] command : new String[][] {
            {"what-if", "short.yaml", "--json"}, {"compare", "short.yaml#1", "short.yaml#2", "--json"}
        }) {
            assertThat(cluster.answer(seed, command))
                    .as(command[0])
                    .isNotBlank()
                    .isEqualTo(cluster.answer(null, command));
        }
    }

    private static Path jarOfAnotherBuild() throws IOException {
        Path jar = Files.copy(Jvm.JAR, folder.resolve("another.jar"));
        try (FileSystem inside = FileSystems.newFileSystem(jar, Map.of())) {
            Path manifest = inside.getPath("META-INF", "MANIFEST.MF");
            Files.writeString(
                    manifest,
                    Files.readString(manifest)
                            .replaceAll("Implementation-Version: \\S+", "Implementation-Version: 9.9.9"));
        }
        return jar;
    }

    /** Random bytes, and bytes that begin like Pekko's own streams. */
    private static void fuzz() throws IOException {
        HostPort place = HostPort.parse(seed);
        Random source = new Random(7);
        for (int i = 0; i < 60; i++) {
            byte[] bytes = new byte[1 + source.nextInt(20_000)];
            source.nextBytes(bytes);
            if (i % 3 > 0) {
                bytes = grown(bytes);
                System.arraycopy("PEKK".getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, 4);
                bytes[4] = (byte) (1 + source.nextInt(3));
            }
            if (i % 3 == 2) {
                int length = source.nextBoolean() ? source.nextInt(300_000) : Integer.MAX_VALUE - source.nextInt(9);
                ByteBuffer.wrap(bytes).order(java.nio.ByteOrder.LITTLE_ENDIAN).putInt(5, length);
            }
            try (Socket socket = new Socket(place.host(), place.port())) {
                socket.getOutputStream().write(bytes);
            } catch (java.net.SocketException closedOnUs) {
                // As it should be.
            }
        }
    }

    private static byte[] grown(byte[] bytes) {
        return Arrays.copyOf(bytes, Math.max(64, bytes.length));
    }

    /** Messages of a member that speaks the transport's protocol, but not ours. */
    private static void forge() {
        ActorSystem forger =
                ActorSystem.create("forger", ConfigFactory.parseString("""
                        pekko {
                          actor.provider = remote
                          actor.serializers.forged = "io.shardsim.scenarios.cluster.ForgingSerializer"
                          actor.serialization-bindings {
                            "io.shardsim.scenarios.cluster.ForgingSerializer$Forged" = forged
                          }
                          remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
                          loglevel = ERROR
                        }
                        """).withFallback(ConfigFactory.load()));
        try {
            String current = "kryo-" + Build.current().protocol();
            for (ForgingSerializer.Forged forged : List.of(
                    new ForgingSerializer.Forged("kryo-0-older", new byte[] {1, 2, 3}),
                    new ForgingSerializer.Forged(current, "no kryo at all".getBytes(StandardCharsets.UTF_8)),
                    new ForgingSerializer.Forged(current, new byte[ClusterSerializer.MESSAGE_MAX + 1]))) {
                forger.actorSelection("pekko://shardsim@" + seed + "/system/singletonManagercoordinator")
                        .tell(forged, ActorRef.noSender());
            }
            first.awaitLog("written as kryo-0-older, this member reads kryo-", 1);
            first.awaitLog("refused a message of 14 bytes: 14 bytes whose checksum does not match", 1);
            first.awaitLog("longer than " + ClusterSerializer.MESSAGE_MAX + " bytes", 1);
        } finally {
            forger.terminate();
        }
    }

    /** By name or by reference: none of them is stopped, and no other is started. */
    @Test
    @Order(1)
    void strangerWithPekkoStopsNoActorAndStartsNone() throws Exception {
        ActorSystem stranger =
                ActorSystem.create("stranger", ConfigFactory.parseString("""
                        pekko {
                          actor.provider = remote
                          remote.artery.canonical { hostname = "127.0.0.1", port = 0 }
                          loglevel = ERROR
                        }
                        """).withFallback(ConfigFactory.load()));
        try {
            HostPort place = HostPort.parse(seed);
            String member = "pekko://shardsim@" + place + "/system/member";
            stranger.actorSelection(member).tell(PoisonPill.getInstance(), ActorRef.noSender());
            ((ExtendedActorSystem) stranger)
                    .provider()
                    .resolveActorRef(member)
                    .tell(PoisonPill.getInstance(), ActorRef.noSender());
            stranger.actorOf(Props.create(Planted.class, Planted::new)
                    .withDeploy(
                            new Deploy(new RemoteScope(new Address("pekko", "shardsim", place.host(), place.port())))));
            Thread.sleep(3_000);
        } finally {
            stranger.terminate();
        }
        assertWholeAndUnharmed();
        assertThat(first.err()).doesNotContain("has stopped");
    }

    /** An actor that no stranger may start on a member. */
    static final class Planted extends AbstractActor {
        @Override
        public Receive createReceive() {
            return emptyBehavior();
        }
    }

    /** A forgotten or unreachable command harms no worker, since it is no member. */
    @Test
    @Order(2)
    void commandThatReachesTheSeedAloneEndsNoWorker() throws Exception {
        Jvm older = Jvm.start(folder, another, Map.of(), "run", "short.yaml", "--json", "--cluster", seed);
        try (TcpProxy proxy = TcpProxy.to(HostPort.parse(seed))) {
            Jvm run = cluster.run("127.0.0.1:" + proxy.port(), "sweep.yaml");
            Jvm killed = cluster.run(seed, "sweep.yaml", "--no-fast-forward");
            killed.awaitErr("connected to the cluster at " + seed + ", 3 members");
            assertThat(get("/members").split("\"address\"", -1)).hasSize(4);
            killed.kill();
            run.awaitErr("connected to the cluster at 127.0.0.1:" + proxy.port());
            proxy.cut();

            assertThat(run.awaitEnd()).as(run.err()).isZero();
            assertThat(JvmCluster.withoutWallTimes(run.out())).isEqualTo(cluster.runHere("sweep.yaml"));
            assertThat(run.err()).contains("continuing through the worker at ");
        }
        assertThat(older.awaitEnd()).isEqualTo(1);
        assertThat(older.err())
                .containsPattern("the worker at " + seed
                        + " runs shardsim \\S+ \\(build \\w+, protocol \\S+\\), this is shardsim 9\\.9\\.9 \\(build");
        assertWholeAndUnharmed();
    }

    /** They hold connections open: silent, after the prefix, and within a frame. */
    @Test
    @Order(2)
    void hundredsOfIdleStrangersDoNotKeepAMemberFromItsWork() throws Exception {
        String expected = cluster.runHere("short.yaml");
        List<Socket> strangers = new ArrayList<>();
        try {
            for (int i = 0; i < STRANGERS; i++) {
                HostPort place = HostPort.parse(seed);
                Socket socket = new Socket(place.host(), place.port());
                strangers.add(socket);
                if (i % 3 > 0) {
                    byte[] bytes = i % 3 == 1 ? new byte[5] : new byte[100_000];
                    ByteBuffer.wrap(bytes)
                            .order(java.nio.ByteOrder.LITTLE_ENDIAN)
                            .putInt(i % 3 == 1 ? 0 : 5, 200_000);
                    System.arraycopy("AKKA\2".getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, 5);
                    socket.getOutputStream().write(bytes);
                }
            }

            Jvm run = cluster.run(seed, "short.yaml");

            assertThat(run.awaitEnd()).as(run.err()).isZero();
            assertThat(JvmCluster.withoutWallTimes(run.out())).isEqualTo(expected);
            assertThat(first.err().length()).as("bytes of the log").isLessThan(100_000);
        } finally {
            for (Socket socket : strangers) {
                socket.close();
            }
        }
        assertWholeAndUnharmed();
    }

    @Test
    @Order(2)
    void metersTellWhatTheMemberDoes() throws Exception {
        forge();
        assertWholeAndUnharmed();

        assertThat(get("/metrics"))
                .containsPattern("shardsim_cluster_points_total [1-9]")
                .containsPattern("shardsim_cluster_messages_refused_total [1-9]")
                .containsPattern("shardsim_cluster_bytes_sent_total [1-9]")
                .contains("shardsim_cluster_members{status=\"up\"} 3.0");
    }

    /** 64 GPUs, every event, three JVMs. */
    @Test
    @Order(3)
    void runSplitOverMembersComesToTheSame() throws Exception {
        String expected = cluster.runHere("split.yaml", "--no-fast-forward", "--threads", "1");

        Jvm run = cluster.run(seed, "split.yaml", "--split");

        assertThat(run.awaitEnd()).as(run.err()).isZero();
        assertThat(JvmCluster.withoutWallTimes(run.out())).isEqualTo(expected);
        assertThat(get("/metrics"))
                .containsPattern("shardsim_cluster_windows_total [1-9]")
                .containsPattern("shardsim_cluster_window_chunks_total [1-9]")
                .containsPattern("shardsim_cluster_barrier_wait_seconds_total [0-9.]*[1-9]");
        first.awaitLog("runs part ", 1);
        third.awaitLog("runs part ", 1);
    }

    @Test
    @Order(3)
    void planComesToTheSameBytes() throws Exception {
        Files.writeString(folder.resolve("plan.yaml"), """
                scenario: plan
                model: {hidden: 1024, layers: 4, heads: 16, vocab: 32000}
                cluster: {instance: p4d.24xlarge, nodes: 2}
                training: {sequence_length: 512, global_batch: 32, precision: bf16, attention: flash}
                search: {strategy.kind: [mics, fsdp2], strategy.tensor_parallel: [1]}
                """);
        StringWriter here = new StringWriter();
        assertThat(ShardsimCommand.commandLine(Main.services())
                        .setOut(new PrintWriter(here))
                        .execute("plan", folder.resolve("plan.yaml").toString(), "--json"))
                .isZero();

        Jvm plan = Jvm.start(
                folder,
                Jvm.JAR,
                Map.of("SHARDSIM_CLUSTER_FILE", "cluster.conf"),
                "plan",
                "plan.yaml",
                "--json",
                "--cluster",
                seed);

        assertThat(plan.awaitEnd()).as(plan.err()).isZero();
        assertThat(plan.out()).isEqualTo(here.toString());
        assertThat(plan.err()).contains("connected to the cluster at " + seed);
    }
}

package io.shardsim.scenarios.cluster;

import io.shardsim.scenarios.serving.Meters;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.http.javadsl.ConnectionContext;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.ServerBuilder;
import org.apache.pekko.http.javadsl.model.AttributeKeys;
import org.apache.pekko.http.javadsl.model.ContentType;
import org.apache.pekko.http.javadsl.model.ContentTypes;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.ws.Message;
import org.apache.pekko.http.javadsl.model.ws.TextMessage;
import org.apache.pekko.http.javadsl.model.ws.WebSocketUpgrade;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.japi.function.Function;
import org.apache.pekko.stream.BoundedSourceQueue;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.QueueOfferResult;
import org.apache.pekko.stream.SystemMaterializer;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker's HTTP endpoint: commands at {@code /commands} (docs/protocol.md), its identity at {@code /greeting}, Prometheus metrics at
 * {@code /metrics}, its view of the cluster at {@code /members}, and {@code /ready}, which returns 200 while points can be assigned to it and 503
 * otherwise.
 */
final class Door {
    static final String COMMANDS = "/commands";
    static final String GREETING = "/greeting";

    private static final Logger LOG = LoggerFactory.getLogger(Door.class);
    /** Timeout for the coordinator to answer, and since it last heard this member. */
    private static final Duration ANSWERS = Duration.ofSeconds(3);
    /** Timeout for binding a port. */
    private static final Duration BINDING = Duration.ofSeconds(20);
    /** Maximum number of messages queued for a command. */
    private static final int WAITING_MAX = 1024;

    private static final ContentType PROMETHEUS = ContentTypes.parse(Meters.TYPE);

    private final ClusterNode node;
    private final ClusterSettings settings;
    private final ClusterMeters meters;
    private final ActorSystem<Void> system;
    private final Cluster cluster;
    private final Materializer materializer;
    private final Meters scraped;
    private final AtomicInteger visits = new AtomicInteger();
    /** Known once the member has joined. */
    private volatile @Nullable ActorRef<Coordinator.Command> coordinator;

    Door(ClusterNode node, ClusterSettings settings, ClusterMeters meters) {
        this.node = node;
        this.settings = settings;
        this.meters = meters;
        system = node.system();
        cluster = Cluster.get(system);
        materializer = SystemMaterializer.get(system).materializer();
        scraped = new Meters(meters);
        node.whenEnding(scraped::close);
    }

    ClusterMeters meters() {
        return meters;
    }

    /** Admits commands. */
    void serve(ActorRef<Coordinator.Command> coordinator) {
        this.coordinator = coordinator;
    }

    /**
     * Serves everything on a separate loopback port.
     *
     * @return the port
     */
    int open() {
        ServerBuilder server = Http.get(system).newServerAt(ClusterSettings.LOOPBACK, 0);
        if (settings.tls() != null) {
            SSLContext context = Certificates.context(settings.tls());
            server = server.enableHttps(ConnectionContext.httpsServer(() -> ClusterTls.server(context)));
        }
        return bind(server, true);
    }

    /** Serves everything but commands on a separate loopback port, without TLS, for clients without a certificate. */
    int openMeters() {
        return bind(Http.get(system).newServerAt(ClusterSettings.LOOPBACK, 0), false);
    }

    private int bind(ServerBuilder server, boolean commands) {
        Function<HttpRequest, CompletionStage<HttpResponse>> handler = request -> answer(request, commands);
        return server.bind(handler)
                .toCompletableFuture()
                .orTimeout(BINDING.toSeconds(), TimeUnit.SECONDS)
                .join()
                .localAddress()
                .getPort();
    }

    private CompletionStage<HttpResponse> answer(HttpRequest request, boolean commands) {
        return switch (request.getUri().path()) {
            case "/metrics" ->
                CompletableFuture.completedFuture(HttpResponse.create()
                        .withEntity(PROMETHEUS, scraped.scrape().getBytes(StandardCharsets.UTF_8)));
            case "/members" -> json(members());
            case GREETING -> json(greeting().write());
            case "/ready" -> ready();
            case COMMANDS -> commands ? command(request) : text(404, "commands connect to the worker's own port\n");
            default -> text(404, "not one of " + COMMANDS + " " + GREETING + " /members /metrics /ready\n");
        };
    }

    private static CompletionStage<HttpResponse> text(int status, String text) {
        return CompletableFuture.completedFuture(
                HttpResponse.create().withStatus(status).withEntity(ContentTypes.TEXT_PLAIN_UTF8, text));
    }

    private static CompletionStage<HttpResponse> json(String text) {
        return CompletableFuture.completedFuture(
                HttpResponse.create().withEntity(ContentTypes.APPLICATION_JSON, text + "\n"));
    }

    private boolean isUp() {
        return cluster.selfMember().status() == MemberStatus.up();
    }

    /** Returns whether points can be assigned to this member: the coordinator answers, and has heard it. */
    private CompletionStage<HttpResponse> ready() {
        ActorRef<Coordinator.Command> known = coordinator;
        if (!isUp() || known == null) {
            return text(503, "not a member yet\n");
        }
        String own = node.address().toString();
        return AskPattern.<Coordinator.Command, SweepClient.Command>ask(
                        known,
                        asking -> new Coordinator.Wanted("ready-" + own, 0, asking, List.of(), true),
                        ANSWERS,
                        system.scheduler())
                .handle((said, late) -> said instanceof SweepClient.Status status
                        && status.members().stream()
                                .anyMatch(member ->
                                        member.address().equals(own) && member.silentMillis() < ANSWERS.toMillis()))
                .thenCompose(works -> works
                        ? text(200, "ready\n")
                        : text(503, "the coordinator does not answer, or cannot hear this member\n"));
    }

    private DoorMessage.Greeting greeting() {
        return new DoorMessage.Greeting(
                node.address().toString(), Build.current().toString(), settings.name(), isUp(), workers());
    }

    private int workers() {
        int count = 0;
        for (Member member : cluster.state().getMembers()) {
            count += member.status() == MemberStatus.removed() ? 0 : 1;
        }
        return count;
    }

    private String members() {
        ClusterEvent.CurrentClusterState state = cluster.state();
        StringBuilder json = new StringBuilder("{\"members\":[");
        String comma = "";
        for (Member member : state.getMembers()) {
            json.append(comma)
                    .append("{\"address\":\"")
                    .append(ClusterNode.place(member.address()))
                    .append("\",\"status\":\"")
                    .append(member.status().toString().toLowerCase(Locale.ROOT))
                    .append("\",\"reachable\":")
                    .append(!state.getUnreachable().contains(member))
                    .append('}');
            comma = ",";
        }
        return json.append("]}").toString();
    }

    /** Handles a command; refuses browser pages, which only browsers mark with their origin. */
    private CompletionStage<HttpResponse> command(HttpRequest request) {
        WebSocketUpgrade upgrade =
                request.getAttribute(AttributeKeys.webSocketUpgrade).orElse(null);
        ActorRef<Coordinator.Command> known = coordinator;
        if (upgrade == null || request.getHeader("Origin").isPresent()) {
            return text(400, "for the command line: run FILE --cluster HOST:PORT\n");
        }
        if (known == null || !isUp()) {
            return text(503, "not a member yet\n");
        }
        Pair<BoundedSourceQueue<Message>, Source<Message, NotUsed>> out =
                Source.<Message>queue(WAITING_MAX).preMaterialize(materializer);
        Visit visit = new Visit(out.first(), known);
        Sink<Message, CompletionStage<Done>> in = Flow.<Message>create()
                .mapAsync(1, this::whole)
                .toMat(Sink.foreach(visit::come), Keep.right())
                .mapMaterializedValue(ended -> ended.whenComplete((done, failure) -> visit.gone()));
        return CompletableFuture.completedFuture(upgrade.handleMessagesWith(in, out.second()));
    }

    private CompletionStage<String> whole(Message message) {
        return message.isText()
                ? message.asTextMessage()
                        .getStreamedText()
                        .limitWeighted(DoorMessage.TEXT_MAX, text -> (long) text.length())
                        .runFold(new StringBuilder(), StringBuilder::append, materializer)
                        .thenApply(StringBuilder::toString)
                : CompletableFuture.failedFuture(new IllegalArgumentException("a message of bytes"));
    }

    /** A command's connection. */
    private final class Visit implements SweepClient.Way {
        private final BoundedSourceQueue<Message> out;
        private final ActorRef<Coordinator.Command> coordinator;
        /** State of the thread that receives messages; read when they have ended. */
        private volatile @Nullable ActorRef<SweepClient.Command> client;

        Visit(BoundedSourceQueue<Message> out, ActorRef<Coordinator.Command> coordinator) {
            this.out = out;
            this.coordinator = coordinator;
        }

        void come(String text) {
            DoorMessage message = DoorMessage.read(text);
            ActorRef<SweepClient.Command> known = client;
            if (known != null) {
                known.tell(message);
            } else if (message instanceof DoorMessage.Hello hello) {
                begin(hello);
            } else {
                throw new IllegalArgumentException("a message before hello");
            }
        }

        private void begin(DoorMessage.Hello hello) {
            String own = Build.current().toString();
            String self = node.address().toString();
            String why =
                    hello.version() != DoorMessage.VERSION || !hello.build().equals(own)
                            ? BuildCheck.mismatch("the worker at " + self, own, hello.build())
                            : hello.cluster().equals(settings.name())
                                    ? null
                                    : ClusterNode.otherCluster(self, settings.name(), hello.cluster());
            if (why != null) {
                LOG.warn("refused a command: {}", why.replaceAll("[^ -~]", "?"));
                send(new DoorMessage.Refused(why));
                close();
                return;
            }
            send(new DoorMessage.Welcome(self, workers()));
            client = node.spawn(
                    SweepClient.create(
                            hello, coordinator, settings.patience().silence().multipliedBy(3), this, System::nanoTime),
                    "command-" + visits.incrementAndGet());
        }

        void gone() {
            ActorRef<SweepClient.Command> known = client;
            if (known != null) {
                known.tell(new SweepClient.Gone());
            }
            close();
        }

        @Override
        public void send(DoorMessage message) {
            if (out.offer(TextMessage.create(message.write())) != QueueOfferResult.enqueued()) {
                close();
            }
        }

        @Override
        public void close() {
            if (!out.isCompleted()) {
                out.complete();
            }
        }
    }
}

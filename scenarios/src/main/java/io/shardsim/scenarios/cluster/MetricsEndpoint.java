package io.shardsim.scenarios.cluster;

import com.sun.net.httpserver.HttpExchange;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.shardsim.scenarios.serving.BoundedServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.AskPattern;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.jspecify.annotations.Nullable;

/**
 * Serves a member's meters to Prometheus, and its view of the cluster: {@code /metrics}, {@code /members}, and {@code /ready}, which answers 200 while
 * points can be handed out to this member and 503 else.
 */
final class MetricsEndpoint implements AutoCloseable {
    /** Until the coordinator has answered, and since it heard this member. */
    private static final Duration ANSWERS = Duration.ofSeconds(3);

    private final @Nullable BoundedServer server;
    private final @Nullable JvmGcMetrics collector;

    private MetricsEndpoint(@Nullable BoundedServer server, @Nullable JvmGcMetrics collector) {
        this.server = server;
        this.collector = collector;
    }

    /**
     * @param place null for no endpoint
     * @throws IllegalStateException when the port cannot be had
     */
    static MetricsEndpoint open(
            @Nullable HostPort place,
            ActorSystem<?> system,
            ClusterMeters meters,
            ActorRef<Coordinator.Command> coordinator) {
        if (place == null) {
            return new MetricsEndpoint(null, null);
        }
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        meters.bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        JvmGcMetrics collector = new JvmGcMetrics();
        collector.bindTo(registry);
        try {
            BoundedServer server = BoundedServer.open(new InetSocketAddress(place.host(), place.port()), "meters");
            server.serve(
                    "/metrics",
                    exchange -> answer(
                            server, exchange, 200, "text/plain; version=0.0.4; charset=utf-8", registry.scrape()));
            Cluster cluster = Cluster.get(system);
            server.serve("/members", exchange -> answer(server, exchange, 200, "application/json", members(cluster)));
            server.serve("/ready", exchange -> {
                boolean up = cluster.selfMember().status() == MemberStatus.up();
                boolean works = up && isHeard(cluster, coordinator, system);
                answer(
                        server,
                        exchange,
                        works ? 200 : 503,
                        "text/plain",
                        works
                                ? "ready\n"
                                : up
                                        ? "the coordinator does not answer, or does not hear this member\n"
                                        : "not a member yet\n");
            });
            server.start();
            return new MetricsEndpoint(server, collector);
        } catch (IOException taken) {
            collector.close();
            throw new IllegalStateException(
                    "meters cannot be served at " + place + ": " + taken.getMessage()
                            + "; choose another --metrics-port",
                    taken);
        }
    }

    /** Where it listens; null when it does not. */
    @Nullable
    HostPort address() {
        return server == null
                ? null
                : new HostPort(
                        server.address().getHostString(), server.address().getPort());
    }

    /** Whether points can be handed out to this member: the coordinator answers, and has heard it. */
    private static boolean isHeard(Cluster cluster, ActorRef<Coordinator.Command> coordinator, ActorSystem<?> system) {
        String own = ClusterNode.address(cluster.selfMember().address());
        return AskPattern.<Coordinator.Command, SweepClient.Command>ask(
                        coordinator,
                        asking -> new Coordinator.Wanted("ready-" + own, asking, List.of(), true),
                        ANSWERS,
                        system.scheduler())
                .handle((said, late) -> said instanceof SweepClient.Status status
                        && status.members().stream()
                                .anyMatch(member ->
                                        member.address().equals(own) && member.silentMillis() < ANSWERS.toMillis()))
                .toCompletableFuture()
                .join();
    }

    private static String members(Cluster cluster) {
        ClusterEvent.CurrentClusterState state = cluster.state();
        StringBuilder json = new StringBuilder("{\"members\":[");
        String comma = "";
        for (Member member : state.getMembers()) {
            json.append(comma)
                    .append("{\"address\":\"")
                    .append(ClusterNode.address(member.address()))
                    .append("\",\"kind\":\"")
                    .append(member.hasRole(ClusterNode.WORKER) ? ClusterNode.WORKER : ClusterNode.COMMAND)
                    .append("\",\"status\":\"")
                    .append(member.status().toString().toLowerCase(Locale.ROOT))
                    .append("\",\"reachable\":")
                    .append(!state.getUnreachable().contains(member))
                    .append('}');
            comma = ",";
        }
        return json.append("]}\n").toString();
    }

    private static void answer(BoundedServer server, HttpExchange exchange, int status, String type, String text)
            throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        server.send(exchange, status, text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        }
        if (collector != null) {
            collector.close();
        }
    }
}

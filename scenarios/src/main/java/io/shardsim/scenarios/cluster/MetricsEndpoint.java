package io.shardsim.scenarios.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.typed.Cluster;
import org.jspecify.annotations.Nullable;

/**
 * Serves a member's meters to Prometheus, and its view of the cluster: {@code /metrics}, {@code /members}, and {@code /ready}, which answers 200 once
 * this member is up and 503 before.
 */
final class MetricsEndpoint implements AutoCloseable {
    private static final int BACKLOG = 16;

    private final @Nullable HttpServer server;
    private final @Nullable ExecutorService threads;
    private final @Nullable JvmGcMetrics collector;

    private MetricsEndpoint(
            @Nullable HttpServer server, @Nullable ExecutorService threads, @Nullable JvmGcMetrics collector) {
        this.server = server;
        this.threads = threads;
        this.collector = collector;
    }

    /**
     * @param place null for no endpoint
     * @throws IllegalStateException when the port cannot be had
     */
    static MetricsEndpoint open(@Nullable HostPort place, ActorSystem<?> system, ClusterMeters meters) {
        if (place == null) {
            return new MetricsEndpoint(null, null, null);
        }
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        meters.bindTo(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        JvmGcMetrics collector = new JvmGcMetrics();
        collector.bindTo(registry);
        try {
            HttpServer server = HttpServer.create(new InetSocketAddress(place.host(), place.port()), BACKLOG);
            ExecutorService threads = Executors.newSingleThreadExecutor(task -> {
                Thread thread = new Thread(task, "meters");
                thread.setDaemon(true);
                return thread;
            });
            server.setExecutor(threads);
            server.createContext(
                    "/metrics",
                    exchange -> answer(exchange, 200, "text/plain; version=0.0.4; charset=utf-8", registry.scrape()));
            Cluster cluster = Cluster.get(system);
            server.createContext("/members", exchange -> answer(exchange, 200, "application/json", members(cluster)));
            server.createContext("/ready", exchange -> {
                boolean up = cluster.selfMember().status() == MemberStatus.up();
                answer(exchange, up ? 200 : 503, "text/plain", up ? "ready\n" : "not a member yet\n");
            });
            server.start();
            return new MetricsEndpoint(server, threads, collector);
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
                        server.getAddress().getHostString(), server.getAddress().getPort());
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

    private static void answer(HttpExchange exchange, int status, String type, String text) throws IOException {
        try (exchange) {
            byte[] body = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(status, body.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(body);
            }
        }
    }

    @Override
    public void close() {
        if (server != null) {
            server.stop(0);
        }
        if (threads != null) {
            threads.shutdownNow();
        }
        if (collector != null) {
            collector.close();
        }
    }
}

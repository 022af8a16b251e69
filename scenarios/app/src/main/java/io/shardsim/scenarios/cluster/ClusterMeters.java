package io.shardsim.scenarios.cluster;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.shardsim.reports.RunMeters;
import io.shardsim.reports.RunResult;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.typed.Cluster;
import org.jspecify.annotations.Nullable;

/** Metrics of a member's work for its cluster, and of the cluster as it sees it. Simulated figures are results, not metrics. */
final class ClusterMeters implements MeterBinder {
    private static final String PREFIX = "shardsim.cluster.";

    private final WireTraffic traffic;
    private final Cluster cluster;
    private final RunMeters runMeters = new RunMeters();
    private final LongAdder points = new LongAdder();
    private volatile Member.@Nullable Runs runs;

    ClusterMeters(ActorSystem<?> system) {
        traffic = ClusterSerializer.traffic(system);
        cluster = Cluster.get(system);
    }

    /** Counts a finished point. */
    void finished(RunResult result) {
        points.increment();
        runMeters.finished(result);
    }

    void watch(Member.Runs runs) {
        this.runs = runs;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        runMeters.bindTo(registry);
        adder(registry, "points", "points run", points);
        gauge(registry, "points.running", "points running now", meters -> {
            Member.Runs running = meters.runs;
            return running == null ? 0 : running.underWay();
        });
        adder(registry, "messages.sent", "messages sent to other members", traffic.messagesSent);
        adder(registry, "messages.received", "messages received from other members", traffic.messagesReceived);
        adder(registry, "messages.refused", "messages that could not be decoded", traffic.refused);
        adder(registry, "bytes.sent", "bytes of these messages", traffic.bytesSent);
        adder(registry, "bytes.received", "bytes of these messages", traffic.bytesReceived);
        split(registry, "windows", "windows of virtual time finished here", counts -> counts.windows.sum());
        split(registry, "window.messages", "messages to other parts of split runs", counts -> counts.messages.sum());
        split(registry, "window.bytes", "bytes of these messages", counts -> counts.bytes.sum());
        split(registry, "window.chunks", "chunks sent to other parts", counts -> counts.chunks.sum());
        split(
                registry,
                "barrier.wait.seconds",
                "time spent waiting for other parts",
                counts -> counts.waitNanos.sum() * 1e-9);
        FunctionCounter.builder(PREFIX + "serialization", traffic.serializationNanos, nanos -> nanos.sum() * 1e-9)
                .baseUnit("seconds")
                .description("time spent writing and reading messages")
                .register(registry);
        members(
                registry,
                "up",
                state -> size(state.getMembers()) - state.getUnreachable().size());
        members(registry, "unreachable", state -> state.getUnreachable().size());
    }

    private static double size(Iterable<?> all) {
        int count = 0;
        for (Object each : all) {
            count += each == null ? 0 : 1;
        }
        return count;
    }

    private static void adder(MeterRegistry registry, String name, String meaning, LongAdder value) {
        FunctionCounter.builder(PREFIX + name, value, LongAdder::sum)
                .description(meaning)
                .register(registry);
    }

    private void split(
            MeterRegistry registry, String name, String meaning, ToDoubleFunction<RemoteExchange.Counts> value) {
        FunctionCounter.builder(PREFIX + name, this, meters -> {
                    Member.Runs running = meters.runs;
                    return running == null ? 0 : value.applyAsDouble(running.counts());
                })
                .description(meaning)
                .register(registry);
    }

    private void gauge(MeterRegistry registry, String name, String meaning, ToDoubleFunction<ClusterMeters> value) {
        Gauge.builder(PREFIX + name, this, value)
                .description(meaning)
                .strongReference(true)
                .register(registry);
    }

    private void members(
            MeterRegistry registry, String status, ToDoubleFunction<ClusterEvent.CurrentClusterState> count) {
        Gauge.builder(PREFIX + "members", this, meters -> count.applyAsDouble(meters.cluster.state()))
                .tags(Tags.of("status", status))
                .description("cluster members that this one sees")
                .strongReference(true)
                .register(registry);
    }
}

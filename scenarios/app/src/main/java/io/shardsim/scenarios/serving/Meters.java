package io.shardsim.scenarios.serving;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;

/** Metrics of a server, and the JVM's memory and cores, for Prometheus. */
public final class Meters implements AutoCloseable {
    public static final String TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final JvmGcMetrics collector = new JvmGcMetrics();

    /** @param own metrics of the server */
    public Meters(MeterBinder own) {
        List.of(own, new JvmMemoryMetrics(), new ProcessorMetrics(), collector).forEach(each -> each.bindTo(registry));
    }

    public String scrape() {
        return registry.scrape();
    }

    @Override
    public void close() {
        collector.close();
        registry.close();
    }
}

package io.shardsim.reports;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.shardsim.topology.LinkClass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The program's metrics: how much it has simulated, its longest event queue, and how the last run used links and GPUs. Plain longs count events and
 * are added up here when a run ends, so metrics cost the event loop nothing. Results stay in {@link RunResult}; metrics repeat a few for dashboards.
 * Tags name link classes, never ranks.
 */
public final class RunMeters implements MeterBinder {
    private static final String PREFIX = "shardsim.";

    /**
     * A reading of a metric.
     *
     * @param name the name, for example {@code shardsim.link.bytes}
     * @param tags tags, for example {@code class=nic}; empty without tags
     * @param unit unit; empty for a plain number
     */
    public record Reading(String name, String tags, double value, String unit, String meaning) {}

    private final AtomicLong runs = new AtomicLong();
    private final AtomicLong executedEvents = new AtomicLong();
    private final AtomicLong simulatedEvents = new AtomicLong();
    private final AtomicLong wallNanos = new AtomicLong();
    private final AtomicLong chunks = new AtomicLong();
    private final Map<LinkClass, AtomicLong> bytes = new EnumMap<>(LinkClass.class);
    private final AtomicLong pendingEventsMax = new AtomicLong();
    private volatile @Nullable RunResult last;

    public RunMeters() {
        for (LinkClass linkClass : LinkClass.values()) {
            bytes.put(linkClass, new AtomicLong());
        }
    }

    /** Records a finished simulation; a point that did not run is ignored. */
    public void finished(RunResult result) {
        if (!result.fits()) {
            return;
        }
        last = result;
        runs.incrementAndGet();
        pendingEventsMax.accumulateAndGet(result.effort().pendingEventsMax(), Math::max);
        executedEvents.addAndGet(result.effort().executedEvents());
        simulatedEvents.addAndGet(result.effort().simulatedEvents());
        wallNanos.addAndGet((long) (result.effort().wallSeconds() * 1e9));
        for (LinkUse use : result.network().links()) {
            chunks.addAndGet(use.chunks());
            bytes.getOrDefault(use.linkClass(), new AtomicLong()).addAndGet(use.bytes());
        }
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        counter(registry, "runs", "runs finished", runs);
        counter(registry, "events", "events executed one by one", executedEvents);
        String simulated = "executed events plus the repetitions that they represent";
        counter(registry, "events.simulated", simulated, simulatedEvents);
        FunctionCounter.builder(PREFIX + "wall", wallNanos, nanos -> nanos.get() * 1e-9)
                .baseUnit("s")
                .description("wall time of finished runs")
                .register(registry);
        String waited = "most events pending at once in any run";
        gauge(registry, "queue.length.max", "", waited, meters -> meters.pendingEventsMax.get());
        counter(registry, "chunks", "chunks transmitted, counted per hop", chunks);
        for (LinkClass linkClass : LinkClass.values()) {
            bindLink(registry, linkClass);
        }
        String busy = "last run: share of time with a kernel on the compute stream, mean over GPUs";
        gauge(registry, "gpu.busy", "", busy, meters -> {
            RunResult run = meters.last;
            return run == null || run.training() == null ? 0 : run.training().computeBusy();
        });
        gauge(registry, "gpu.memory.peak", "bytes", "last run: peak memory of a GPU", meters -> {
            RunFacts.Memory memory = meters.memory();
            return memory == null ? 0 : memory.peakBytes();
        });
        gauge(registry, "gpu.memory.utilization", "", "last run: peak memory over capacity", meters -> {
            RunFacts.Memory memory = meters.memory();
            return memory == null ? 0 : (double) memory.peakBytes() / memory.capacityBytes();
        });
    }

    private RunFacts.@Nullable Memory memory() {
        RunResult run = last;
        return run == null ? null : run.facts().memory();
    }

    private void bindLink(MeterRegistry registry, LinkClass linkClass) {
        Tags tags = Tags.of("class", Names.id(linkClass));
        FunctionCounter.builder(PREFIX + "link.bytes", this, meters -> meters.bytesOf(linkClass))
                .tags(tags)
                .baseUnit("bytes")
                .description("bytes transmitted, counted per hop")
                .register(registry);
        Gauge.builder(PREFIX + "link.utilization", this, meters -> meters.utilizationOf(linkClass))
                .tags(tags)
                .description("last run: share of time a transmitter is busy, mean over ports")
                .strongReference(true)
                .register(registry);
    }

    private double bytesOf(LinkClass linkClass) {
        AtomicLong sum = bytes.get(linkClass);
        return sum == null ? 0 : sum.get();
    }

    private double utilizationOf(LinkClass linkClass) {
        RunResult run = last;
        LinkUse use = run == null ? null : run.link(linkClass);
        return use == null ? 0 : use.utilization();
    }

    private static void counter(MeterRegistry registry, String name, String meaning, AtomicLong value) {
        FunctionCounter.builder(PREFIX + name, value, AtomicLong::get)
                .description(meaning)
                .register(registry);
    }

    private void gauge(
            MeterRegistry registry, String name, String unit, String meaning, ToDoubleFunction<RunMeters> value) {
        Gauge.builder(PREFIX + name, this, value)
                .baseUnit(unit.isEmpty() ? null : unit)
                .description(meaning)
                .strongReference(true)
                .register(registry);
    }

    /** Returns all metrics of this program in a registry, by name and tags. */
    public static List<Reading> readings(MeterRegistry registry) {
        List<Reading> readings = new ArrayList<>();
        for (Meter meter : registry.getMeters()) {
            Meter.Id id = meter.getId();
            if (id.getName().startsWith(PREFIX)) {
                for (Measurement measurement : meter.measure()) {
                    readings.add(new Reading(
                            id.getName(),
                            id.getTags().stream()
                                    .map(tag -> tag.getKey() + "=" + tag.getValue())
                                    .collect(Collectors.joining(", ")),
                            measurement.getValue(),
                            id.getBaseUnit() == null ? "" : id.getBaseUnit(),
                            id.getDescription() == null ? "" : id.getDescription()));
                }
            }
        }
        readings.sort(Comparator.comparing(Reading::name).thenComparing(Reading::tags));
        return readings;
    }
}

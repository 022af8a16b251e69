package io.shardsim.scenarios.studio;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.shardsim.reports.RunMeters;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;

/** Metrics of a server's answers and queue. */
final class StudioMeters implements MeterBinder {
    private static final String PREFIX = "shardsim.studio.";

    private final Questions questions;
    private final DoubleSupplier refused;

    /** @param refused number of refused requests */
    StudioMeters(Questions questions, DoubleSupplier refused) {
        this.questions = questions;
        this.refused = refused;
    }

    /** Counters updated by the questions. */
    static final class Counts {
        final LongAdder asked = new LongAdder();
        final LongAdder shared = new LongAdder();
        final LongAdder answered = new LongAdder();
        final LongAdder cancelled = new LongAdder();
        final LongAdder workNanos = new LongAdder();
        final RunMeters runs = new RunMeters();
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Counts counts = questions.counts();
        counts.runs.bindTo(registry);
        counter(registry, "asked", "questions asked by pages", counts.asked::sum);
        counter(
                registry,
                "from.store",
                "of these, answered from the cache or by a running question",
                counts.shared::sum);
        counter(registry, "answered", "questions answered by simulating", counts.answered::sum);
        counter(registry, "cancelled", "questions that no page was waiting for any more", counts.cancelled::sum);
        counter(registry, "refused", "requests refused", refused);
        counter(registry, "work.seconds", "time spent answering", () -> counts.workNanos.sum() * 1e-9);
        gauge(registry, "waiting", "questions queued", () -> questions.open(false));
        gauge(registry, "running", "questions being answered", () -> questions.open(true));
    }

    private void counter(MeterRegistry registry, String name, String meaning, DoubleSupplier value) {
        // The registry holds a weak reference: the questions live as long as the server.
        FunctionCounter.builder(PREFIX + name, questions, all -> value.getAsDouble())
                .description(meaning)
                .register(registry);
    }

    private static void gauge(MeterRegistry registry, String name, String meaning, DoubleSupplier value) {
        Gauge.builder(PREFIX + name, value::getAsDouble).description(meaning).register(registry);
    }
}

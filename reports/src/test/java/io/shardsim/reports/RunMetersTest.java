package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class RunMetersTest {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RunMeters meters = new RunMeters();

    @Test
    void countsWhatRunsDid() {
        meters.bindTo(registry);
        RunResult run = SampleRuns.named("MiCS");
        meters.finished(run);
        meters.finished(run);
        assertThat(value("shardsim.runs", "")).isEqualTo(2);
        assertThat(value("shardsim.events", "")).isEqualTo(2.0 * run.effort().executedEvents());
        assertThat(value("shardsim.events.simulated", ""))
                .isEqualTo(2.0 * run.effort().simulatedEvents());
        assertThat(value("shardsim.queue.length.max", ""))
                .isEqualTo(run.effort().pendingEventsMax())
                .isPositive();
        LinkUse nic = run.network().links().get(2);
        assertThat(value("shardsim.link.bytes", "class=nic")).isEqualTo(2.0 * nic.bytes());
        assertThat(value("shardsim.link.utilization", "class=nic")).isEqualTo(nic.utilization());
        assertThat(value("shardsim.gpu.busy", "")).isEqualTo(run.step().computeBusy());
        assertThat(value("shardsim.gpu.memory.peak", ""))
                .isEqualTo(run.facts().ledger().peakBytes());
        assertThat(value("shardsim.gpu.memory.utilization", ""))
                .isEqualTo((double) run.facts().ledger().peakBytes()
                        / run.facts().ledger().capacityBytes());
    }

    @Test
    void noMeterIsTaggedByRank() {
        meters.bindTo(registry);
        meters.finished(SampleRuns.named("MiCS"));
        assertThat(RunMeters.readings(registry))
                .hasSizeLessThan(30)
                .allSatisfy(reading -> assertThat(reading.meaning()).isNotEmpty());
    }

    private double value(String name, String tags) {
        return RunMeters.readings(registry).stream()
                .filter(reading -> reading.name().equals(name) && reading.tags().equals(tags))
                .findFirst()
                .orElseThrow(() -> new AssertionError(name))
                .value();
    }
}

package io.shardsim.scenarios.composition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.shardsim.reports.RunFacts;
import io.shardsim.scenarios.reference.ReferenceCase;
import io.shardsim.scenarios.reference.ReferenceCases;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That the memory ledger lets published runs fit, for they ran, and finds in them what was measured. */
class PublishedRunsFitTest {
    /** Sources that give the micro-batch of every run and none of whose states are elsewhere. */
    private static final Set<String> COMPLETE = Set.of("llm-foundry", "fms-fsdp", "torchtitan", "vtrain-single-node");

    @Test
    void whatRanFits() {
        List<ReferenceCase> ran = ReferenceCases.builtIn().stream()
                .filter(one -> COMPLETE.contains(one.family()))
                .toList();
        assertThat(ran).hasSizeGreaterThan(90);
        assertThat(ran.stream()
                        .filter(one -> !PointSimulation.fits(one.point()))
                        .map(ReferenceCase::id))
                .isEmpty();
    }

    /** Largest reserved memory as torchtitan logs it [GiB] (benchmarks/llama3_h100_202412_torchtitan.md, tables 1 and 3). */
    @ParameterizedTest
    @CsvSource({
        "TT-H100-8-eager, 82.4",
        "TT-H100-8-compile, 77.0",
        "TT-H100-128-eager, 67.0",
        "TT-H100-128-compile, 62.0"
    })
    void peakIsWhatWasMeasured(String id, double gib) throws InterruptedException {
        long peak = facts(id).ledger().peakBytes();
        assertThat(peak / (double) (1 << 30)).isCloseTo(gib, withinPercentage(3));
    }

    @Test
    void aRunThatFillsItsMemoryIsWarnedOf() throws InterruptedException {
        assertThat(facts("LLMF-1b-a100_40gb-32-s2048-mb10").warnings())
                .as("published 19 %% slower than with twice the GPUs and less on each")
                .anyMatch(warning -> warning.startsWith("memory is 93 % full"));
        assertThat(facts("LLMF-1b-a100_40gb-16-s2048-mb8").warnings()).isEmpty();
    }

    private static RunFacts facts(String id) throws InterruptedException {
        ReferenceCase ran = ReferenceCases.builtIn().stream()
                .filter(one -> one.id().equals(id))
                .findAny()
                .orElseThrow();
        try (PointSimulation simulation = new PointSimulation(1, true)) {
            return simulation.run(ran.point()).facts();
        }
    }
}

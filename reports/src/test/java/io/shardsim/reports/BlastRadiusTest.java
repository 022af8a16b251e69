package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BlastRadiusTest {
    @Test
    void whatIsShorterWithFaultsIsNoCost() {
        assertThat(new BlastRadius(2_000_000_000L, List.of()).sentence())
                .isEqualTo("Blast radius: none, the faults cost 2.00 ms a step.");
        assertThat(new BlastRadius(-2_000_000_000L, List.of()).sentence())
                .startsWith("Blast radius: none, a step takes 2.00 ms less with the faults; ");
    }
}

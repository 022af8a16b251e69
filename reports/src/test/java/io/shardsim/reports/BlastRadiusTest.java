package io.shardsim.reports;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class BlastRadiusTest {
    @Test
    void whatIsShorterWithFaultsIsNoCost() {
        assertThat(new BlastRadius(2_000_000_000L, List.of()).sentence()).isEqualTo("The faults cost 2.00 ms.");
        assertThat(new BlastRadius(-2_000_000_000L, List.of()).sentence())
                .startsWith("With the faults it takes 2.00 ms less; ");
    }
}

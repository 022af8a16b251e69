package io.shardsim.simulator.compute;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.workload.ModelShape;
import org.junit.jupiter.api.Test;

/** Flops of five iterations on m x n matrices, m at most n: 5 (4 m^2 n + 2 m^3) each (KellerJordan/Muon, zeropower_via_newtonschulz5). */
class NewtonSchulzTest {
    private static double closed(double m, double n) {
        return 5 * (4 * m * m * n + 2 * m * m * m);
    }

    @Test
    void aLayerOfGpt2HasFourMatrices() {
        double h = 1024;
        NewtonSchulz all = new NewtonSchulz(ModelShape.gpt2(1024, 24, 16, 50257, 1024), 5);
        assertThat(all.flops()).isEqualTo(24 * (closed(h, 3 * h) + closed(h, h) + 2 * closed(h, 4 * h)));
        assertThat(all.launches()).isEqualTo(24 * 4 * 5 * 3);
    }
}

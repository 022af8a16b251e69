package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code catalog} as somebody asks it where a figure comes from. */
class CatalogCommandTest {
    private final Shell shell = new Shell(Main.services());

    @Test
    void catalogShowsEveryFigureWithItsSource() {
        shell.shardsim("catalog", "instances", "p4d.24xlarge");
        assertThat(shell.out().replaceAll("\\s+", " "))
                .contains("nic: 100 Gbit/s")
                .contains("nic_effective:")
                .contains("p4d.24xlarge: Amazon EC2 p4d.24xlarge");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "compute | matmul_wave: 447.3 ns, prologue of one wave of tiles [CalibrateMatmul on gemm_h100.csv",
                "nccl | base_simple: 25.9 us, time from a rank's stream reaching a collective to its first step, Simple [CalibrateNccl",
                "networks | step_simple: 90 us, from the last bit leaving the NIC",
                "frameworks | modules: transformers, an entry of modules [",
                "modules | loss_forward: 38 B, 8 kernels, cross entropy, of a logit",
                "toolchains | flash_rate_ratio: {others 1.0, hopper 1.62, blackwell 3.11, b300 3.4, gb300 3.4}",
                "optimizers | optimizer: 28 B, 1 kernel, the update, of a parameter",
                "optimizer-libraries | optimizer: 30 B, 1 kernel, the update, of a parameter",
                "smddp | message: 1 MiB, maximum message size (not published",
                "schedules | 1f1b: pipeline schedule [arXiv:2104.04473",
                "collectives | all_gather [NCCL"
            })
    void catalogShowsTheConstantsBehindIt(String kind, String shown) {
        assertThat(shell.shardsim("catalog", kind)).isZero();
        assertThat(shell.out().replaceAll("\\s+", " ")).contains(shown);
    }

    @Test
    void catalogFindsEntriesByTheirName() {
        assertThat(shell.shardsim("catalog", "hopper")).isZero();
        assertThat(shell.out().lines().filter(line -> !line.startsWith(" ")))
                .containsExactly(
                        "architectures",
                        "hopper: NVIDIA Hopper (H100, H200), compute capability 9.0",
                        "compute",
                        "hopper: NVIDIA H100 and H200, kernel times",
                        "nccl",
                        "hopper: NCCL on NVIDIA H100 and H200");
    }

    @Test
    void catalogFindsHardwareByItsVendorsName() {
        assertThat(shell.shardsim("catalog", "NVIDIA H100 80GB HBM3")).isZero();
        assertThat(shell.shardsim("catalog", "instances", "Standard_ND96isr_H100_v5"))
                .isZero();
        assertThat(shell.out().lines())
                .contains("h100-80gb: NVIDIA H100 SXM5 80 GB")
                .anyMatch(line -> line.startsWith("nd-h100-v5: Azure ND H100 v5"));
        assertThat(shell.shardsim("catalog", "gpus", "A100")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("did you mean a100-40gb or a100-80gb?");
    }

    @Test
    void catalogTellsASourceOnceThatAllFiguresShare() {
        shell.shardsim("catalog", "models", "llama2-7b");
        assertThat(shell.out().replaceAll("\\s+", " "))
                .containsOnlyOnce("arXiv:2307.09288")
                .contains("hidden: 4096 layers: 32");
    }
}

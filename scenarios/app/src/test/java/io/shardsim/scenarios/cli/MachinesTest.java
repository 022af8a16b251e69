package io.shardsim.scenarios.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.app.Main;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.Machines;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.topology.InstanceSpec;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every machine of the catalog, whoever adds it. */
class MachinesTest {
    private final Shell shell = new Shell(Main.services());

    @TempDir
    private Path reports;

    static Stream<String> instances() {
        return Catalog.instanceNames().stream();
    }

    @ParameterizedTest
    @MethodSource("instances")
    @Tag("slow")
    void everyInstanceRunsAScenarioOfTheLibrary(String name) {
        InstanceSpec instance = Objects.requireNonNull(Catalog.instance(name)).spec();
        int status = shell.shardsim(
                "run",
                "library/zero-stages.yaml",
                "--set=strategy.kind=zero1",
                "--set=cluster.instance=" + name,
                "--set=training.global_batch=" + 8 * instance.gpusPerNode(),
                "--set=training.precision=fp16",
                "--no-trials",
                "--out",
                reports.toString());
        assertThat(shell.err()).isEmpty();
        assertThat(status).isEqualTo(ExitStatus.DONE);
        assertThat(shell.out()).contains(" GPUs of", "samples/s");
        String remark = GpuCalibration.of(instance.gpu()).range().remark();
        assertThat(shell.out().contains("warning kernel-times")).isEqualTo(!remark.isEmpty());
    }

    @Test
    void tablesFitATerminal() {
        for (String kind : List.of("instances", "gpus", "prices")) {
            assertThat(shell.shardsim("catalog", kind)).isZero();
        }
        assertThat(shell.out().lines()).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }

    @Test
    void pricesAreListedByAge() {
        List<List<String>> old = Machines.prices(LocalDate.of(2026, 11, 27), 400, "");
        assertThat(old).contains(List.of("p5e.48xlarge", "43.26", "2024-12", "726"));
        assertThat(Machines.prices(LocalDate.of(2026, 11, 27), 90, ""))
                .contains(List.of("a3-highgpu-8g one_year", "61.38", "2026-07-30", "120"));
        assertThat(old).noneSatisfy(row -> assertThat(row.get(0)).isEqualTo("p3.16xlarge"));
        assertThat(shell.shardsim("catalog", "prices", "--older-than", "99999d"))
                .isZero();
        assertThat(shell.out()).startsWith("No price is older than 99999d ago.\n");
        assertThat(shell.shardsim("catalog", "prices", "p5.48xlarge")).isZero();
        assertThat(shell.out()).contains("\np5.48xlarge").doesNotContain("p4d");
        assertThat(shell.shardsim("catalog", "prices", "p5.48xlarg")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("no price of p5.48xlarg; did you mean p5.48xlarge?");
        assertThat(shell.shardsim("catalog", "prices", "--older-than", "3")).isEqualTo(ExitStatus.USAGE);
        assertThat(shell.err()).contains("write catalog prices --older-than 90d");
    }
}

package io.shardsim.simulator.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.shardsim.simulator.collective.nccl.NcclCatalog;
import io.shardsim.simulator.collective.smddp.SmddpTransportModel;
import io.shardsim.simulator.compute.GpuCalibration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of every file of constants. */
class ConstantsTest {
    record Entry(FigureFolder folder, String name) {
        @Override
        public String toString() {
            return folder.path(name);
        }
    }

    static Stream<Entry> entries() {
        return Stream.of(
                        GpuCalibration.FAMILIES,
                        NcclCatalog.GPUS,
                        NcclCatalog.NETWORKS,
                        NcclCatalog.TUNERS,
                        SmddpTransportModel.CONSTANTS)
                .flatMap(folder -> folder.names().stream().map(name -> new Entry(folder, name)));
    }

    @ParameterizedTest
    @MethodSource("entries")
    void everyConstantHasASourceAndADate(Entry entry) {
        assertThat(entry.folder().named(entry.name()).title()).isNotBlank();
        List<Figure> figures = entry.folder().figures(entry.name());
        assertThat(figures).isNotEmpty();
        for (Figure figure : figures) {
            assertThat(figure.source()).as(figure.key()).hasSizeGreaterThan(10);
            assertThat(figure.date()).as(figure.key()).matches("\\d{4}(-\\d{2}(-\\d{2})?)?");
            assertThat(figure.text()).as(figure.key()).isNotBlank();
        }
    }

    @ParameterizedTest
    @MethodSource("families")
    void everyFamilyOfKernelTimesIsPlausible(String family) {
        GpuCalibration calibration = GpuCalibration.named(family);
        assertThat(calibration.matmul().rate()).isBetween(0.3, 1.0);
        assertThat(calibration.matmul().wave().tiles())
                .isNotEmpty()
                .allSatisfy(tile -> assertThat(tile.rows() * tile.columns()).isBetween(1024, 65536));
        assertThat(calibration.matmul().split().parts()).contains(1);
        assertThat(calibration.memoryBound().fixedPs()).isBetween(500_000L, 10_000_000L);
        assertThat(calibration.range().tokensMost())
                .isGreaterThan(calibration.range().tokensLeast());
    }

    static Stream<String> families() {
        return GpuCalibration.FAMILIES.names().stream();
    }

    /** Every network names an existing plugin and has its steps. */
    @Test
    void everyNetworkSaysWhatItsProtocolsTake() {
        for (String name : NcclCatalog.NETWORKS.names()) {
            FigureFile network = NcclCatalog.NETWORKS.named(name);
            for (String protocol : network.<String>list("protocols")) {
                String key = protocol.toLowerCase(Locale.ROOT);
                assertThat(network.has("step_" + key) || network.has("step_beyond_nic_" + key))
                        .as(name + " " + protocol)
                        .isTrue();
            }
            assertThat(network.has("eager")).isEqualTo(network.has("rendezvous"));
            assertThatCode(() -> {
                        if (network.has("tuner_plugin")) {
                            NcclCatalog.TUNERS.named(network.word("tuner_plugin"));
                        }
                    })
                    .doesNotThrowAnyException();
        }
    }
}

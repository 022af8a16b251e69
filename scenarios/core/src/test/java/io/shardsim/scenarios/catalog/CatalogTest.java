package io.shardsim.scenarios.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.Router;
import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The contract of every catalog file. */
class CatalogTest {

    static Stream<CatalogEntry<?>> entries() {
        List<CatalogEntry<?>> entries = new ArrayList<>();
        Catalog.gpuNames().forEach(name -> entries.add(Catalog.gpu(name)));
        Catalog.instanceNames().forEach(name -> entries.add(Catalog.instance(name)));
        Catalog.modelNames().forEach(name -> entries.add(Catalog.model(name)));
        return entries.stream();
    }

    @ParameterizedTest
    @MethodSource("entries")
    void everyFigureHasASourceAndADateThatIsNotInTheFuture(CatalogEntry<?> entry) {
        assertThat(entry.title()).isNotBlank();
        assertThat(entry.figures()).hasSizeGreaterThanOrEqualTo(6);
        for (Figure figure : entry.figures()) {
            assertThat(figure.source()).as(entry.name() + "." + figure.key()).hasSizeGreaterThan(10);
            assertThat(figure.date()).as(entry.name() + "." + figure.key()).matches("\\d{4}(-\\d{2}(-\\d{2})?)?");
            assertThat(figure.text()).as(entry.name() + "." + figure.key()).isNotBlank();
        }
    }

    static Stream<GpuSpec> gpus() {
        return Catalog.gpuNames().stream()
                .map(name -> Objects.requireNonNull(Catalog.gpu(name)).spec());
    }

    @ParameterizedTest
    @MethodSource("gpus")
    void gpusAreOfTheSizeOfGpus(GpuSpec gpu) {
        assertThat(gpu.memoryBytes()).isBetween(8L << 30, 1L << 40);
        assertThat(gpu.memoryBandwidth().bytesPerSecond()).isBetween(100_000_000_000L, 20_000_000_000_000L);
        assertThat(gpu.peakHalfFlopsPerSecond()).isBetween(1e13, 1e16);
        assertThat(gpu.peakSingleFlopsPerSecond()).isBetween(1e12, gpu.peakHalfFlopsPerSecond());
        assertThat(gpu.boostClockHz()).isBetween(500_000_000L, 4_000_000_000L);
    }

    /** A file that extends another vendor's would inherit its price. */
    @ParameterizedTest
    @MethodSource("instances")
    void noPriceIsThatOfAnotherInstance(InstanceSpec instance) {
        assertThat(Catalog.prices().containsKey(instance.name()))
                .isEqualTo(!Double.isNaN(instance.price().usdPerHour()));
    }

    @Test
    void commitmentsCostLess() {
        Catalog.prices().forEach((key, price) -> {
            String instance = key.split(" ")[0];
            assertThat(price.date()).as(key).matches("20\\d\\d(-\\d\\d){0,2}");
            if (!key.equals(instance)) {
                Figure demand = Objects.requireNonNull(Catalog.prices().get(instance), key);
                assertThat((Double) price.value()).as(key).isLessThan((Double) demand.value());
            }
        });
        assertThat(Catalog.prices()).containsKeys("a3-highgpu-8g one_year", "a3-highgpu-8g three_years");
    }

    /** A custom price is not an on-demand price; if none is known, the terms say how to set one. */
    @Test
    void aPriceSaysOnWhatTermsItIsPaid() {
        assertThat(terms("p4d.24xlarge", Map.of())).isEqualTo("on demand");
        assertThat(terms("p4d.24xlarge", Map.of("price", 30.0))).isEqualTo("at your price");
        assertThat(terms("8x-rtx-3090", Map.of("price", 3.0))).isEqualTo("at your price");
        assertThat(terms("8x-rtx-3090", Map.of())).startsWith("at an unknown price (write money: {price: ");
    }

    private static String terms(String instance, Map<String, Object> changed) {
        return Objects.requireNonNull(Catalog.instance(instance, changed))
                .spec()
                .price()
                .terms();
    }

    /** The instance that supplies links and host for a scenario that names only the GPU. */
    @ParameterizedTest
    @MethodSource("gpus")
    void gpusComeInAServerOfTheCatalog(GpuSpec gpu) {
        assertThat(Catalog.instance(Catalog.usualServer(gpu))).isNotNull();
    }

    @ParameterizedTest
    @MethodSource("gpus")
    void tensorPeakIsAWholeNumberOfFlopsAClockAndMultiprocessor(GpuSpec gpu) {
        double flopsPerClock = gpu.peakHalfFlopsPerSecond() / gpu.boostClockHz() / gpu.smCount();
        double power = Math.pow(2, Math.round(Math.log(flopsPerClock) / Math.log(2)));
        assertThat(flopsPerClock / power).isCloseTo(1.0, within(0.01));
    }

    /** Names as written by people, {@code nvidia-smi}, Kubernetes and Google Cloud. */
    @ParameterizedTest
    @CsvSource({
        "h100, h100-80gb",
        "H100 SXM, h100-80gb",
        "NVIDIA H100 80GB HBM3, h100-80gb",
        "A100 80GB, a100-80gb",
        "NVIDIA A100-SXM4-40GB, a100-40gb",
        "Tesla V100-SXM2-32GB, v100-32gb",
        "NVIDIA H200, h200",
        "NVIDIA GeForce RTX 4090, rtx-4090",
        "RTX3090, rtx-3090",
        "Tesla T4, t4",
        "nvidia-tesla-t4, t4",
        "NVIDIA-H100-80GB-HBM3, h100-80gb",
        "NVIDIA A800-SXM4-80GB, a800",
        "NVIDIA GH200 480GB, gh200"
    })
    void gpusAreFoundByOtherNames(String called, String name) {
        assertThat(Objects.requireNonNull(Catalog.gpu(called)).name()).isEqualTo(name);
    }

    @ParameterizedTest
    @CsvSource({
        "Standard_ND96isr_H100_v5, nd-h100-v5",
        "ND96asr_v4, nd-a100-v4",
        "BM.GPU.H100.8, bm.gpu.h100.8",
        "ml.p5.48xlarge, p5.48xlarge",
        "gd-8xh100ib-i128, coreweave-8x-h100",
        "DGX H100, dgx-h100",
        "dgx1, dgx-1"
    })
    void instancesAreFoundByOtherNames(String called, String name) {
        assertThat(Objects.requireNonNull(Catalog.instance(called)).name()).isEqualTo(name);
    }

    @Test
    void noNameIsThatOfTwoEntries() {
        for (FigureFolder folder : List.of(Catalog.GPUS, Catalog.INSTANCES)) {
            List<String> all = folder.names().stream()
                    .flatMap(name -> Stream.concat(Stream.of(name), folder.named(name).also().stream()))
                    .map(FigureFolder::folded)
                    .toList();
            assertThat(all).doesNotHaveDuplicates();
        }
    }

    static Stream<InstanceSpec> instances() {
        return Catalog.instanceNames().stream()
                .map(name -> Objects.requireNonNull(Catalog.instance(name)).spec());
    }

    @ParameterizedTest
    @MethodSource("instances")
    void instancesSustainLessThanTheirLineRates(InstanceSpec instance) {
        assertThat(instance.nic().effectiveRate())
                .isLessThanOrEqualTo(instance.nic().lineRate());
        assertThat(instance.pcie().switches()).isLessThanOrEqualTo(instance.gpusPerNode());
        boolean listed = !Double.isNaN(instance.price().usdPerHour());
        assertThat(instance.price().asOf().isBlank()).isEqualTo(!listed);
        if (listed) {
            assertThat(instance.price().usdPerHour()).isBetween(1.0, 1000.0);
        }
        // Without NVLink and peer access, GPUs share the link with the copy in host memory.
        assertThat(instance.intraNode().perGpuRate().bytesPerSecond())
                .isGreaterThanOrEqualTo(instance.pcie().linkRate().bytesPerSecond() / 2);
    }

    @ParameterizedTest
    @MethodSource("instances")
    void everyInstanceCanBeRouted(InstanceSpec instance) {
        int trays = instance.fabric().nodesPerDomain();
        Router router = new Router(new Cluster(instance, 2 * trays));
        assertThat(router.route(0, trays * instance.gpusPerNode(), 0).latencyPs())
                .isBetween(instance.nic().latencyPs(), instance.nic().latencyPs() + 10_000_000L);
    }

    @Test
    void gpusThatNoNvLinkJoinsReachEachOtherByPcie() {
        InstanceSpec p3dn =
                Objects.requireNonNull(Catalog.instance("p3dn.24xlarge")).spec();
        double byPcie = (double) p3dn.pcie().linkRate().bytesPerSecond()
                / p3dn.intraNode().perGpuRate().bytesPerSecond();
        assertThat(p3dn.nvLinkShare(new int[] {0, 5})).isEqualTo(byPcie);
        assertThat(p3dn.nvLinkShare(new int[] {0, 1})).isGreaterThan(byPcie);
        assertThat(p3dn.nvLinkShare(new int[] {0})).isOne();
    }

    /** Published sizes, each within one percent; gpt2-10b is assumed to have the size in its name. */
    @ParameterizedTest
    @CsvSource({
        "gpt2-30b, 29.97e9, 0.001",
        "gpt2-10b, 10e9, 0.02",
        "gpt2-1.5b, 1.558e9, 0.001",
        "gpt3-175b, 175e9, 0.005",
        "gpt3-13b, 13e9, 0.02",
        "gpt3-1t, 1008e9, 0.002",
        "llama-7b, 6.738e9, 0.001",
        "llama2-7b, 6.738e9, 0.001",
        "llama2-13b, 13.016e9, 0.001",
        "llama2-70b, 68.977e9, 0.001",
        "llama3-8b, 8.030e9, 0.001",
        "llama3-70b, 70.554e9, 0.001",
        "llama3-405b, 405.9e9, 0.001",
        "mistral-7b, 7.242e9, 0.001",
        "qwen3-8b, 8.191e9, 0.001",
        "qwen3-32b, 32.762e9, 0.001",
        "bert-base, 110.107e6, 0.001",
        "bert-large, 336.226e6, 0.001",
        "roberta-large, 355.412e6, 0.001",
        "gpt-oss-20b, 20.915e9, 0.005",
        "gpt-oss-120b, 116.83e9, 0.005",
        "vit-b, 86.57e6, 0.001",
        "vit-l, 304.3e6, 0.001",
        "vit-h, 632.0e6, 0.001",
        "vit-g, 1.0126e9, 0.001",
        "resnet-50, 25.557e6, 0.001",
        "resnet-101, 44.549e6, 0.001",
        "resnet-152, 60.193e6, 0.001",
        "wide-resnet-50, 68.883e6, 0.001",
        "bert-4b, 3.86e9, 0.005",
        "t5-small, 60.507e6, 0.001",
        "t5-base, 222.904e6, 0.001",
        "t5-large, 737.668e6, 0.001",
        "t5-3b, 2851.598e6, 0.001",
        "t5-11b, 11307.321e6, 0.001",
        "flan-t5-xxl, 11135.332e6, 0.001",
        "mixtral-8x7b, 46.703e9, 0.001",
        "mixtral-8x22b, 140.63e9, 0.001",
        "qwen3-30b-a3b, 30.532e9, 0.001",
        "qwen3-235b-a22b, 235.094e9, 0.001",
        "olmoe-1b-7b, 6.919e9, 0.001",
        "llama4-scout, 107.770e9, 0.001",
        "deepseek-v2-lite, 15.706e9, 0.001",
        "deepseek-v3, 671.026e9, 0.001",
        "kimi-k2, 1026.408e9, 0.001"
    })
    void modelsHaveTheirPublishedNumberOfParameters(String name, double parameters, double tolerance) {
        ModelShape shape = Objects.requireNonNull(Catalog.model(name)).spec();
        assertThat(shape.parameters() / parameters).isCloseTo(1.0, within(tolerance));
    }

    /** DeepSeek-V3's checkpoint of 684.5 B holds one module of 11.6 B, and copies of the embedding and of the head for it. */
    @Test
    void aPredictionModuleCompletesDeepSeekV3() {
        ModelShape main = Objects.requireNonNull(Catalog.model("deepseek-v3")).spec();
        double whole = main.withMtpLayers(1).parameters();
        assertThat((whole - main.parameters()) / 11.6e9).isCloseTo(1.0, within(0.005));
        assertThat((whole + 2.0 * 129_280 * 7168) / 684.5e9).isCloseTo(1.0, within(0.0005));
    }

    /** Published active parameters, including the token lookup. */
    @ParameterizedTest
    @CsvSource({
        "mixtral-8x7b, 12.9e9",
        "mixtral-8x22b, 39.15e9",
        "qwen3-30b-a3b, 3.35e9",
        "qwen3-235b-a22b, 22.2e9",
        "olmoe-1b-7b, 1.28e9",
        "llama4-scout, 17.17e9",
        "deepseek-v2-lite, 2.66e9",
        "deepseek-v3, 37.55e9",
        "kimi-k2, 32.86e9"
    })
    void aTokenGoesThroughThePublishedNumberOfParameters(String name, double active) {
        ModelShape shape = Objects.requireNonNull(Catalog.model(name)).spec();
        assertThat(shape.activeParameters() / active).isCloseTo(1.0, within(0.005));
    }

    @Test
    void unknownNamesAreAbsentAndLeaveTheDirectoryAlone() {
        assertThat(Catalog.instance("p9.48xlarge")).isNull();
        assertThat(Catalog.gpu("../instances/p4d.24xlarge")).isNull();
        assertThat(Catalog.model("")).isNull();
    }

    @Test
    void changedLineRateKeepsTheProportionOfPayload() {
        InstanceSpec changed = Objects.requireNonNull(Catalog.instance("p4d.24xlarge", Map.of("nic", 25_000_000_000L)))
                .spec();
        assertThat(changed.nic().lineRate()).isEqualTo(Bandwidth.parse("200 Gbit/s"));
        assertThat(changed.nic().effectiveRate()).isEqualTo(Bandwidth.parse("23.4 GB/s"));
    }
}

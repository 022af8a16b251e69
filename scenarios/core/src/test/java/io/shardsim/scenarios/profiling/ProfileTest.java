package io.shardsim.scenarios.profiling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.evaluation.RunOptions;
import io.shardsim.scenarios.evaluation.Traces;
import io.shardsim.scenarios.profiling.KernelNames.KernelClass;
import io.shardsim.scenarios.profiling.KernelNames.Kind;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A profile of a step is read, split, and set beside the simulated one. */
class ProfileTest {
    private static final String TRAINING = """
            scenario: profiled
            model: {hidden: 1024, layers: 6, heads: 16, ffn: 4096, vocab: 4096}
            cluster: {instance: p4d.24xlarge, nodes: 2}
            training: {sequence_length: 512, global_batch: 64, micro_batch: 1, precision: bf16, activation_checkpointing: full}
            strategy: {%s}
            """;
    /** Three steps of a rank, the second with a gap before its last kernel; launches run ahead of the GPU. */
    private static final String KINETO = """
            {"schemaVersion": 1, "distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}, "traceEvents": [
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#7", "ts": 100, "dur": 50, "pid": 1, "tid": 1},
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#8", "ts": 150, "dur": 50, "pid": 1, "tid": 1},
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#9", "ts": 200, "dur": 50, "pid": 1, "tid": 1},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 110, "dur": 1, "args": {"correlation": 1}},
            {"ph": "X", "cat": "kernel", "name": "ampere_bf16_s16816gemm_tn", "ts": 160, "dur": 30, "args": {"stream": 7, "correlation": 1}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 155, "dur": 1, "args": {"correlation": 2}},
            {"ph": "X", "cat": "kernel", "name": "flash_fwd_kernel", "ts": 200.5, "dur": 20.25, "args": {"stream": 7, "correlation": 2}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "ts": 156, "dur": 1, "args": {"correlation": 3}},
            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "ts": 210.5, "dur": 20,
             "args": {"stream": 20, "correlation": 3, "In msg nelems": 1000, "Out msg nelems": 8000, "dtype": "BFloat16"}},
            {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pinned -> Device)", "ts": 228.5, "dur": 4,
             "args": {"stream": 21, "correlation": 4, "bytes": 4096}},
            {"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "ts": 228.5, "dur": 9, "args": {"stream": 7, "correlation": 9}},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 205, "dur": 1, "args": {"correlation": 5}},
            {"ph": "X", "cat": "kernel", "name": "multi_tensor_apply_kernel", "ts": 240.5, "dur": 5, "args": {"stream": 7, "correlation": 5}}
            ]}
            """;

    @TempDir
    Path folder;

    private static ScenarioPoint point(String strategy) throws InputException {
        return ScenarioReader.readText("profiled", TRAINING.formatted(strategy))
                .points()
                .get(0);
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kind: zero3|3",
                "kind: mics, shard_group: 8|9",
                "kind: megatron-core, tensor_parallel: 2, pipeline_parallel: 2|12"
            })
    void profileOfARunIsEqualToItsScenario(String strategy, int rank) throws Exception {
        Path file = folder.resolve("own.json");
        RunResult written = Traces.profile(point(strategy), rank, new RunOptions(1, true), file);
        ProfileComparison comparison = Objects.requireNonNull(
                new ProfileComparer().compare(List.of(file.toString()), "own.yaml", point(strategy)));

        assertThat(comparison.theirs()).isEqualTo(comparison.simulated());
        assertThat(comparison.parts())
                .allSatisfy(part -> assertThat(part.longerNs()).as(part.name()).isZero());
        assertThat(comparison.traced()).isEqualTo(comparison.simulated().split());
        assertThat(comparison.traced().stepNs())
                .isEqualTo(Math.round(written.step().stepSeconds() * 1e9));
        assertThat(ProfileText.write(comparison, 100)).doesNotContain("Largest difference", "Only the");
    }

    /** A profile's kernels so many times one after another, on a step that it does not name. */
    private static Profile repeated(Profile step, int times, String added) {
        List<Profile.Kernel> kernels = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            long later = i * step.stepNs();
            step.kernels()
                    .forEach(kernel -> kernels.add(new Profile.Kernel(
                            kernel.label(), kernel.startNs() + later, kernel.endNs() + later, kernel.bytes())));
        }
        long endNs = step.startNs() + times * step.stepNs();
        if (!added.isEmpty()) {
            add(kernels, endNs - 1, 1, added);
        }
        kernels.sort(Comparator.comparingLong(Profile.Kernel::startNs));
        return new Profile(step.rank(), Profile.WHOLE, step.startNs(), endNs, kernels);
    }

    @Test
    void stepsWithoutNamesAreFoundByRepetition() throws Exception {
        Path file = folder.resolve("own.json");
        Traces.profile(point("kind: zero3"), 0, new RunOptions(1, true), file);
        Profile step = ProfileReader.read(file.toString());
        StepSplit split = StepSplit.of(step);
        for (int times = 2; times < 5; times++) {
            Repetition found = Repetition.of(repeated(step, times, ""), split);
            assertThat(found.times()).isEqualTo(times);
            assertThat(found.step().step()).startsWith("step ").endsWith(" of " + times + ", found by repetition");
            assertThat(StepSplit.of(found.step()).collectives()).isEqualTo(split.collectives());
            assertThat(found.step().stepNs()).isCloseTo(step.stepNs(), withinPercentage(2));
        }
        Profile odd = repeated(step, 3, "gemm");
        assertThat(Repetition.of(odd, split)).isEqualTo(new Repetition(odd, 3));
        Profile further = repeated(step, 3, "ncclDevKernel_AllGather_RING_LL");
        assertThat(Repetition.of(further, split)).as("no multiple").isEqualTo(new Repetition(further, 1));
    }

    /** Three steps without names, one of which has a kernel more; times in nanoseconds. */
    @Test
    void severalStepsAndAnotherUnitAreDoubted() throws Exception {
        Path own = folder.resolve("own.json");
        Traces.profile(point("kind: zero3"), 0, new RunOptions(1, true), own);
        Profile odd = repeated(ProfileReader.read(own.toString()), 3, "gemm");
        StringBuilder events = new StringBuilder();
        for (Profile.Kernel kernel : odd.kernels()) {
            events.append(events.isEmpty() ? "" : ",\n").append("""
                    {"ph": "X", "cat": "kernel", "name": "%s", "ts": %d, "dur": %d, "args": {"stream": "%s"}}
                    """.formatted(
                            kernel.label().name(), kernel.startNs(), kernel.ns(), kernel.label().stream()));
        }
        String trace = file("trace.json", "{\"traceEvents\": [" + events + "]}").toString();
        ProfileComparison comparison =
                Objects.requireNonNull(new ProfileComparer().compare(List.of(trace), "own.yaml", point("kind: zero3")));
        assertThat(comparison.doubts())
                .anyMatch(doubt -> doubt.startsWith("The trace names no step and has 3 times the collectives"));
        assertThat(ProfileText.write(comparison, 400)).contains("it may show 3 steps. Call step()");

        String once = file(
                        "once.json",
                        Pattern.compile("\"(ts|dur)\": ?([0-9.]+)")
                                .matcher(Files.readString(own))
                                .replaceAll(time -> "\"" + time.group(1) + "\": "
                                        + new BigDecimal(time.group(2))
                                                .movePointRight(3)
                                                .toBigInteger()))
                .toString();
        ProfileComparison unit =
                Objects.requireNonNull(new ProfileComparer().compare(List.of(once), "own.yaml", point("kind: zero3")));
        assertThat(unit.doubts())
                .containsExactly("The trace's step takes 1,000 times as long as the simulated one: its times look like "
                        + "nanoseconds, and are read as microseconds.");
    }

    @Test
    void pageSaysWhereNothingDiffersAndWhoIsLate() throws Exception {
        Path own = folder.resolve("own.json");
        Traces.profile(point("kind: zero3"), 0, new RunOptions(1, true), own);
        ProfileComparer comparer = new ProfileComparer();
        assertThat(ProfileReport.write(Objects.requireNonNull(
                        comparer.compare(List.of(own.toString()), "own.yaml", point("kind: zero3")))))
                .contains("No part differs by more than ", " % of the step.");
        assertThat(ProfileReport.write(Objects.requireNonNull(comparer.compare(
                        List.of(rank(0, 0, "300@a", "100@a"), rank(1, 500, "100@a", "100@a")),
                        "own.yaml",
                        point("kind: ddp")))))
                .contains("the same rank is late. Rank 1 comes last")
                .doesNotContain("No part differs");
    }

    @Test
    void stepReachesFromItsFirstKernelToTheNextOnes() throws Exception {
        Path zipped = folder.resolve("trace.json.gz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(zipped))) {
            out.write(KINETO.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }
        assertThat(ProfileReader.isMeant(zipped.toString())).isTrue();
        Profile profile = ProfileReader.read(zipped.toString());

        assertThat(profile.rank()).isEqualTo(3);
        assertThat(profile.step()).isEqualTo("ProfilerStep#8");
        StepSplit split = StepSplit.of(profile);
        assertThat(split.stepNs()).isEqualTo(40_000);
        assertThat(split.parts())
                .containsExactly(
                        Map.entry("attention", 20_250L),
                        Map.entry("all-gather", 9_750L),
                        Map.entry("copies to the GPU", 2_000L),
                        Map.entry(StepSplit.IDLE, 8_000L));
        assertThat(split.collectives())
                .containsExactly(Map.entry("all-gather", new StepSplit.Traffic(1, 16_000, 20_000)));
    }

    /** Times of this century have 19 digits. */
    @Test
    void timesCountFromAnyInstant() throws Exception {
        String later = KINETO.replace("\"ts\": ", "\"ts\": 1700000000000");
        assertThat(StepSplit.of(ProfileReader.read(file("later.json", later).toString())))
                .isEqualTo(StepSplit.of(
                        ProfileReader.read(file("early.json", KINETO).toString())));
    }

    @Test
    void whatNamesNoStepCountsAsOne() throws Exception {
        Profile profile = ProfileReader.read(
                file("trace.json", KINETO.replace("ProfilerStep", "Epoch")).toString());
        assertThat(profile.step()).contains("has no ProfilerStep");
        assertThat(profile.stepNs()).isEqualTo(85_500);
    }

    @Test
    void whatIsNoProfileIsRefused() throws Exception {
        Map<String, String> refusals = Map.of(
                KINETO.replace("\"cat\": \"kernel\"", "\"cat\": \"other\"").replace("gpu_memcpy", "other"),
                "has no GPU kernels",
                KINETO.replace("\"cat\": \"kernel\"", "\"cat\": \"other\""),
                "has no GPU kernels",
                KINETO.substring(0, KINETO.length() / 2),
                "cannot be read as a profile",
                "{\"traceEvents\": {}}",
                "has no GPU kernels",
                KINETO.replace("\"ts\": 240.5", "\"ts\": 1e999999999"),
                "cannot be read as a profile",
                KINETO.replace("\"ts\": 160,", "\"ts\": 9223372036854775000,"),
                "cannot be read as a profile");
        for (Map.Entry<String, String> each : refusals.entrySet()) {
            String file = file("broken.json", each.getKey()).toString();
            assertThatThrownBy(() -> ProfileReader.read(file))
                    .isInstanceOf(InputException.class)
                    .hasMessageContaining(each.getValue());
        }
        assertThat(ProfileReader.isMeant(file("results.json", "{\"runs\": []}").toString()))
                .isFalse();
    }

    /** Each nanosecond asks who has it. */
    @Test
    void partsAreThoseOfEachInstant() {
        List<KernelClass> classes = new ArrayList<>();
        for (Kind kind : Kind.values()) {
            classes.addAll(KernelNames.all(kind).subList(0, 2));
        }
        for (int seed = 0; seed < 500; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            List<Profile.Kernel> kernels = new ArrayList<>();
            for (int i = random.nextInt(1, 25); i > 0; i--) {
                long start = random.nextInt(-5, 100);
                kernels.add(new Profile.Kernel(
                        new Profile.Label(classes.get(random.nextInt(classes.size())), "", "", ""),
                        start,
                        start + random.nextInt(40),
                        1));
            }
            kernels.sort(Comparator.comparingLong(Profile.Kernel::startNs));
            Map<String, Long> expected = new HashMap<>();
            for (int ns = 0; ns < 100; ns++) {
                int at = ns;
                String owner = kernels.stream()
                        .filter(kernel -> kernel.startNs() <= at && at < kernel.endNs())
                        .min(Comparator.comparing(kernel -> kernel.of().kind()))
                        .map(kernel -> kernel.of().name())
                        .orElse(StepSplit.IDLE);
                expected.merge(owner, 1L, Long::sum);
            }
            Map<String, Long> parts = new HashMap<>(
                    StepSplit.of(new Profile(0, "", 0, 100, kernels)).parts());
            parts.values().removeIf(ns -> ns == 0);
            assertThat(parts).as("seed %d", seed).isEqualTo(expected);
        }
    }

    private String rank(int rank, int clockUs, String... gathersUs) throws IOException {
        StringBuilder text = new StringBuilder("{\"distributedInfo\": {\"rank\": " + rank + "}, \"traceEvents\": [");
        for (int i = 0; i < gathersUs.length; i++) {
            String[] gather = gathersUs[i].split("@");
            text.append(i == 0 ? "" : ",").append("""
                    {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllGather_RING_LL", "ts": %d, "dur": %s,
                     "args": {"stream": 20, "Process Group Name": "%s", "Process Group Ranks": "[0, 1]", "dtype": "Byte", "Out msg nelems": 1000}}
                    """.formatted(clockUs + 1000 * i, gather[0], gather[1]));
        }
        return file("rank" + rank + ".json", text + "]}").toString();
    }

    private static Arrivals arrivals(String... files) throws InputException {
        return Objects.requireNonNull(new ProfileComparer().compare(List.of(files), "own.yaml", point("kind: ddp")))
                .arrivals();
    }

    /** Clocks differ by seconds. */
    @Test
    void rankWithTheShortestCollectivesIsLate() throws Exception {
        String first = rank(0, 0, "300@a", "100@a", "50@b");
        String second = rank(1, 5_000_000, "100@a", "100.5@a", "60@b");
        String third = rank(2, 9_000_000, "310@a", "102@a", "10@c");
        Arrivals arrivals = arrivals(first, second, third);

        assertThat(arrivals.ranks()).isEqualTo(3);
        assertThat(arrivals.collectives()).isEqualTo(3);
        assertThat(arrivals.late())
                .containsExactly(new Arrivals.Late(1, 1, 210_000, 161_500), new Arrivals.Late(0, 1, 10_000, -189_500));
        assertThat(arrivals.isAlwaysTheSame()).isTrue();
        assertThat(arrivals(first).late()).isEmpty();
        String again = file("again.json", Files.readString(Path.of(second))).toString();
        assertThatThrownBy(() -> arrivals(first, second, again))
                .hasMessageContaining("again.json: is of rank 1, as " + second + " is; give one profile of each rank");
    }

    @Test
    void onlyFolderOfAFolderAndAnArrayOfEventsAreMeant() throws Exception {
        Path inner = Files.createDirectories(folder.resolve("trace/only"));
        String array = KINETO.substring(KINETO.indexOf("[\n"), KINETO.lastIndexOf("}"));
        Path file = Files.writeString(inner.resolve("rank0.json"), array);
        assertThat(ProfileComparer.traces(folder.resolve("trace").toString())).containsExactly(file.toString());
        assertThat(ProfileReader.read(file.toString()).stepNs()).isEqualTo(40_000);
        Files.createDirectories(folder.resolve("trace/other"));
        assertThat(ProfileComparer.traces(folder.resolve("trace").toString())).isEmpty();
    }

    @Test
    void allRanksShowTheStepOfTheFirst() throws Exception {
        String first = file("first.json", KINETO).toString();
        String later = file("later.json", KINETO.replace("Step#", "Step#1").replace("\"rank\": 3", "\"rank\": 4"))
                .toString();
        assertThatThrownBy(() -> arrivals(first, later))
                .hasMessageContaining("has no whole ProfilerStep#8, which the first profile shows");
    }

    /** A step of so many layers and micro-batches, one of whose layers takes four times as long forward. */
    private static Profile layered(int layers, int microBatches, int slow, String... layer) {
        List<Profile.Kernel> kernels = new ArrayList<>();
        long now = 0;
        for (int i = 0; i < microBatches; i++) {
            now = add(kernels, now, 1, "embedding");
            for (int l = 0; l < layers; l++) {
                for (String name : layer) {
                    now = add(kernels, now, l == slow ? 40 : 10, name);
                }
            }
            now = add(kernels, now, 100, "head gemm");
            for (int l = 0; l < layers; l++) {
                for (String name : layer) {
                    now = add(kernels, now, 20, name + " grad");
                }
            }
        }
        return new Profile(0, "", 0, now, kernels);
    }

    private static long add(List<Profile.Kernel> kernels, long startNs, long ns, String name) {
        kernels.add(
                new Profile.Kernel(new Profile.Label(KernelNames.of(name), name, "7", ""), startNs, startNs + ns, 0));
        return startNs + ns;
    }

    @Test
    void layersAreWhatRepeatsItself() {
        for (int microBatches : new int[] {1, 2, 5}) {
            Layers layers = Layers.of(
                    layered(6, microBatches, 4, "gemm a", "gemm a", "gemm a", "norm", "flash_attn", "gemm b"));
            assertThat(layers.forwardNs()).as("%d", microBatches).containsExactly(60L, 60L, 60L, 60L, 240L, 60L);
            assertThat(layers.backwardNs()).containsExactly(120L, 120L, 120L, 120L, 120L, 120L);
            assertThat(Layers.odd(layers.forwardNs())).containsExactly(4);
            assertThat(Layers.odd(layers.backwardNs())).isEmpty();
        }
        assertThat(Layers.of(layered(2, 1, 0, "gemm a", "flash_attn")).forwardNs())
                .isEmpty();
        assertThat(Layers.of(layered(6, 1, 0, "gemm a")).forwardNs()).isEmpty();
    }

    /** The head computes two GEMMs more backward, of the names of a layer's last ones; a layer begins with its recomputation. */
    @Test
    void headIsNoPartOfALayer() {
        List<Profile.Kernel> kernels = new ArrayList<>();
        long now = 0;
        for (int l = 0; l < 6; l++) {
            now = add(kernels, now, 10, "gemm tn");
            now = add(kernels, now, 10, "flash_fwd");
        }
        now = add(kernels, now, 90, "gemm tn");
        now = add(kernels, add(kernels, now, 70, "gemm nn"), 70, "gemm nt");
        for (int l = 0; l < 6; l++) {
            now = add(kernels, add(kernels, now, 10, "gemm tn"), 10, "flash_fwd");
            now = add(kernels, add(kernels, add(kernels, now, 30, "flash_bwd"), 20, "gemm nn"), 20, "gemm nt");
        }
        Layers layers = Layers.of(new Profile(0, "", 0, now, kernels));
        assertThat(layers.forwardNs()).containsExactly(20L, 20L, 20L, 20L, 20L, 20L);
        assertThat(layers.backwardNs()).containsExactly(90L, 90L, 90L, 90L, 90L, 90L);
    }

    private static final String NSYS = """
            Processing [report.sqlite] with [cuda_gpu_trace.py]...
            Start (ns),Duration (ns),CorrId,GrdX,Bytes (MB),Device,Ctx,GreenCtx,Strm,Name
            1000,300,1,8,,NVIDIA H100 (0),1,,7,"void flash::flash_fwd_kernel<Traits, 1>(Params)"
            1200,400,2,8,,NVIDIA H100 (0),1,,20,ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)
            1700,100,3,,1.5,NVIDIA H100 (0),1,,7,[CUDA memcpy Host-to-Device]
            1500,100,4,,,NVIDIA H100 (1),1,,7,nvjet_hsh_192x192
            """;

    @Test
    void tableOfNsysIsAProfileOfItsFirstDevice() throws Exception {
        String table = file("trace.csv", NSYS).toString();
        assertThat(ProfileReader.isMeant(table)).isTrue();
        Profile profile = ProfileReader.read(table);
        assertThat(profile.step()).isEqualTo("the whole table, which names no step, NVIDIA H100 (0)");
        assertThat(StepSplit.of(profile).parts())
                .containsExactly(
                        Map.entry("attention", 300L),
                        Map.entry("all-gather", 300L),
                        Map.entry("copies to the GPU", 100L),
                        Map.entry(StepSplit.IDLE, 100L));

        Map<String, String> refusals = Map.of(
                "Time (%),Total Time (ns),Instances,Name\n50,100,2,gemm\n",
                "has no columns Start (ns) and Duration (ns)",
                NSYS.replace("1200,400", "1200,soon"),
                "line 4 has no start and length in ns: 1200, soon",
                NSYS.substring(0, NSYS.indexOf("1000")),
                "holds no kernels of a GPU");
        for (Map.Entry<String, String> each : refusals.entrySet()) {
            String broken = file("broken.csv", each.getKey()).toString();
            assertThatThrownBy(() -> ProfileReader.read(broken))
                    .isInstanceOf(InputException.class)
                    .hasMessageContaining(each.getValue())
                    .hasMessageContaining("nsys stats --report cuda_gpu_trace --format csv REPORT");
        }
        assertThatThrownBy(() -> ProfileReader.gemms(table)).hasMessageContaining("records no shapes");
    }

    /** Both lie beside the table that nsys stats prints of them. */
    @Test
    void reportOfNsysIsRefusedWithTheCommandThatPrintsItsTable() throws Exception {
        String table = file("trace.csv", NSYS).toString();
        for (String name : List.of("report.sqlite", "report.nsys-rep", "report.qdrep")) {
            String report = file(name, "SQLite format 3\0").toString();
            assertThat(ProfileReader.isMeant(report)).isTrue();
            assertThatThrownBy(() -> ProfileReader.read(report))
                    .isInstanceOf(InputException.class)
                    .hasMessageContaining("nsys stats --report cuda_gpu_trace --format csv " + report + " > trace.csv");
            assertThatThrownBy(() -> ProfileReader.gemms(report)).hasMessageContaining("records no shapes");
        }
        assertThat(ProfileComparer.traces(Path.of(table).getParent().toString()))
                .containsExactly(table);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ncclKernel_ReduceScatter_RING_LL_Sum_bf16|reduce-scatter",
                "ncclDevKernel_AllReduce_Sum_bf16_TREE_LL(x)|all-reduce",
                "ncclDevKernel_SendRecv(x)|send and receive",
                "smddp all_gather (for ncclKernel)|all-gather",
                "Memcpy DtoH (Device -> Pinned)|copies from the GPU",
                "Memset (Device)|copies within the GPU",
                "void flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<x>|attention",
                "nvjet_hsh_192x192_64x4_2x1_v_bz_coopB_NNN|GEMMs",
                "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n|GEMMs",
                "void multi_tensor_apply_kernel<AdamFunctorMaster>|optimizer",
                "rmsnorm_fwd_general_kernel|norms",
                "triton_poi_fused_mul_silu_2|other kernels",
                "backward layer|layers as a whole"
            })
    void kernelsAreKnownByTheirNames(String kernel, String of) {
        assertThat(KernelNames.of(kernel).name()).isEqualTo(of);
    }
}

package io.shardsim.scenarios.profiling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.shardsim.scenarios.profiling.KernelNames.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The breakdowns of Holistic Trace Analysis (facebookresearch/HolisticTraceAnalysis at f4d0062, 2026-05) of its own traces, of which {@code -Dhta.traces} names the folder
 * {@code tests/data}: get_temporal_breakdown and get_gpu_kernel_breakdown with include_last_profiler_step [us].
 */
class HtaTracesTest {
    private static final long US = 1000;

    @TempDir
    Path folder;

    /** All of a trace, whatever steps it names. */
    private Profile whole(Path trace) throws Exception {
        Path plain = folder.resolve("trace.json");
        try (InputStream in = new GZIPInputStream(Files.newInputStream(trace))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            Files.writeString(plain, text.replace("ProfilerStep#", "Epoch#"));
        } catch (IOException failure) {
            throw new IllegalStateException(trace.toString(), failure);
        }
        return ProfileReader.read(plain.toString());
    }

    /** Holistic Trace Analysis rounds starts up and ends down to a microsecond. */
    private static Profile rounded(Profile profile) {
        List<Profile.Kernel> kernels = profile.kernels().stream()
                .map(kernel -> {
                    long startNs = -Math.floorDiv(-kernel.startNs(), US) * US;
                    long endNs = Math.max(startNs, Math.floorDiv(kernel.endNs(), US) * US);
                    return new Profile.Kernel(kernel.label(), startNs, endNs, kernel.bytes());
                })
                .toList();
        return new Profile(
                profile.rank(),
                profile.step(),
                kernels.get(0).startNs(),
                kernels.stream().mapToLong(Profile.Kernel::endNs).max().orElseThrow(),
                kernels);
    }

    @ParameterizedTest
    @CsvSource({
        "timeline_analysis/sampled_rank-0, 1222847, 675191, 210320, 336983, 353",
        "trace_filter/sampled_rank-1, 1231186, 651136, 271973, 303523, 4554",
        "trace_diff/control/control, 464594, 76007, 281336, 87921, 19330",
        "df_index_resolver/df_index_resolver, 1732965, 732352, 620516, 357343, 22754",
        "trace_file_list/inference_rank_1, 1629, 1599, 30, 0, 0",
        "nccl_parser_config/nccl_data, 660550, 506512, 113012, 39766, 1260",
        "amd_trace/mi250_minitoy_train_ROCm6_2_kineto, 8911, 8780, 96, 0, 35"
    })
    void breakdownIsThatOfHolisticTraceAnalysis(
            String trace, long total, long idle, long computing, long communicating, long copying) throws Exception {
        String traces = System.getProperty("hta.traces", "");
        assumeTrue(!traces.isEmpty(), "-Dhta.traces names no folder");
        StepSplit split = StepSplit.of(rounded(whole(Path.of(traces, trace + ".json.gz"))));
        assertThat(split.stepNs() / US).isCloseTo(total, withinPercentage(0.1));
        assertThat(split.idleNs() / US).isCloseTo(idle, withinPercentage(0.1));
        assertThat(split.of(Kind.COMPUTING) / US).isCloseTo(computing, withinPercentage(0.1));
        assertThat(split.of(Kind.COLLECTIVES) / US).isCloseTo(communicating, withinPercentage(0.1));
        assertThat(split.of(Kind.COPIES) / US).isCloseTo(copying, withinPercentage(0.1));
    }
}

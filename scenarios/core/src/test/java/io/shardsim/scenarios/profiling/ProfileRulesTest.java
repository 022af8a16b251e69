package io.shardsim.scenarios.profiling;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.scenarios.profiling.ProfileComparison.Side;
import io.shardsim.scenarios.profiling.ProfileRules.Fault;
import io.shardsim.scenarios.profiling.ProfileRules.Seen;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a profile shows and a fault would not, rule by rule. */
class ProfileRulesTest {
    private static final Arrivals ALONE = new Arrivals(1_000_000, 1, 0, List.of());

    private static ScenarioPoint point(String attention, String further) throws InputException {
        return ScenarioReader.readText("rules", """
                        scenario: rules
                        model: {hidden: 1024, layers: 2, heads: 16, ffn: 4096, vocab: 4096}
                        cluster: {instance: p4d.24xlarge, nodes: 1}
                        training: {sequence_length: 512, global_batch: 64, precision: bf16, attention: %s}
                        strategy: {kind: zero3}
                        %s
                        """.formatted(attention, further))
                .points()
                .get(0);
    }

    /** A step of kernels one after another, by name and microseconds. */
    private static Side step(Object... kernels) {
        List<Profile.Kernel> all = new ArrayList<>();
        long now = 0;
        for (int i = 0; i < kernels.length; i += 2) {
            String name = (String) kernels[i];
            long endNs = now + 1000L * (Integer) kernels[i + 1];
            all.add(new Profile.Kernel(new Profile.Label(KernelNames.of(name), name, "7", ""), now, endNs, 0));
            now = endNs;
        }
        return Side.of(new Profile(0, "", 0, now, all));
    }

    private static String contradiction(Side real, Side healthy, Side fault, Arrivals arrivals, ScenarioPoint point) {
        return ProfileRules.contradiction(Seen.of(real, healthy, arrivals), new Fault(point, fault));
    }

    @Test
    void oneKernelOfAttentionRulesOutStandardAttention() throws Exception {
        Side step = step("gemm", 900, "void flash_fwd_kernel<128>(x)", 100);
        assertThat(contradiction(step, step, step, ALONE, point("standard", "")))
                .isEqualTo("attention is one kernel, flash_fwd_kernel");
        assertThat(contradiction(step, step, step, ALONE, point("flash", ""))).isEmpty();
        Side whole = step("forward layer", 900, "flash_fwd_kernel", 100);
        assertThat(contradiction(whole, whole, whole, ALONE, point("standard", "")))
                .as("a simulated profile")
                .isEmpty();
    }

    @Test
    void softmaxWithoutAttentionRulesOutWhatHasFlashAttention() throws Exception {
        Side step = step("gemm", 400, "softmax_warp_forward", 50, "gemm", 500, "softmax_warp_forward", 50);
        assertThat(contradiction(step, step, step, ALONE, point("flash", "")))
                .isEqualTo("attention is no kernel of its own, and 2 kernels are softmax");
        assertThat(contradiction(step, step, step, ALONE, point("standard", "")))
                .isEmpty();
        Side loss = step("gemm", 900, "log_softmax_forward", 50, "cunn_SoftMaxForward", 50);
        assertThat(contradiction(loss, loss, loss, ALONE, point("flash", "")))
                .as("softmax of the loss alone")
                .isEmpty();
    }

    @Test
    void rankThatOthersWaitForRulesOutWhatSlowsAllAlike() throws Exception {
        Side step = step("gemm", 1000);
        Arrivals late = new Arrivals(1_000_000, 2, 10, List.of(new Arrivals.Late(1, 10, 300_000, 200_000)));
        assertThat(contradiction(step, step, step, late, point("flash", "")))
                .isEqualTo("all ranks would be alike, and the others wait 200 us for rank 1");
        assertThat(contradiction(step, step, step, late, point("flash", "faults: {slow_gpu: 1.5}")))
                .isEmpty();
    }

    @Test
    void ranksThatAreAlikeRuleOutASlowGpu() throws Exception {
        Side healthy = step("gemm", 1000);
        Side slow = step("gemm", 1500);
        ScenarioPoint fault = point("flash", "faults: {slow_gpu: 1.5}");
        assertThat(contradiction(slow, healthy, slow, new Arrivals(1_500_000, 2, 10, List.of()), fault))
                .isEqualTo("one rank would always be late, and none of 2 is");
        assertThat(contradiction(slow, healthy, slow, ALONE, fault)).isEmpty();
    }

    @Test
    void optimizerIsSlowWhereAllThatComputesIs() throws Exception {
        Side healthy = step("gemm", 800, "adam", 200);
        Side all = step("gemm", 1200, "adam", 300);
        Side layers = step("gemm", 1200, "adam", 200);
        ScenarioPoint point = point("flash", "");
        assertThat(contradiction(all, healthy, layers, ALONE, point))
                .isEqualTo("the optimizer would be as fast as in a healthy step, and takes 1.5 times as long, as all "
                        + "that computes");
        assertThat(contradiction(layers, healthy, all, ALONE, point))
                .isEqualTo("the optimizer would take 1.5 times as long as in a healthy step, and takes 1");
        assertThat(contradiction(all, healthy, all, ALONE, point)).isEmpty();
    }

    @Test
    void partThatTheFaultLengthensMustBeLong() throws Exception {
        Side healthy = step("gemm", 1000, "ncclDevKernel_AllGather", 100);
        Side gathers = step("gemm", 1000, "ncclDevKernel_AllGather", 300);
        Side computes = step("gemm", 1200, "ncclDevKernel_AllGather", 110);
        ScenarioPoint point = point("flash", "");
        assertThat(contradiction(computes, healthy, gathers, ALONE, point))
                .isEqualTo("exposed all-gather would be 200 us longer than in a healthy step, and is 10.0 us");
        assertThat(contradiction(gathers, healthy, gathers, ALONE, point)).isEmpty();
    }
}

package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.Kernel.FlashAttention;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Some kernels around their attention, which a context-parallel group goes through in equal steps.
 *
 * @param before what comes before attention; all of them where there is none
 * @param step one step of it
 * @param after what comes after it
 */
public record AttentionSteps(List<Kernel> before, List<Kernel> step, List<Kernel> after) {

    /** Of kernels that go through all steps of attention, or through none. */
    public static AttentionSteps of(List<Kernel> kernels) {
        int[] attention = IntStream.range(0, kernels.size())
                .filter(i -> kernels.get(i) instanceof FlashAttention)
                .toArray();
        if (attention.length == 0) {
            return new AttentionSteps(kernels, List.of(), List.of());
        }
        int from = attention[0];
        int each = attention.length == 1 ? 1 : attention[1] - from;
        int to = from + attention.length * each;
        return new AttentionSteps(
                kernels.subList(0, from), kernels.subList(from, from + each), kernels.subList(to, kernels.size()));
    }
}

package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.Kernel.Matmul;
import java.util.ArrayList;
import java.util.List;

/**
 * A block by what a tensor-parallel group may exchange beside it. Where products wait for parts of the sequence, or hand them on, they go in as many
 * pieces as the group has ranks, so that all of them but one have an exchange beside them; in backward, what the block hands on goes beside whole
 * products (NVIDIA/TransformerEngine v1.11, transformer_engine/pytorch/module/linear.py and base.py, initialize_ub: ring exchange, pipeline and bulk).
 *
 * @param entry beside the exchange before the block
 * @param middle beside none
 * @param exit beside the exchange after the block
 */
public record Stretches(List<Kernel> entry, List<Kernel> middle, List<Kernel> exit) {

    /**
     * Of a forward.
     *
     * @param first products that wait for parts of the sequence, if they are in the block
     * @param last products that hand them on, if they are in the block
     * @param pieces that each is cut into
     */
    static Stretches of(List<Kernel> block, List<Kernel> first, List<Kernel> last, int pieces) {
        List<Kernel> middle = new ArrayList<>(block);
        return new Stretches(cut(first, middle, pieces), middle, cut(last, middle, pieces));
    }

    /**
     * Of a backward.
     *
     * @param block all of it up to the gradient of its input
     * @param first products that wait for parts of the sequence
     * @param exit what comes after the block
     * @param pieces that each is cut into
     */
    static Stretches ofBackward(List<Kernel> block, List<Kernel> first, List<Kernel> exit, int pieces) {
        List<Kernel> middle = new ArrayList<>(block);
        return new Stretches(cut(first, middle, pieces), middle, exit);
    }

    /** Leaves one piece of each product where it was, and returns the others, which share waves: they go on several streams (csrc/comm_gemm_overlap.h, _stream_compute). */
    private static List<Kernel> cut(List<Kernel> products, List<Kernel> from, int pieces) {
        List<Kernel> others = new ArrayList<>();
        for (Kernel product : products) {
            int at = from.indexOf(product);
            if (at >= 0 && pieces > 1) {
                from.set(at, ((Matmul) product).piece(pieces));
                others.add(((Matmul) product).otherPieces(pieces));
            }
        }
        return others;
    }
}

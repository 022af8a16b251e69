package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Linear.Product;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Activations of a transformer layer that are recomputed in the backward pass instead of saved. */
public enum Checkpointing {
    /** No recomputation. */
    NONE,
    /** Recomputes the selected modules ({@link Recomputed}); by default scores, softmax, dropout and the GEMM with the values. */
    SELECTIVE,
    /**
     * The layer's input is saved, flash attention's result, and every second GEMM result of a block without a bias, from the first on; everything
     * else is recomputed (torchtitan's "selective op", torchtitan/parallelisms/parallelize_llama.py @157a12c56, _save_list).
     */
    OPERATOR,
    /** Only the input of the layer is saved; its whole forward runs again. */
    FULL;

    /** Returns whether the layer's forward is rerun from its input. */
    public boolean startsFromInput() {
        return this == OPERATOR || this == FULL;
    }

    /** Returns the recomputed share of the attention core, 0 or 1. */
    public double recomputedAttention(Recomputed modules) {
        return this == FULL || this == SELECTIVE && modules.runs("Attention") ? 1 : 0;
    }

    /**
     * Returns whether the result of a GEMM is saved for backward.
     *
     * @param number index of the GEMM in its block, from 0
     * @param bias whether a bias is added in the same kernel
     */
    public boolean keepsProduct(int number, boolean bias) {
        return this == NONE || this == SELECTIVE || this == OPERATOR && number % 2 == 0 && !bias;
    }

    /** Returns the GEMMs of a block whose results are saved for backward. */
    List<Product> keptProducts(Block block) {
        List<Product> products = LayerKind.products(block);
        return IntStream.range(0, products.size())
                .filter(i -> keepsProduct(i, products.get(i).bias()))
                .mapToObj(products::get)
                .toList();
    }

    /** Returns the recomputed share of the GEMM flops of all layers, 0 to 1; the last GEMM counts, though it need not run. */
    public double recomputedProducts(ModelShape shape, Recomputed modules) {
        long all = 0;
        long kept = 0;
        for (Stretch stretch : shape.operators().stretches()) {
            LayerKind kind = stretch.kind();
            all += stretch.layers() * weights(kind, LayerKind::products);
            kept += stretch.layers() * weights(kind, this::keptProducts);
            kept -= this != SELECTIVE ? 0 : stretch.layers() * weights(kind, modules);
        }
        return (double) (all - kept) / all;
    }

    private static long weights(LayerKind kind, Recomputed modules) {
        return kind.operators().stream()
                .filter(operator -> operator instanceof Linear && modules.runs(operator.name()))
                .mapToLong(Operator::weights)
                .sum();
    }

    private static long weights(LayerKind kind, Function<Block, List<Product>> ofBlock) {
        return kind.blocks().stream()
                .flatMap(block -> ofBlock.apply(block).stream())
                .mapToLong(Product::weights)
                .sum();
    }
}

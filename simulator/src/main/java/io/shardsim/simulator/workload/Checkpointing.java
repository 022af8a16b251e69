package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Linear.Product;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;

/** Which activations of a transformer layer are recomputed in the backward pass instead of kept. */
public enum Checkpointing {
    /** Everything is kept. */
    NONE,
    /** {@link Recomputed Modules} are recomputed: scores, softmax, dropout and the product with the values unless others are named. */
    SELECTIVE,
    /**
     * The layer's input is kept, what flash attention gives, and every second GEMM of a block without a bias, from the first on; all else is
     * recomputed (torchtitan's "selective op", torchtitan/parallelisms/parallelize_llama.py @157a12c56, _save_list).
     */
    OPERATOR,
    /** Only the input of the layer is kept; its whole forward runs again. */
    FULL;

    /** Whether the layer's forward runs again from its input on. */
    public boolean startsFromInput() {
        return this == OPERATOR || this == FULL;
    }

    /** Share of the attention core that is computed again, 0 or 1. */
    public double recomputedAttention(Recomputed modules) {
        return this == FULL || this == SELECTIVE && modules.runs("Attention") ? 1 : 0;
    }

    /**
     * Whether the result of a GEMM is kept for backward.
     *
     * @param number of the product among those of its block, from 0
     * @param bias whether a bias is added in the same kernel
     */
    public boolean keepsProduct(int number, boolean bias) {
        return this == NONE || this == SELECTIVE || this == OPERATOR && number % 2 == 0 && !bias;
    }

    /** Of a block's products those whose results are kept for backward. */
    List<Product> keptProducts(Block block) {
        List<Product> products = LayerKind.products(block);
        return IntStream.range(0, products.size())
                .filter(i -> keepsProduct(i, products.get(i).bias()))
                .mapToObj(products::get)
                .toList();
    }

    /** Share of the operations of all layers' GEMMs that are computed again, 0 to 1; the last product counts, though it need not run. */
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

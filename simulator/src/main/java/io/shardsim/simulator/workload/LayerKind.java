package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Linear.Product;
import java.util.List;

/**
 * Kind of layer.
 *
 * @param blocks blocks in forward order
 */
public record LayerKind(List<Block> blocks) {
    public LayerKind {
        blocks = List.copyOf(blocks);
    }

    /** Returns the operators of all blocks, in order. */
    public List<Operator> operators() {
        return blocks.stream().flatMap(block -> block.operators().stream()).toList();
    }

    /** Returns the matrices of a block, in order. */
    static List<Product> products(Block block) {
        return block.operators().stream()
                .flatMap(operator -> operator.products().stream())
                .toList();
    }

    /** Returns the index of the linear map or convolution that computes the layer's result. */
    int lastLinear() {
        List<Operator> operators = operators();
        int at = operators.size() - 1;
        while (operators.get(at).products().isEmpty()) {
            at--;
        }
        return at;
    }

    /** Returns the index from which the layer's backward needs nothing: its last GEMM's, unless an operator after it saves the result. */
    int neededUntil() {
        List<Operator> operators = operators();
        int last = lastLinear();
        boolean kept =
                operators.subList(last + 1, operators.size()).stream().anyMatch(after -> after.savedInputs() > 0);
        return kept ? operators.size() : last;
    }

    /** Returns the matrix that computes the layer's result. */
    public Product lastProduct() {
        List<Product> products = operators().get(lastLinear()).products();
        return products.get(products.size() - 1);
    }
}

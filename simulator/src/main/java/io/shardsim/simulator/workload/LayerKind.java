package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Linear.Product;
import java.util.List;

/**
 * A kind of layer.
 *
 * @param blocks in the order in which they are computed
 */
public record LayerKind(List<Block> blocks) {
    public LayerKind {
        blocks = List.copyOf(blocks);
    }

    /** Operators of all blocks, in order. */
    public List<Operator> operators() {
        return blocks.stream().flatMap(block -> block.operators().stream()).toList();
    }

    /** Matrices of a block, in order. */
    static List<Product> products(Block block) {
        return block.operators().stream()
                .filter(Linear.class::isInstance)
                .flatMap(operator -> ((Linear) operator).products().stream())
                .toList();
    }

    /** Place among the operators of the linear map that gives the layer's last result. */
    int lastLinear() {
        List<Operator> operators = operators();
        int at = operators.size() - 1;
        while (!(operators.get(at) instanceof Linear)) {
            at--;
        }
        return at;
    }

    /** Place from which on nothing is needed by the layer's backward: of its last product, unless what is made of its result keeps that. */
    int neededUntil() {
        List<Operator> operators = operators();
        int last = lastLinear();
        boolean kept =
                operators.subList(last + 1, operators.size()).stream().anyMatch(after -> after.savedInputs() > 0);
        return kept ? operators.size() : last;
    }

    /** The matrix that gives the layer's last result. */
    public Product lastProduct() {
        List<Product> products = ((Linear) operators().get(lastLinear())).products();
        return products.get(products.size() - 1);
    }
}

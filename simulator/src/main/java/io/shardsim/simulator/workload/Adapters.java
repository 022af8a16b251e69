package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.Linear.Product;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Low-rank adapters of a model whose own parameters are frozen (LoRA [1]): a matrix W of in x out gets A of in x r and B of r x out, and computes W x
 * + B A x. Only A and B are trained. In 8 or 4 bits (QLoRA [2]) the matrices of layers are quantized; embeddings, norms and the head are not.
 *
 * <p>Leaves out dropout before A, adapters of experts, embeddings and the head, and trained biases. The unused gradient of the first adapter's input
 * counts.
 *
 * <p>[1] Hu et al., arXiv:2106.09685. [2] Dettmers et al., arXiv:2305.14314.
 *
 * @param rank width between A and B, r; 0 for full training
 * @param modules with adapters, by their names in Hugging Face's Llama; {@link #ALL} means each matrix of a layer
 * @param frozenBits bits per frozen weight of a layer's matrix: 16, 8 or 4
 */
public record Adapters(int rank, List<String> modules, int frozenBits) {
    /** Allowed values of {@code frozenBits}. */
    public static final List<Integer> BITS = List.of(16, 8, 4);

    /** No adapters: full training. */
    public static final Adapters NONE = new Adapters(0, List.of(), 16);

    /** Every matrix of a layer, by PEFT's name. */
    public static final String ALL = "all-linear";

    /** Matrices by module (huggingface/transformers, models/llama and phi3, modeling files, 2024). */
    private static final Map<String, String> PRODUCTS = Map.of(
            "q_proj", "attention.query",
            "k_proj", "attention.key",
            "v_proj", "attention.value",
            "qkv_proj", "attention.qkv",
            "o_proj", "attention.output",
            "gate_proj", "ffn.gate",
            "up_proj", "ffn.up",
            "down_proj", "ffn.down");

    /** Allowed names in {@code modules}. */
    public static final List<String> MODULES =
            Stream.concat(Stream.of(ALL), PRODUCTS.keySet().stream().sorted()).toList();

    public Adapters {
        modules = List.copyOf(modules);
        if (rank < 0) {
            throw new IllegalArgumentException("lora.r " + rank + " is negative");
        }
        Tuning.frozen(frozenBits);
    }

    public boolean isNone() {
        return rank == 0;
    }

    /** Returns the operators with adapters, everything else frozen. */
    Transformer on(Transformer whole) {
        if (isNone()) {
            return whole;
        }
        return new Transformer(
                on(whole.embedding()),
                whole.stretches().stream()
                        .map(stretch -> new Stretch(
                                new LayerKind(stretch.kind().blocks().stream()
                                        .map(this::on)
                                        .toList()),
                                stretch.layers()))
                        .toList(),
                whole.output().stream().map(this::on).toList());
    }

    private Block on(Block block) {
        return new Block(block.tokens(), on(block.operators()));
    }

    private List<Operator> on(List<Operator> operators) {
        return operators.stream()
                .map(operator -> operator instanceof Linear linear ? on(linear) : operator.frozen())
                .toList();
    }

    private Operator on(Linear linear) {
        List<Linear.Adapter> adapters = linear.products().stream()
                .filter(product -> product.experts().number() == 1 && adapts(product))
                .map(product -> Linear.Adapter.beside(product, rank))
                .toList();
        return new Linear(
                linear.name(),
                linear.products(),
                linear.split(),
                Tuning.frozen(frozenBits),
                adapters,
                linear.keepsInput());
    }

    private boolean adapts(Product product) {
        return modules.stream()
                .anyMatch(module -> module.equals(ALL) || product.name().equals(PRODUCTS.get(module)));
    }

    /** Returns the modules of a model that may have adapters. */
    public static List<String> modulesOf(ModelShape model) {
        List<String> products = model.operators().kinds().stream()
                .flatMap(kind -> kind.blocks().stream())
                .flatMap(block -> LayerKind.products(block).stream())
                .map(Product::name)
                .toList();
        return MODULES.stream()
                .filter(module -> products.contains(PRODUCTS.get(module)))
                .toList();
    }
}

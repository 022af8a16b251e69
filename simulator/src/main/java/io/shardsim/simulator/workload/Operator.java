package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One operator of a transformer, as its model describes it: what it holds, and all that follows from its place between others. Widths are those of one
 * token, before any split among ranks.
 *
 * <p>Leaves out how a framework computes it: kernels, fusion and formats are of {@code io.shardsim.simulator.compute}.
 */
public sealed interface Operator {

    /** Its parameter tensors, in the order in which its forward needs them. */
    default List<ParameterTensor> parameters() {
        return List.of();
    }

    /** The same operator with parameters that are not trained. */
    default Operator frozen() {
        return this;
    }

    /** Weights of the matrices that multiply each token. */
    default long weights() {
        return 0;
    }

    /** Weights of experts that a token does not go through. */
    default long idleWeights() {
        return 0;
    }

    /**
     * Multiplications and additions of its forward for one token.
     *
     * @param sequenceLength keys of a query, masked ones included
     */
    default long flops(int sequenceLength) {
        return 2 * weights();
    }

    /** Multiplications and additions of its backward for one token: gradients of its inputs, and of its weights if they are trained. */
    default long backwardFlops(int sequenceLength) {
        return 2 * flops(sequenceLength);
    }

    /** Elements of its input that its backward takes, for one token. */
    default long savedInputs() {
        return 0;
    }

    /** Whether tensor parallelism divides its input. */
    default boolean takesPart() {
        return false;
    }

    /** Whether experts compute it, each for the tokens that were sent to it. */
    default boolean isOfExperts() {
        return false;
    }

    /** Number of projections that it works on: query, key and value, or gate and up. */
    default int projections() {
        return 0;
    }

    /**
     * Whether a module of it without parameters, a rotary position say, runs right after one of the products before it.
     *
     * @param number of the product, from 0
     * @param of so many that take the same input
     */
    default boolean runsAfter(int number, int of) {
        return false;
    }

    /** Elements of its result, for one token, that can be made again without a GEMM from what its own backward takes. */
    default long cheapResults() {
        return 0;
    }

    /** Elements of one token that it divides by a root mean square. */
    default long rmsNormed() {
        return 0;
    }

    /**
     * Look-up of tokens and of learned positions.
     *
     * @param vocab rows of the token embedding
     * @param positions rows of the position embedding; 0 for none
     * @param types rows of the embedding of token types; 0 for none
     */
    record Embedding(int vocab, int positions, int types, int width, Tuning tuning) implements Operator {
        Embedding(int vocab, int positions, int types, int width) {
            this(vocab, positions, types, width, Tuning.TRAINED);
        }

        @Override
        public List<ParameterTensor> parameters() {
            List<ParameterTensor> tensors = new ArrayList<>();
            tensors.add(new ParameterTensor("embedding.tokens", (long) vocab * width, DividedBy.TENSOR, tuning));
            addTable(tensors, "embedding.positions", positions);
            addTable(tensors, "embedding.types", types);
            return tensors;
        }

        private void addTable(List<ParameterTensor> tensors, String name, int rows) {
            if (rows > 0) {
                tensors.add(new ParameterTensor(name, (long) rows * width, DividedBy.NONE, tuning));
            }
        }

        @Override
        public Operator frozen() {
            return new Embedding(vocab, positions, types, width, Tuning.FROZEN);
        }
    }

    /**
     * A norm over the hidden state.
     *
     * @param rms whether it divides by the root mean square alone; else it takes the mean off first, and has a bias
     */
    record Norm(String name, int width, boolean rms, Tuning tuning) implements Operator {
        public Norm(String name, int width, boolean rms) {
            this(name, width, rms, Tuning.TRAINED);
        }

        @Override
        public List<ParameterTensor> parameters() {
            ParameterTensor weight = new ParameterTensor(name + ".weight", width, DividedBy.NONE, tuning);
            return rms
                    ? List.of(weight)
                    : List.of(weight, new ParameterTensor(name + ".bias", width, DividedBy.NONE, tuning));
        }

        @Override
        public Operator frozen() {
            return new Norm(name, width, rms, Tuning.FROZEN);
        }

        @Override
        public long savedInputs() {
            return width;
        }

        @Override
        public long cheapResults() {
            return width;
        }

        @Override
        public long rmsNormed() {
            return rms ? width : 0;
        }
    }

    /**
     * An RMS norm of each head's queries and keys, whose heads share two weights: one of queries, one of keys (huggingface/transformers,
     * models/qwen3/modeling_qwen3.py, Qwen3Attention, q_norm and k_norm).
     */
    record QueryKeyNorm(int heads, int kvHeads, int headDim, Tuning tuning) implements Operator {
        public QueryKeyNorm(int heads, int kvHeads, int headDim) {
            this(heads, kvHeads, headDim, Tuning.TRAINED);
        }

        @Override
        public Operator frozen() {
            return new QueryKeyNorm(heads, kvHeads, headDim, Tuning.FROZEN);
        }

        /** Width of all queries together, and of all keys. */
        public List<Integer> widths() {
            return List.of(heads * headDim, kvHeads * headDim);
        }

        @Override
        public List<ParameterTensor> parameters() {
            return List.of(
                    new ParameterTensor("attention.query_norm.weight", headDim, DividedBy.NONE, tuning),
                    new ParameterTensor("attention.key_norm.weight", headDim, DividedBy.NONE, tuning));
        }

        @Override
        public long savedInputs() {
            return (long) (heads + kvHeads) * headDim;
        }

        @Override
        public long cheapResults() {
            return savedInputs();
        }

        @Override
        public long rmsNormed() {
            return savedInputs();
        }

        @Override
        public boolean takesPart() {
            return true;
        }
    }

    /** What tensor parallelism divides of a linear map. */
    enum Split {
        /** Its outputs: each rank needs the whole input and makes a part of the output. */
        OUTPUTS,
        /** Its inputs: each rank makes a part of the sum, which the ranks then add up. */
        INPUTS,
        /** Nothing: each rank has all of it. */
        NOTHING
    }

    /**
     * A linear map.
     *
     * @param name of all of it, for a framework that fuses what the model holds apart
     * @param products the matrices that the model holds, each applied to the same input
     * @param adapters trained beside them
     * @param keepsInput whether its input is kept for it, and not for another operator in any case
     */
    record Linear(
            String name, List<Product> products, Split split, Tuning tuning, List<Adapter> adapters, boolean keepsInput)
            implements Operator {

        /**
         * A matrix, with a bias perhaps.
         *
         * @param experts those that each have one of its shape
         */
        public record Product(String name, int inputs, int outputs, boolean bias, Experts experts) {
            /** Of which there is one, for all tokens. */
            Product(String name, int inputs, int outputs, boolean bias) {
                this(name, inputs, outputs, bias, Experts.NONE);
            }

            /** Weights that multiply each token. */
            public long weights() {
                return experts.perToken() * matrix();
            }

            /** Weights that there are. */
            public long held() {
                return experts.number() * matrix();
            }

            private long matrix() {
                return (long) inputs * outputs;
            }
        }

        /**
         * Two matrices beside one: what the second makes of what the first gives is added to the result (LoRA, arXiv:2106.09685, section 4.1).
         *
         * @param beside name of that matrix
         * @param down from its inputs to the rank
         * @param up from the rank to its outputs
         */
        public record Adapter(String beside, Product down, Product up) {
            static Adapter beside(Product product, int rank) {
                return new Adapter(
                        product.name(),
                        new Product(product.name() + ".lora_A", product.inputs(), rank, false),
                        new Product(product.name() + ".lora_B", rank, product.outputs(), false));
            }

            long weights() {
                return down.weights() + up.weights();
            }

            public int rank() {
                return down.outputs();
            }
        }

        /** Trained whole. */
        public Linear(String name, List<Product> products, Split split) {
            this(name, products, split, Tuning.TRAINED, List.of(), true);
        }

        /** The same, with an input that is kept elsewhere. */
        Linear sharingInput() {
            return new Linear(name, products, split, tuning, adapters, false);
        }

        /** Of one matrix. */
        Linear(Product product, Split split) {
            this(product.name(), List.of(product), split);
        }

        @Override
        public List<ParameterTensor> parameters() {
            List<ParameterTensor> tensors = new ArrayList<>();
            boolean outputs = split == Split.OUTPUTS;
            for (Product product : products) {
                tensors.add(tensor(product, split != Split.NOTHING, tuning));
                if (product.bias()) {
                    long biases = (long) product.experts().number() * product.outputs();
                    Tuning ofBias = tuning.isTrained() ? tuning : Tuning.FROZEN;
                    tensors.add(
                            new ParameterTensor(product.name() + ".bias", biases, dividedBy(product, outputs), ofBias));
                }
                adapter(product).ifPresent(adapter -> {
                    tensors.add(tensor(adapter.down(), !outputs, Tuning.TRAINED));
                    tensors.add(tensor(adapter.up(), outputs, Tuning.TRAINED));
                });
            }
            return tensors;
        }

        private static ParameterTensor tensor(Product product, boolean split, Tuning tuning) {
            return new ParameterTensor(product.name() + ".weight", product.held(), dividedBy(product, split), tuning);
        }

        private static DividedBy dividedBy(Product product, boolean tensor) {
            return product.experts().number() > 1 ? DividedBy.EXPERT : DividedBy.tensor(tensor);
        }

        /** The pair beside a matrix. */
        public Optional<Adapter> adapter(Product product) {
            return adapters.stream()
                    .filter(adapter -> adapter.beside().equals(product.name()))
                    .findFirst();
        }

        @Override
        public long weights() {
            return own() + ofAdapters();
        }

        private long own() {
            return products.stream().mapToLong(Product::weights).sum();
        }

        private long ofAdapters() {
            return adapters.stream().mapToLong(Adapter::weights).sum();
        }

        @Override
        public long idleWeights() {
            return products.stream()
                    .mapToLong(product -> product.held() - product.weights())
                    .sum();
        }

        @Override
        public long backwardFlops(int sequenceLength) {
            return (tuning.isTrained() ? 4 : 2) * own() + 4 * ofAdapters();
        }

        /** A gradient of weights takes it, and all that make some take the same. */
        @Override
        public long savedInputs() {
            Product first = products.get(0);
            return keepsInput && (tuning.isTrained() || !adapters.isEmpty())
                    ? (long) first.experts().perToken() * first.inputs()
                    : 0;
        }

        /** What adapters have between their two matrices, for one token. */
        long savedWithin() {
            return adapters.stream().mapToLong(Adapter::rank).sum();
        }

        @Override
        public boolean isOfExperts() {
            return products.get(0).experts().number() > 1;
        }

        @Override
        public boolean takesPart() {
            return split == Split.INPUTS;
        }
    }

    /**
     * Experts of which a router chooses some for each token.
     *
     * @param number of them in a layer
     * @param perToken that each token goes through
     */
    record Experts(int number, int perToken) {
        /** All tokens go through the same. */
        public static final Experts NONE = new Experts(1, 1);
    }

    /**
     * Choice of each token's experts, and a copy of it for each of them, in their order.
     *
     * @param first whether no operator before it keeps the same input, as a shared expert does
     */
    record Router(int width, Experts experts, boolean first, Tuning tuning) implements Operator {
        Router(int width, Experts experts, boolean first) {
            this(width, experts, first, Tuning.TRAINED);
        }

        @Override
        public List<ParameterTensor> parameters() {
            return List.of(new ParameterTensor("router.weight", weights(), DividedBy.NONE, tuning));
        }

        @Override
        public Operator frozen() {
            return new Router(width, experts, first, Tuning.FROZEN);
        }

        @Override
        public long backwardFlops(int sequenceLength) {
            return (tuning.isTrained() ? 4 : 2) * weights();
        }

        @Override
        public long weights() {
            return (long) width * experts.number();
        }

        @Override
        public long savedInputs() {
            return first ? width : 0;
        }

        /** The copies. */
        @Override
        public long cheapResults() {
            return (long) experts.perToken() * width;
        }
    }

    /** Sum of what a token's experts give, weighted by the router, and of the shared expert's result. */
    record Combine(int width, Experts experts) implements Operator {
        @Override
        public long savedInputs() {
            return (long) experts.perToken() * width;
        }
    }

    /**
     * A bias of each head for how far a key is from its query, in ranges of distances, which all layers of a stack add to their scores (T5, arXiv:1910.10683, section 2.1).
     *
     * <p>Leaves out the kernels that look it up once in a micro-batch.
     */
    record PositionBias(int ranges, int heads, Tuning tuning) implements Operator {
        PositionBias(int ranges, int heads) {
            this(ranges, heads, Tuning.TRAINED);
        }

        @Override
        public List<ParameterTensor> parameters() {
            return List.of(new ParameterTensor(
                    "attention.position_bias.weight", (long) ranges * heads, DividedBy.TENSOR, tuning));
        }

        @Override
        public Operator frozen() {
            return new PositionBias(ranges, heads, Tuning.FROZEN);
        }

        @Override
        public boolean runsAfter(int number, int of) {
            return number == of - 1;
        }
    }

    /**
     * Keys and values of an encoder's result, which queries of a decoder's layer take; in backward the gradient of that result is added to those of other layers.
     *
     * @param width of keys and values together
     * @param hidden width of the encoder's result
     */
    record Encoded(int width, int hidden) implements Operator {
        @Override
        public long savedInputs() {
            return width;
        }

        @Override
        public boolean takesPart() {
            return true;
        }
    }

    /**
     * Attention of queries over keys and values.
     *
     * @param heads query heads
     * @param kvHeads key heads, and as many value heads
     * @param headDim width of a query and of a key
     * @param valueDim width of a value
     * @param rotaryDim of a query and of a key, the part that positions turn; 0 for none
     * @param biased whether a bias of each pair of positions is added to the scores
     * @param window keys that a query sees at most; 0 for all that its reach has
     */
    record Attention(
            int heads, int kvHeads, int headDim, int valueDim, int rotaryDim, Reach reach, boolean biased, int window)
            implements Operator {
        /** Which keys a query sees. */
        public enum Reach {
            /** None after its own. */
            CAUSAL,
            /** All of its sample. */
            BOTH_WAYS,
            /** Those of the encoder (cross attention). */
            ENCODER
        }

        /** Without biases. */
        public Attention(int heads, int kvHeads, int headDim, int valueDim, int rotaryDim, Reach reach) {
            this(heads, kvHeads, headDim, valueDim, rotaryDim, reach, false, 0);
        }

        /** As many keys of a causal mask as leave as many scores unmasked as the window does. */
        public long seen(long keys) {
            return window == 0 || window >= keys ? keys : window * (2 * keys - window) / keys;
        }

        public boolean isCausal() {
            return reach == Reach.CAUSAL;
        }

        /** Width of the result. */
        public int width() {
            return heads * valueDim;
        }

        /** Width of all queries together. */
        public int queryWidth() {
            return heads * headDim;
        }

        /** Width of all keys together. */
        public int keyWidth() {
            return kvHeads * headDim;
        }

        /** Width of all values together. */
        public int valueWidth() {
            return kvHeads * valueDim;
        }

        /** Width of the parts of queries and keys that positions turn. */
        public int rotaryWidth() {
            return (heads + kvHeads) * rotaryDim;
        }

        /** Scores of each key, and their product with its value. */
        @Override
        public long flops(int sequenceLength) {
            return 2L * seen(sequenceLength) * (queryWidth() + width());
        }

        /** Queries, keys and values; those of the encoder are kept for its tokens. */
        @Override
        public long savedInputs() {
            return reach == Reach.ENCODER ? queryWidth() : queryWidth() + keyWidth() + valueWidth();
        }

        @Override
        public boolean takesPart() {
            return true;
        }

        @Override
        public int projections() {
            return 3;
        }

        @Override
        public boolean runsAfter(int number, int of) {
            return number == of - 1;
        }
    }

    /**
     * The feed-forward block's activation.
     *
     * @param ffn width of its result
     * @param experts each of which has one
     */
    record Activation(int ffn, Function function, Experts experts) implements Operator {
        /** What it computes. */
        public enum Function {
            /** GELU by tanh. */
            TANH_GELU,
            /** GELU by the error function, tanh or ReLU, which are one operator everywhere. */
            SINGLE,
            /** The activation of one input times another. */
            GATED
        }

        public boolean gated() {
            return function == Function.GATED;
        }

        /** Elements of its result for one token. */
        public long width() {
            return (long) experts.perToken() * ffn;
        }

        @Override
        public int projections() {
            return gated() ? 2 : 1;
        }

        @Override
        public long savedInputs() {
            return projections() * width();
        }

        @Override
        public boolean isOfExperts() {
            return experts.number() > 1;
        }

        @Override
        public boolean takesPart() {
            return true;
        }

        @Override
        public long cheapResults() {
            return width();
        }

        /** The activation of the first product comes before the second product. */
        @Override
        public boolean runsAfter(int number, int of) {
            return number == 0;
        }
    }

    /**
     * Addition of a block's result to the block's input.
     *
     * @param dropout whether the model has a dropout before it, whatever its rate
     */
    record Residual(int width, boolean dropout) implements Operator {
        @Override
        public boolean runsAfter(int number, int of) {
            return dropout;
        }
    }

    /**
     * Logits of the hidden state and their cross entropy.
     *
     * @param tied whether the logits' matrix is that of the token embedding
     * @param bias whether one is added to each logit
     */
    record Loss(int width, boolean tied, int vocab, boolean bias, Tuning tuning) implements Operator {
        public Loss(int width, boolean tied, int vocab, boolean bias) {
            this(width, tied, vocab, bias, Tuning.TRAINED);
        }

        @Override
        public List<ParameterTensor> parameters() {
            List<ParameterTensor> tensors = new ArrayList<>();
            if (!tied) {
                tensors.add(new ParameterTensor("output.weight", weights(), DividedBy.TENSOR, tuning));
            }
            if (bias) {
                tensors.add(new ParameterTensor("output.bias", vocab, DividedBy.TENSOR, tuning));
            }
            return tensors;
        }

        @Override
        public Operator frozen() {
            return new Loss(width, tied, vocab, bias, Tuning.FROZEN);
        }

        @Override
        public long backwardFlops(int sequenceLength) {
            return (tuning.isTrained() ? 4 : 2) * weights();
        }

        @Override
        public long weights() {
            return (long) vocab * width;
        }

        @Override
        public long savedInputs() {
            return tuning.isTrained() ? width : 0;
        }
    }
}

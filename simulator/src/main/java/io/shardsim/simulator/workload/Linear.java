package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Linear map.
 *
 * @param name name of the whole map, for a framework that fuses its matrices
 * @param products matrices of the model, each applied to the same input
 * @param adapters trained LoRA adapters
 * @param keepsInput whether it saves its input itself, instead of sharing it with an operator that saves it anyway
 */
public record Linear(
        String name, List<Product> products, Split split, Tuning tuning, List<Adapter> adapters, boolean keepsInput)
        implements Operator {
    /** Dimension of a linear map that tensor parallelism splits. */
    public enum Split {
        /** Its outputs: each rank needs the whole input and computes a shard of the output. */
        OUTPUTS,
        /** Its inputs: each rank computes a partial sum, which the ranks then reduce. */
        INPUTS,
        /** Nothing: each rank has the whole map. */
        NOTHING
    }

    /**
     * Matrix, optionally with a bias.
     *
     * @param experts experts that each have one of its shape
     */
    public record Product(String name, int inputs, int outputs, boolean bias, Experts experts) {
        /** Creates a single matrix, for all tokens. */
        Product(String name, int inputs, int outputs, boolean bias) {
            this(name, inputs, outputs, bias, Experts.NONE);
        }

        /** Returns the weights that multiply each token. */
        public long weights() {
            return experts.perToken() * matrix();
        }

        /** Returns the weights held, of all experts. */
        public long held() {
            return experts.number() * matrix();
        }

        private long matrix() {
            return (long) inputs * outputs;
        }
    }

    /**
     * Two low-rank matrices whose output is added to a matrix's result (LoRA, arXiv:2106.09685, section 4.1).
     *
     * @param beside name of the matrix
     * @param down matrix from its inputs to the rank
     * @param up matrix from the rank to its outputs
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

    /** Creates a map without adapters, fully trained. */
    public Linear(String name, List<Product> products, Split split) {
        this(name, products, split, Tuning.TRAINED, List.of(), true);
    }

    /** Returns this map with an input that is saved elsewhere. */
    Linear sharingInput() {
        return new Linear(name, products, split, tuning, adapters, false);
    }

    /** Creates a map with one matrix. */
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
                tensors.add(new ParameterTensor(product.name() + ".bias", biases, dividedBy(product, outputs), ofBias));
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

    /** Returns the adapter of a matrix. */
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

    /** Returns the saved elements of its input: every wgrad GEMM needs the input, and all of them share it. */
    @Override
    public long savedInputs() {
        Product first = products.get(0);
        return keepsInput && (tuning.isTrained() || !adapters.isEmpty())
                ? first.experts().arrived(first.inputs())
                : 0;
    }

    /** Returns the elements of its results per token. */
    public long results() {
        return products.stream()
                .mapToLong(product -> product.experts().arrived(product.outputs()))
                .sum();
    }

    /** Returns the elements per token between the adapters' two matrices. */
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

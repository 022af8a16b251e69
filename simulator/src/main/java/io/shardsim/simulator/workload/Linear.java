package io.shardsim.simulator.workload;

import io.shardsim.simulator.workload.ParameterTensor.DividedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A linear map.
 *
 * @param name of all of it, for a framework that fuses what the model holds apart
 * @param products the matrices that the model holds, each applied to the same input
 * @param adapters trained beside them
 * @param keepsInput whether its input is kept for it, and not for another operator in any case
 */
public record Linear(
        String name, List<Product> products, Split split, Tuning tuning, List<Adapter> adapters, boolean keepsInput)
        implements Operator {
    /** What tensor parallelism divides of a linear map. */
    public enum Split {
        /** Its outputs: each rank needs the whole input and makes a part of the output. */
        OUTPUTS,
        /** Its inputs: each rank makes a part of the sum, which the ranks then add up. */
        INPUTS,
        /** Nothing: each rank has all of it. */
        NOTHING
    }

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
                ? first.experts().arrived(first.inputs())
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

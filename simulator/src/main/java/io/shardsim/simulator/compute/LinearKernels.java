package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Operator.Linear;
import io.shardsim.simulator.workload.Operator.Linear.Product;
import io.shardsim.simulator.workload.Operator.Split;
import java.util.List;

/**
 * A linear map: one product for each of its matrices, or one for all where the framework fuses them. Where its outputs are split, the gradients of its
 * weights come last in the block.
 *
 * @param split what tensor parallelism divides
 * @param afterNorm whether a norm gives what it takes
 * @param number of its first product among those of the block
 */
record LinearKernels(RankShare share, List<RankProduct> products, Split split, boolean afterNorm, int number)
        implements OperatorKernels {

    static LinearKernels of(RankShare share, Linear linear, boolean afterNorm, int number) {
        List<RankProduct> products = linear.products().stream()
                .map(product -> ofRank(share, product, linear.split()))
                .toList();
        boolean fused = products.size() > 1 && share.profile().fusedProjections();
        return new LinearKernels(
                share, fused ? List.of(fused(linear.name(), products)) : products, linear.split(), afterNorm, number);
    }

    private static RankProduct ofRank(RankShare share, Product product, Split split) {
        return new RankProduct(
                product.name(),
                split == Split.INPUTS ? share.split(product.inputs()) : product.inputs(),
                split == Split.OUTPUTS ? share.split(product.outputs()) : product.outputs(),
                product.bias(),
                share.profile().eightBitProducts());
    }

    private static RankProduct fused(String name, List<RankProduct> products) {
        RankProduct first = products.get(0);
        return new RankProduct(
                name,
                first.inputs(),
                products.stream().mapToLong(RankProduct::outputs).sum(),
                first.bias(),
                first.eightBits());
    }

    @Override
    public List<Kernel> forward() {
        return recompute(Checkpointing.FULL);
    }

    @Override
    public List<Kernel> recompute(Checkpointing checkpointing) {
        RankShare.Sequence kernels = share.sequence();
        for (int i = 0; i < products.size(); i++) {
            RankProduct product = products.get(i);
            if (!checkpointing.keepsProduct(number + i, product.bias())) {
                addForward(kernels, product);
            }
        }
        return kernels.list();
    }

    private void addForward(RankShare.Sequence kernels, RankProduct product) {
        if (product.eightBits() && !afterNorm) {
            kernels.add(Operator.QUANTIZE_INPUT, share.tokens() * product.inputs());
        }
        kernels.add(product.forward(share.tokens()));
        if (product.bias()) {
            kernels.add(Operator.BIAS_FORWARD, share.tokens() * product.outputs());
        }
    }

    @Override
    public List<Kernel> backward() {
        RankShare.Sequence kernels = share.sequence();
        for (RankProduct product : products) {
            if (product.eightBits()) {
                kernels.add(Operator.QUANTIZE_GRADIENT, share.tokens() * product.outputs());
            }
            kernels.add(product.inputGradient(share.tokens()));
        }
        if (split == Split.INPUTS) {
            kernels.addAll(weightGradients());
        }
        return kernels.list();
    }

    List<Kernel> weightGradients() {
        RankShare.Sequence kernels = share.sequence();
        for (RankProduct product : products) {
            if (product.eightBits() && afterNorm) {
                kernels.add(Operator.TRANSPOSE_INPUT, share.tokens() * product.inputs());
            }
            kernels.add(product.weightGradient(share.tokens()));
            if (product.bias()) {
                kernels.add(Operator.BIAS_GRADIENT, share.tokens() * product.outputs());
            }
        }
        return kernels.list();
    }

    /** Its products of a forward, without what goes with them. */
    List<Kernel> forwardProducts() {
        return products.stream().map(product -> product.forward(share.tokens())).toList();
    }

    /** Its products that give the gradient of its input. */
    List<Kernel> inputGradients() {
        return products.stream()
                .map(product -> product.inputGradient(share.tokens()))
                .toList();
    }
}

package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Operator.Linear;
import io.shardsim.simulator.workload.Operator.Linear.Product;
import io.shardsim.simulator.workload.Operator.Split;
import io.shardsim.simulator.workload.Segment.Direction;
import io.shardsim.simulator.workload.Segment.Portion;
import java.util.List;

/**
 * A linear map: one product for each of its matrices, or one for all where the framework fuses them.
 *
 * @param afterNorm whether a norm gives what it takes
 * @param number of its first product among those of the block
 */
record LinearKernels(RankShare share, List<RankProduct> products, boolean afterNorm, int number)
        implements OperatorKernels {

    static LinearKernels of(RankShare share, Linear linear, boolean afterNorm, int number) {
        List<RankProduct> products = linear.products().stream()
                .map(product -> ofRank(share, product, linear.split()))
                .toList();
        boolean fused = products.size() > 1 && share.profile().fusedProjections();
        return new LinearKernels(share, fused ? List.of(fused(linear.name(), products)) : products, afterNorm, number);
    }

    private static RankProduct ofRank(RankShare share, Product product, Split split) {
        return new RankProduct(
                product.name(),
                split == Split.INPUTS ? share.split(product.inputs()) : product.inputs(),
                split == Split.OUTPUTS ? share.split(product.outputs()) : product.outputs(),
                product.bias(),
                share.profile().eightBitProducts() ? RankProduct.Format.EIGHT_BITS : RankProduct.Format.OF_THE_JOB);
    }

    private static RankProduct fused(String name, List<RankProduct> products) {
        RankProduct first = products.get(0);
        return new RankProduct(
                name,
                first.inputs(),
                products.stream().mapToLong(RankProduct::outputs).sum(),
                first.bias(),
                first.format());
    }

    @Override
    public List<Kernel> list(Direction direction, Portion portion) {
        RankShare.Sequence kernels = share.sequence();
        if (direction.isBackward()) {
            if (portion != Portion.WEIGHT_GRADIENT) {
                addInputGradients(kernels, portion);
            }
            if (portion != Portion.INPUT_GRADIENT && portion != Portion.OTHER_ROWS) {
                addWeightGradients(kernels);
            }
        } else {
            addForward(kernels, portion, direction == Direction.RECOMPUTE_NOT_KEPT);
        }
        return kernels.list();
    }

    private void addForward(RankShare.Sequence kernels, Portion portion, boolean notKept) {
        for (int i = 0; i < products.size(); i++) {
            RankProduct product = products.get(i);
            if (notKept && Checkpointing.OPERATOR.keepsProduct(number + i, product.bias())) {
                continue;
            }
            boolean whole = portion != Portion.OTHER_ROWS;
            if (whole && product.eightBits() && !afterNorm) {
                kernels.add(Operator.QUANTIZE_INPUT, share.tokens() * product.inputs());
            }
            addRows(kernels, product.forward(share.tokens()), portion);
            if (whole && product.bias()) {
                kernels.add(Operator.BIAS_FORWARD, share.tokens() * product.outputs());
            }
        }
    }

    private void addInputGradients(RankShare.Sequence kernels, Portion portion) {
        for (RankProduct product : products) {
            if (portion != Portion.OTHER_ROWS && product.eightBits()) {
                kernels.add(Operator.QUANTIZE_GRADIENT, share.tokens() * product.outputs());
            }
            addRows(kernels, product.inputGradient(share.tokens()), portion);
        }
    }

    private void addWeightGradients(RankShare.Sequence kernels) {
        for (RankProduct product : products) {
            if (product.eightBits() && afterNorm) {
                kernels.add(Operator.TRANSPOSE_INPUT, share.tokens() * product.inputs());
            }
            kernels.add(product.weightGradient(share.tokens()));
            if (product.bias()) {
                kernels.add(Operator.BIAS_GRADIENT, share.tokens() * product.outputs());
            }
        }
    }

    /** The rows of other ranks share waves: they go on several streams (csrc/comm_gemm_overlap.h, _stream_compute). */
    private void addRows(RankShare.Sequence kernels, Kernel.Matmul product, Portion portion) {
        int ranks = share.workload().split().tensor();
        if (portion == Portion.OWN_ROWS) {
            kernels.add(product.piece(ranks));
        } else if (portion != Portion.OTHER_ROWS) {
            kernels.add(product);
        } else if (ranks > 1) {
            kernels.add(product.otherPieces(ranks));
        }
    }
}

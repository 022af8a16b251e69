package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Linear;
import io.shardsim.simulator.workload.Linear.Product;
import io.shardsim.simulator.workload.Linear.Split;
import io.shardsim.simulator.workload.Segment.Direction;
import io.shardsim.simulator.workload.Segment.Portion;
import io.shardsim.simulator.workload.Tuning;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Linear map: one GEMM per matrix, or one fused GEMM, plus the GEMMs of LoRA adapters.
 *
 * <p>A quantized matrix is dequantized before each of its GEMMs. An adapter's result is scaled and added to its matrix's (huggingface/peft v0.10,
 * tuners/lora/layer.py and bnb.py; bitsandbytes 0.43, autograd/_functions.py, MatMul4Bit, 2024-03); a compiler fuses both.
 *
 * @param tokens tokens per pass
 * @param afterNorm whether its input comes from a norm
 * @param number index of its first GEMM in the block
 * @param tuning tuning of the matrices
 */
record LinearKernels(
        RankShare share,
        long tokens,
        List<RankProduct> products,
        boolean afterNorm,
        int number,
        Tuning tuning,
        List<RankAdapter> adapters)
        implements OperatorKernels {

    /** Shards of an adapter's two matrices on one rank. */
    private record RankAdapter(RankProduct down, RankProduct up) {}

    static LinearKernels of(RankShare share, Linear linear, boolean afterNorm, int number) {
        List<RankProduct> products = linear.products().stream()
                .map(product -> ofRank(share, product, linear.split()))
                .toList();
        boolean fused = products.size() > 1 && share.profile().fusedProjections();
        List<RankAdapter> adapters = linear.adapters().stream()
                .map(adapter -> new RankAdapter(ofAdapter(adapter.down()), ofAdapter(adapter.up())))
                .toList();
        return new LinearKernels(
                share,
                linear.isOfExperts() ? share.expertTokens() : share.tokens(),
                fused ? List.of(fused(linear.name(), products)) : products,
                afterNorm,
                number,
                linear.tuning(),
                adapters);
    }

    /** Returns an adapter's matrix, unsplit: no strategy with tensor parallelism trains adapters. */
    private static RankProduct ofAdapter(Product product) {
        return new RankProduct(
                product.name(),
                product.inputs(),
                product.outputs(),
                false,
                RankProduct.Format.OF_THE_JOB,
                product.experts());
    }

    private static RankProduct ofRank(RankShare share, Product product, Split split) {
        RankProduct.Format format =
                share.profile().eightBitProducts() ? RankProduct.Format.EIGHT_BITS : RankProduct.Format.OF_THE_JOB;
        boolean ofExperts = product.experts().number() > 1;
        LongUnaryOperator divided = ofExperts ? share::ofExperts : share::split;
        return new RankProduct(
                product.name(),
                split == Split.INPUTS ? divided.applyAsLong(product.inputs()) : product.inputs(),
                split == Split.OUTPUTS ? divided.applyAsLong(product.outputs()) : product.outputs(),
                product.bias() && !(ofExperts && share.profile().groupedExperts()),
                format,
                ofExperts ? share.own(product.experts()) : product.experts());
    }

    private static RankProduct fused(String name, List<RankProduct> products) {
        RankProduct first = products.get(0);
        return new RankProduct(
                name,
                first.inputs(),
                products.stream().mapToLong(RankProduct::outputs).sum(),
                first.bias(),
                first.format(),
                first.experts());
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
            adapters.forEach(adapter -> addForward(kernels, adapter));
        }
        return kernels.list();
    }

    private void addForward(RankShare.Sequence kernels, RankAdapter adapter) {
        kernels.add(adapter.down().forward(tokens));
        kernels.add(adapter.up().forward(tokens));
        addScaled(
                kernels, "adapter.forward", adapter.up().outputs(), adapter.up().outputs());
    }

    /** Adds the kernels of an adapter's input gradients: scaled before it and then added to its matrix's. */
    private void addInputGradients(RankShare.Sequence kernels, RankAdapter adapter) {
        kernels.add(adapter.up().inputGradient(tokens));
        kernels.add(adapter.down().inputGradient(tokens));
        addScaled(
                kernels,
                "adapter.backward",
                adapter.up().outputs(),
                adapter.down().inputs());
    }

    /** Adds an adapter's elementwise scale and add kernels; {@code scaled} and {@code added} are elements per token. */
    private void addScaled(RankShare.Sequence kernels, String name, long scaled, long added) {
        long elementBytes = share.profile().elementBytes();
        if (share.profile().recomputesPointwise()) {
            kernels.add(new Kernel.MemoryBound(name, 3 * elementBytes * tokens * added));
        } else {
            kernels.add(new Kernel.MemoryBound(name + ".scale", 2 * elementBytes * tokens * scaled));
            kernels.add(new Kernel.MemoryBound(name + ".add", 3 * elementBytes * tokens * added));
        }
    }

    /** Adds the dequantization of a matrix to the job's precision. */
    private void addDequantized(RankShare.Sequence kernels, RankProduct product) {
        if (tuning.isQuantized()) {
            long weights = product.experts().number() * product.inputs() * product.outputs();
            int elementBytes = share.profile().elementBytes();
            kernels.add(new Kernel.MemoryBound(
                    product.name() + ".dequantize", tuning.bytes(weights, elementBytes) + elementBytes * weights));
        }
    }

    private void addForward(RankShare.Sequence kernels, Portion portion, boolean notKept) {
        for (int i = 0; i < products.size(); i++) {
            RankProduct product = products.get(i);
            if (notKept && Checkpointing.OPERATOR.keepsProduct(number + i, product.bias())) {
                continue;
            }
            boolean whole = portion != Portion.OTHER_ROWS;
            if (whole && product.eightBits() && !afterNorm) {
                kernels.addAll(share.launchedPerExpert(
                        Operator.QUANTIZE_INPUT, product.allRows(tokens) * product.inputs(), product.experts()));
            }
            addDequantized(kernels, product);
            addRows(kernels, product.forward(tokens), portion);
            if (whole && product.bias()) {
                kernels.add(Operator.BIAS_FORWARD, product.allRows(tokens) * product.outputs());
            }
        }
    }

    private void addInputGradients(RankShare.Sequence kernels, Portion portion) {
        for (RankProduct product : products) {
            if (portion != Portion.OTHER_ROWS && product.eightBits()) {
                kernels.addAll(share.launchedPerExpert(
                        Operator.QUANTIZE_GRADIENT, product.allRows(tokens) * product.outputs(), product.experts()));
            }
            addDequantized(kernels, product);
            addRows(kernels, product.inputGradient(tokens), portion);
        }
        adapters.forEach(adapter -> addInputGradients(kernels, adapter));
    }

    private void addWeightGradients(RankShare.Sequence kernels) {
        for (RankAdapter adapter : adapters) {
            kernels.add(adapter.up().weightGradient(tokens));
            kernels.add(adapter.down().weightGradient(tokens));
        }
        for (RankProduct product : tuning.isTrained() ? products : List.<RankProduct>of()) {
            if (product.eightBits() && afterNorm) {
                kernels.add(Operator.TRANSPOSE_INPUT, product.allRows(tokens) * product.inputs());
            }
            add(kernels, product.weightGradient(tokens));
            if (product.bias()) {
                kernels.add(Operator.BIAS_GRADIENT, product.allRows(tokens) * product.outputs());
            }
        }
    }

    /** Adds the rows of other ranks; they share waves on several streams (csrc/comm_gemm_overlap.h, _stream_compute). */
    private void addRows(RankShare.Sequence kernels, Kernel.Matmul product, Portion portion) {
        int ranks = share.workload().split().tensor();
        if (portion == Portion.OWN_ROWS) {
            add(kernels, product.piece(ranks));
        } else if (portion != Portion.OTHER_ROWS) {
            add(kernels, product);
        } else if (ranks > 1) {
            add(kernels, product.otherPieces(ranks));
        }
    }

    /** Adds the GEMMs of all experts: grouped, in one launch or one launch each, or one after another if the framework has no grouped GEMM. */
    private void add(RankShare.Sequence kernels, Kernel.Matmul product) {
        FrameworkProfile profile = share.profile();
        if (profile.groupedExperts()) {
            kernels.add(profile.launchesExpertsApart() ? product.launchedApart() : product);
            return;
        }
        for (long expert = 0; expert < product.batch(); expert++) {
            kernels.add(product.single());
        }
    }
}

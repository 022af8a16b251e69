package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.RankShare.Linear;
import io.shardsim.simulator.workload.Checkpointing;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The kernels of one of the two blocks of a layer: norm, products that split its input among ranks, what is between them, a product that brings the parts
 * together, residual addition.
 */
public abstract sealed class BlockKernels permits AttentionBlock, FeedForwardBlock {
    final RankShare share;
    private final List<Linear> first;
    private final Linear last;

    /**
     * @param first what its input meets first
     * @param last what gives its output
     */
    BlockKernels(RankShare share, List<Linear> first, Linear last) {
        this.share = share;
        this.first = first;
        this.last = last;
    }

    /** What runs when a checkpoint of the layer's input is computed again. */
    public abstract List<Kernel> recompute(Checkpointing checkpointing);

    /** Between the first products and the last one. */
    abstract List<Kernel> innerForward();

    /** Back from the last product to the first ones. */
    abstract List<Kernel> innerBackward();

    final List<Linear> first() {
        return first;
    }

    public List<Kernel> forward() {
        RankShare.Sequence kernels = share.sequence();
        kernels.addAll(forwardToLast(first));
        kernels.addForward(List.of(last));
        kernels.addResidualForward();
        return kernels.list();
    }

    /** From the norm to the input of the last product, by some of the first ones. */
    List<Kernel> forwardToLast(List<Linear> products) {
        RankShare.Sequence kernels = share.sequence();
        kernels.addNormForward();
        kernels.addForward(products);
        kernels.addAll(innerForward());
        return kernels.list();
    }

    public List<Kernel> backward() {
        return RankShare.joined(inputGradient(), weightGradients());
    }

    /** Backward up to the gradient of the block's input. */
    public List<Kernel> inputGradient() {
        RankShare.Sequence kernels = share.sequence();
        kernels.addResidualBackward();
        kernels.addBackward(last);
        kernels.addAll(innerBackward());
        kernels.addInputGradients(first);
        kernels.addNormBackward();
        return kernels.list();
    }

    /** Gradients of the weights that the block's input meets first. */
    public List<Kernel> weightGradients() {
        return share.weightGradients(first);
    }

    /** Of the block's forward, or of what is computed again of it. */
    public Stretches stretches(List<Kernel> block) {
        return Stretches.of(
                block,
                share.forwardProducts(first),
                share.forwardProducts(List.of(last)),
                share.workload().tensorParallel());
    }

    /** Of the block's backward. */
    public Stretches backwardStretches() {
        return Stretches.ofBackward(
                inputGradient(),
                last.inputGradient(share.tokens()),
                weightGradients(),
                share.workload().tensorParallel());
    }

    /** Of its first products those that {@link Checkpointing#OPERATOR} does not keep: every second one of the block, and all with a bias. */
    List<Linear> firstRecomputed() {
        return IntStream.range(0, first.size())
                .filter(i -> i % 2 == 1 || first.get(i).bias())
                .mapToObj(first::get)
                .toList();
    }

    /** The last product, if such a checkpoint does not keep it. */
    List<Linear> lastRecomputed() {
        return first.size() % 2 == 1 || last.bias() ? List.of(last) : List.of();
    }
}

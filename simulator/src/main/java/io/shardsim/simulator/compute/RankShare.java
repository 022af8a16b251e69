package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.compute.LayerKernels.Workload;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Span;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * One rank's share of a model's tokens, heads and widths, and common code for the kernels of all blocks.
 *
 * @param shape the model
 * @param workload lengths, batch and splits
 * @param profile the framework that issues the kernels
 * @param span tokens of each sample that the kernels work on
 */
record RankShare(ModelShape shape, Workload workload, FrameworkProfile profile, Span span) {

    long tokens() {
        return (long) rankSequence() * workload.microBatch();
    }

    /** Returns the rank's tokens of a sample. */
    int rankSequence() {
        return span.of(workload.rankSequence());
    }

    /** Returns the rank's share of a width; the largest if it does not divide. */
    long split(long width) {
        return (width + workload.split().tensor() - 1) / workload.split().tensor();
    }

    /**
     * Returns the elements of a tensor, given its width per token, on which norms and residuals work: all tokens, or the rank's shard of the
     * sequence.
     */
    long whole(long width) {
        long elements = tokens() * width;
        return workload.split().sequence() ? split(elements) : elements;
    }

    /** Returns whether other ranks have other experts, or other parts of them. */
    boolean sharesExperts() {
        return workload.split().experts() > 1;
    }

    /** Returns the rank's own experts. */
    Experts own(Experts experts) {
        return new Experts(
                Math.max(
                        1,
                        experts.number()
                                * workload.split().expertTensor()
                                / workload.split().experts()),
                experts.perToken(),
                experts.kept(),
                experts.fullest());
    }

    /**
     * Returns the tokens that this rank sends to experts, as many as it receives from all ranks. With expert parallelism, these are its own shard of
     * the sequence.
     */
    long routedTokens() {
        return sharesExperts() ? split(tokens()) : tokens();
    }

    /** Returns the tokens whose copies its experts compute: also those sent to the ranks that split them. */
    long expertTokens() {
        return routedTokens() * workload.split().expertTensor();
    }

    /** Returns the rank's share of an expert's width. */
    long ofExperts(long width) {
        return sharesExperts() ? width / workload.split().expertTensor() : split(width);
    }

    /**
     * Lists the kernels of an operator over the elements of all experts: one grouped kernel, or one per expert if the framework loops over experts.
     */
    List<Kernel> perExpert(Operator operator, long elements, Experts experts) {
        int parts = profile.groupedExperts() ? 1 : own(experts).number();
        List<Kernel> kernels = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            kernels.addAll(profile.kernels(operator, elements / parts));
        }
        return kernels;
    }

    /** Lists the kernels of an operator that the framework launches for each expert of its own, with or without grouped GEMMs. */
    List<Kernel> launchedPerExpert(Operator operator, long elements, Experts own) {
        FrameworkProfile.Cost cost = profile.cost(operator);
        long bytes = (long) (cost.bytes() * elements);
        return Collections.nCopies(
                cost.kernels(), new Kernel.MemoryBound(operator.kernel(), bytes / cost.kernels(), own.number()));
    }

    /** Lists the passes over the elements of copies that only an all-to-all leaves to the framework. */
    List<Kernel> arranged(long elements, Experts experts) {
        Sequence kernels = sequence();
        if (sharesExperts() && workload.split().allToAll()) {
            if (own(experts).number() > 1) {
                kernels.add(Operator.SORT_COPIES, elements);
            }
            kernels.add(Operator.PAD_COPIES, elements);
        }
        return kernels.list();
    }

    /** Returns an empty sequence. */
    Sequence sequence() {
        return new Sequence();
    }

    static List<Kernel> joined(List<Kernel> first, List<Kernel> second) {
        List<Kernel> kernels = new ArrayList<>(first);
        kernels.addAll(second);
        return kernels;
    }

    /** Sequence of kernels. */
    final class Sequence {
        private final List<Kernel> list = new ArrayList<>();

        List<Kernel> list() {
            return list;
        }

        void add(Kernel kernel) {
            list.add(kernel);
        }

        void addAll(List<Kernel> kernels) {
            list.addAll(kernels);
        }

        void add(Operator operator, long elements) {
            list.addAll(profile.kernels(operator, elements));
        }
    }
}

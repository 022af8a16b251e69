package io.shardsim.simulator.compute;

import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.compute.LayerKernels.Workload;
import io.shardsim.simulator.workload.Experts;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Span;
import java.util.ArrayList;
import java.util.List;

/**
 * What one rank has of a model, its tokens, heads and widths, and the kernels that all blocks are made of.
 *
 * @param shape the model
 * @param workload lengths, batch and splits
 * @param profile the framework that issues them
 * @param span which tokens of each sample it works on
 */
record RankShare(ModelShape shape, Workload workload, FrameworkProfile profile, Span span) {

    long tokens() {
        return (long) rankSequence() * workload.microBatch();
    }

    /** Those of a sample. */
    int rankSequence() {
        return span.of(workload.rankSequence());
    }

    /** Its part of a width, the largest if it does not divide. */
    long split(long width) {
        return (width + workload.split().tensor() - 1) / workload.split().tensor();
    }

    /** Elements of so many for each token that norms and residuals work on: all, or those of its part of the sequence. */
    long whole(long width) {
        long elements = tokens() * width;
        return workload.split().sequence() ? split(elements) : elements;
    }

    /** Whether other ranks have other experts. */
    boolean sharesExperts() {
        return workload.split().experts() > 1;
    }

    /** Those of so many experts that the rank has. */
    Experts own(Experts experts) {
        return new Experts(
                Math.max(1, experts.number() / workload.split().experts()),
                experts.perToken(),
                experts.kept(),
                experts.fullest());
    }

    /** Tokens that go to experts from here, as many as come here from all ranks: those of the rank's own part of the sequence, if others have the others'. */
    long routedTokens() {
        return sharesExperts() ? split(tokens()) : tokens();
    }

    /** Its part of a width that experts have. */
    long ofExperts(long width) {
        return sharesExperts() ? width : split(width);
    }

    /** A map of the elements of all experts, or of one expert's after the other's where the framework goes through them in a loop. */
    List<Kernel> perExpert(Operator operator, long elements, Experts experts) {
        int parts = profile.groupedExperts() ? 1 : own(experts).number();
        List<Kernel> kernels = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            kernels.addAll(profile.kernels(operator, elements / parts));
        }
        return kernels;
    }

    /** Nothing yet, to be added to. */
    Sequence sequence() {
        return new Sequence();
    }

    static List<Kernel> joined(List<Kernel> first, List<Kernel> second) {
        List<Kernel> kernels = new ArrayList<>(first);
        kernels.addAll(second);
        return kernels;
    }

    /** Kernels one after the other. */
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

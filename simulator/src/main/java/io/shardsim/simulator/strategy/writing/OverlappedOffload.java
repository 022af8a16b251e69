package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * Copies beside compute [1]: what a layer keeps is stored as soon as its forward is done, beside the forward of the next two; and loaded back ahead
 * of its backward, no more than the horizon's number of layers that backward has not come to yet. Both go over PCIe, where they meet what goes to and
 * from NICs.
 *
 * <p>Micro-batches come back in the order in which they went, as every schedule has it.
 *
 * <p>[1] Amazon SageMaker developer guide, Activation Offloading; sagemaker.parameters {@code offload_activations}, {@code activation_loading_horizon}.
 */
final class OverlappedOffload implements ActivationOffload {
    private final StepWriter writer;
    private final int horizon;
    private final IntToLongFunction keptBytes;
    /** For each layer, the copies to the host whose activations have not been asked for, oldest first. */
    private final List<Deque<Integer>> stored = new ArrayList<>();
    /** For each layer, the copies from the host that its backward has not waited for yet, oldest first. */
    private final List<Deque<Integer>> loaded = new ArrayList<>();
    /** Backwards of layers, in order; the n-th load is that of the n-th of them. */
    private final List<Integer> backwards = new ArrayList<>();

    private int loads;
    private int first;
    private int last;

    OverlappedOffload(StepWriter writer, TrainingJob job, int horizon, IntToLongFunction keptBytes) {
        this.writer = writer;
        this.horizon = horizon;
        this.keptBytes = keptBytes;
        for (int layer = 0; layer < job.model().layers(); layer++) {
            stored.add(new ArrayDeque<>());
            loaded.add(new ArrayDeque<>());
        }
        onLayers(0, job.model().layers());
    }

    @Override
    public void onLayers(int firstLayer, int layers) {
        first = firstLayer;
        last = firstLayer + layers - 1;
    }

    /** Frees what the second layer before kept; returns the copy of that. */
    @Override
    public int enterForward(int layer) {
        if (layer - 2 < first) {
            return StepWriter.NONE;
        }
        writer.free(MemoryOwner.ACTIVATIONS, keptBytes.applyAsLong(layer - 2));
        return stored.get(layer - 2).getLast();
    }

    @Override
    public void leaveForward(int layer, int forward) {
        long bytes = keptBytes.applyAsLong(layer);
        stored.get(layer).add(writer.hostCopy(Stream.COPY, Work.Kind.HOST_STORE, bytes, "store activations", forward));
    }

    /** Frees what the last layers of the piece kept. */
    @Override
    public void endForward() {
        for (int layer = Math.max(first, last - 1); layer <= last; layer++) {
            writer.free(MemoryOwner.ACTIVATIONS, keptBytes.applyAsLong(layer));
        }
    }

    @Override
    public void loadAhead() {
        loadFrom(last);
    }

    /** Loads for a layer and those after it in backward; returns the copy for this one. */
    @Override
    public int enterBackward(int layer) {
        loadFrom(layer);
        return loaded.get(layer).remove();
    }

    @Override
    public void leaveBackward(int backward) {
        backwards.add(backward);
    }

    /** Loads as far ahead as the horizon has room; what it has none for comes when a backward that is written later makes some. */
    private void loadFrom(int layer) {
        int furthest = Math.max(first, layer - horizon + 1);
        for (int next = layer; next >= furthest && loads < backwards.size() + horizon; next--) {
            if (loaded.get(next).isEmpty() && !stored.get(next).isEmpty()) {
                int done = loads < horizon ? StepWriter.NONE : backwards.get(loads - horizon);
                writer.allocate(MemoryOwner.ACTIVATIONS, keptBytes.applyAsLong(next));
                loaded.get(next)
                        .add(writer.hostCopy(
                                Stream.COPY,
                                Work.Kind.HOST_LOAD,
                                keptBytes.applyAsLong(next),
                                "load activations",
                                stored.get(next).remove(),
                                done));
                loads++;
            }
        }
    }
}

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
 * Copies overlapped with compute [1]: a layer's saved tensors are stored after its forward, overlapped with the next two forwards, and prefetched for
 * its backward, at most as many layers ahead as the horizon. Both use PCIe, where they contend with NIC traffic.
 *
 * <p>Micro-batches are loaded in the order of storing, as in every schedule.
 *
 * <p>[1] Amazon SageMaker developer guide, Activation Offloading; sagemaker.parameters {@code offload_activations},
 * {@code activation_loading_horizon}.
 */
final class OverlappedOffload implements ActivationOffload {
    private final StepWriter writer;
    private final int horizon;
    private final IntToLongFunction keptBytes;
    /** Copies to the host whose activations have not been requested, by layer, oldest first. */
    private final List<Deque<Integer>> stored = new ArrayList<>();
    /** Copies from the host that backward has not waited for yet, by layer, oldest first. */
    private final List<Deque<Integer>> loaded = new ArrayList<>();
    /** Backwards of layers, in order; the n-th load is for the n-th of them. */
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

    /** Frees the saved tensors of the second layer before; returns their copy. */
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

    /** Frees the saved tensors of the model chunk's last layers. */
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

    /** Loads for a layer and those after it in backward; returns this layer's copy. */
    @Override
    public int enterBackward(int layer) {
        loadFrom(layer);
        return loaded.get(layer).remove();
    }

    @Override
    public void leaveBackward(int backward) {
        backwards.add(backward);
    }

    /** Loads as far ahead as the horizon allows; a later backward loads the rest when it makes room. */
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

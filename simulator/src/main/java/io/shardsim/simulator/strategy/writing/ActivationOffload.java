package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.topology.units.Bandwidth;
import java.util.function.IntToLongFunction;

/**
 * Offload of saved activations of a pipeline stage's layers to host memory and back. A layer is entered before the host runs its modules, and left
 * when its compute has been issued; calls follow a micro-batch through the layers.
 */
public interface ActivationOffload {
    /** No offload: activations stay on the GPU. */
    ActivationOffload NONE = new ActivationOffload() {};

    /**
     * Returns the offload of the library with these settings, if the job asks for it.
     *
     * @param keptBytes saved bytes by layer
     */
    static ActivationOffload of(
            StepWriter writer, TrainingJob job, StrategyParameters settings, IntToLongFunction keptBytes) {
        if (!job.kept().offload()) {
            return NONE;
        }
        if (blocks(settings)) {
            return new BlockingOffload(
                    writer,
                    new Bandwidth(settings.whole("pageable_store_rate")),
                    new Bandwidth(settings.whole("pageable_load_rate")),
                    keptBytes);
        }
        return new OverlappedOffload(writer, job, settings.count("activation_loading_horizon"), keptBytes);
    }

    /** Returns whether the host waits for its copies. */
    private static boolean blocks(StrategyParameters settings) {
        return settings.names().contains("pageable_store_rate");
    }

    /** Returns the bytes that each layer offloads during compute, and loads back, per micro-batch; 0 if the host waits for the copies [bytes]. */
    static IntToLongFunction overlappedBytes(TrainingJob job, StrategyParameters settings) {
        return job.kept().offload() && !blocks(settings)
                ? new MicroBatchMemory(job, job.profile())::keptBytes
                : layer -> 0;
    }

    /** Sets the layers of the model chunk that the next forward or backward runs through. */
    default void onLayers(int firstLayer, int layers) {}

    /** Returns the copy that the forward of a layer waits for, or {@link StepWriter#NONE}. */
    default int enterForward(int layer) {
        return StepWriter.NONE;
    }

    /** Allows the layer's saved activations to leave the GPU. */
    default void leaveForward(int layer, int forward) {}

    /** Ends the forward of the model chunk, after its last layer has been left. */
    default void endForward() {}

    /** Loads saved tensors for the first layers of an upcoming backward, as far as they have been stored. */
    default void loadAhead() {}

    /** Returns the copy that recomputation and backward of a layer wait for, or {@link StepWriter#NONE}. */
    default int enterBackward(int layer) {
        return StepWriter.NONE;
    }

    default void leaveBackward(int backward) {}
}

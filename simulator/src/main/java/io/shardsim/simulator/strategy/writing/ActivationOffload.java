package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.strategy.settings.StrategyParameters;
import io.shardsim.topology.units.Bandwidth;
import java.util.function.IntToLongFunction;

/**
 * How what layers of one pipeline stage keep for backward gets to host memory and back. A layer is entered before the host goes through its modules,
 * and left when its compute has been issued; calls come in the order in which a micro-batch passes the layers.
 */
public interface ActivationOffload {
    /** Activations stay on the GPU. */
    ActivationOffload NONE = new ActivationOffload() {};

    /**
     * As the library does it whose settings these are, if the job asks for it.
     *
     * @param keptBytes of each layer
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

    /** Whether the host waits for its copies. */
    private static boolean blocks(StrategyParameters settings) {
        return settings.names().contains("pageable_store_rate");
    }

    /** What each layer sends to the host beside compute, and gets back, for one micro-batch; nothing where the host waits for it [bytes]. */
    static IntToLongFunction overlappedBytes(TrainingJob job, StrategyParameters settings) {
        return job.kept().offload() && !blocks(settings)
                ? new MicroBatchMemory(job, job.profile())::keptBytes
                : layer -> 0;
    }

    /** Names the layers of the piece of the model that the next forward or backward goes through. */
    default void onLayers(int firstLayer, int layers) {}

    /** Returns the copy that the forward of a layer waits for, or {@link StepWriter#NONE}. */
    default int enterForward(int layer) {
        return StepWriter.NONE;
    }

    /** What the layer keeps need not stay on the GPU. */
    default void leaveForward(int layer, int forward) {}

    /** The last layer of the piece has been left. */
    default void endForward() {}

    /** A backward of the piece is near: what its first layers need may be loaded, as far as it has been stored. */
    default void loadAhead() {}

    /** Returns the copy that recomputation and backward of a layer wait for, or {@link StepWriter#NONE}. */
    default int enterBackward(int layer) {
        return StepWriter.NONE;
    }

    default void leaveBackward(int backward) {}
}

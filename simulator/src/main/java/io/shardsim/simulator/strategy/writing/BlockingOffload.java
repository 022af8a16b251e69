package io.shardsim.simulator.strategy.writing;

import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.topology.units.Bandwidth;
import java.util.function.IntToLongFunction;

/**
 * Blocking copies of the host [1]: a layer's saved tensors are copied to newly allocated pageable memory before its forward, and back before its
 * backward. A CPU copies the pages, slower than PCIe, and launches nothing meanwhile.
 *
 * <p>Leaves out contention of these copies with other PCIe traffic.
 *
 * <p>[1] deepspeed/runtime/activation_checkpointing/checkpointing.py, v0.6.2 to v0.17.6: CheckpointFunction moves its arguments by Tensor.to.
 *
 * @param store rate to memory touched for the first time
 * @param load rate from memory
 * @param keptBytes saved bytes by layer
 */
record BlockingOffload(StepWriter writer, Bandwidth store, Bandwidth load, IntToLongFunction keptBytes)
        implements ActivationOffload {

    @Override
    public int enterForward(int layer) {
        long storePs = store.serializationPs(keptBytes.applyAsLong(layer));
        return writer.host(storePs, "store activations", writer.lastCompute());
    }

    @Override
    public void leaveForward(int layer, int forward) {
        writer.free(MemoryOwner.ACTIVATIONS, keptBytes.applyAsLong(layer));
    }

    @Override
    public int enterBackward(int layer) {
        long loadPs = load.serializationPs(keptBytes.applyAsLong(layer));
        int loaded = writer.host(loadPs, "load activations", writer.lastCompute());
        writer.allocate(MemoryOwner.ACTIVATIONS, keptBytes.applyAsLong(layer));
        return loaded;
    }
}

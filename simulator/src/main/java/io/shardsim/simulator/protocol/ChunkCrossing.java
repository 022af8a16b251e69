package io.shardsim.simulator.protocol;

import io.shardsim.simulator.kernel.Crossing;
import io.shardsim.simulator.kernel.EventBatch;
import io.shardsim.simulator.kernel.VirtualTimeMessage;

/** Serialization of chunks as numbers; a path is identified by its ID, which is the same in every logical process. */
public final class ChunkCrossing implements Crossing {
    private final Path[] paths;

    /** @param paths paths by ID */
    public ChunkCrossing(Path[] paths) {
        this.paths = paths;
    }

    @Override
    public void write(VirtualTimeMessage message, EventBatch to) {
        if (!(message instanceof Chunk chunk)) {
            throw new IllegalStateException("only chunks cross between logical processes: " + message);
        }
        to.add(chunk.timePs());
        to.add(chunk.order());
        to.add(chunk.headPs());
        to.add((long) chunk.path().id() << Integer.SIZE | chunk.hop());
        to.add(chunk.bytes());
    }

    @Override
    public void deliver(EventBatch from) {
        long timePs = from.next();
        long order = from.next();
        long headPs = from.next();
        long place = from.next();
        long bytes = from.next();
        int hop = (int) place;
        Path path = paths[(int) (place >>> Integer.SIZE)];
        path.stop(hop).actor().tell(new Chunk(timePs, order, headPs, path, hop, bytes));
    }
}

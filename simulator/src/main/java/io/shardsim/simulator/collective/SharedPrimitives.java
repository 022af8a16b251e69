package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Cache of recent programs' primitives, so that thousands of ranks with the same program share one list. A list depends only on its key, so dropping
 * one only costs writing it again.
 */
public final class SharedPrimitives {
    private static final int KEPT = 256;

    private final Map<Key, List<Primitive>> recent = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, List<Primitive>> eldest) {
            return size() > KEPT;
        }
    };

    /** Everything that a rank's primitives depend on; {@code role} distinguishes ranks with different programs. */
    private record Key(long partBytes, long chunkBytes, int slices, int size, int nodes, int role) {}

    /** Returns the primitives for a share of the buffer; the writer writes them if they are not cached. */
    public synchronized List<Primitive> get(
            CollectiveRequest request, Chunks chunks, int nodes, int role, Consumer<PrimitiveList> writer) {
        Transport transport = request.transport();
        Key key = new Key(chunks.partBytes(), transport.chunkBytes(), transport.slices(), request.size(), nodes, role);
        List<Primitive> known = recent.get(key);
        if (known == null) {
            PrimitiveList list = new PrimitiveList(transport);
            writer.accept(list);
            known = list.toList();
            recent.put(key, known);
        }
        return known;
    }
}

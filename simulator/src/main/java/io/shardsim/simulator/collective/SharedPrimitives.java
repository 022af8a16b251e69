package io.shardsim.simulator.collective;

import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Keeps the primitives of recent programs, so that the thousands of ranks that do the same share one list. What a list holds depends on its
 * key alone; forgetting one costs only the time to write it again.
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

    /** All that the primitives of a rank depend on; {@code role} tells apart ranks that do different things. */
    private record Key(long partBytes, long chunkBytes, int slices, int size, int nodes, int role) {}

    /** The primitives for a part of the buffer, written by the writer when they are not known yet. */
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

package io.shardsim.simulator.collective;

/** An algorithm that carries one kind of collective. Ranks that do the same share their primitives. */
abstract class SingleKindAlgorithm implements CollectiveAlgorithm {
    final SharedPrimitives shared = new SharedPrimitives();

    private final String name;
    private final Pattern pattern;
    private final CollectiveKind kind;

    SingleKindAlgorithm(String name, Pattern pattern, CollectiveKind kind) {
        this.name = name;
        this.pattern = pattern;
        this.kind = kind;
    }

    /** What channels share out: a shard, unless the whole buffer goes one way [bytes]. */
    long bytes(CollectiveRequest request) {
        return request.shardBytes();
    }

    /** True when a group that is placed like this is meant. */
    boolean carries(CollectiveRequest request) {
        return true;
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final Pattern pattern() {
        return pattern;
    }

    @Override
    public final boolean supports(CollectiveRequest request) {
        return request.kind() == kind && request.size() >= 2 && carries(request);
    }

    @Override
    public int channels(CollectiveRequest request) {
        return Chunks.channels(bytes(request), request.transport());
    }

    /** The part of a channel. */
    final Chunks chunks(CollectiveRequest request, int channel) {
        return Chunks.of(bytes(request), channels(request), channel, request.transport());
    }
}

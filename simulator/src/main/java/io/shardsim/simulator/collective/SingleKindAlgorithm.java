package io.shardsim.simulator.collective;

/** Algorithm for one kind of collective. Ranks with the same program share its primitives. */
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

    /** Returns the size that the channels divide among themselves: a shard, unless the whole buffer travels one way [bytes]. */
    long bytes(CollectiveRequest request) {
        return request.shardBytes();
    }

    /** Returns whether the placement of the group is supported. */
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

    /** Returns the chunks of a channel's share. */
    final Chunks chunks(CollectiveRequest request, int channel) {
        return Chunks.of(bytes(request), channels(request), channel, request.transport());
    }
}

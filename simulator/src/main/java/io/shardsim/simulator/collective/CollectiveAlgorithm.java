package io.shardsim.simulator.collective;

/**
 * A schedule of chunk transfers for one or more kinds of collective. Planning twice gives the same programs; over all ranks, bytes sent on an
 * edge equal bytes received on it, in number, order and size of slices.
 */
public interface CollectiveAlgorithm {

    /** Catalog name, for example {@code ring}. */
    String name();

    /** True when this algorithm can carry the request (kind, group size, placement on nodes). */
    boolean supports(CollectiveRequest request);

    /** Number of channels; each has one program per member. */
    int channels(CollectiveRequest request);

    /** What one member does on one channel. */
    ChannelProgram program(CollectiveRequest request, int member, int channel);
}

package io.shardsim.simulator.device;

import static io.shardsim.topology.units.Bandwidth.UNLIMITED;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.ProgramLoops;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.protocol.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Copy between GPU and host memory by a GPU's copy engine: chunk after chunk over the PCIe links of GPU, switch and host, a few in flight at a time.
 * It shares each link with other GPUs' copies and with NIC traffic. It takes no SMs.
 *
 * <p>Leaves out the arbitration of single PCIe packets, host memory's own rate, its use of GPU memory bandwidth, and NUMA.
 */
public final class HostCopy {
    /** Granularity at which copies and NIC traffic share a link; smaller chunks cost events and change little. */
    private static final long CHUNK_BYTES = 256 << 10;
    /** Maximum chunks in flight, to hide the latency of the links. */
    private static final int UNDER_WAY_MAX = 2;

    private HostCopy() {}

    /**
     * @param path from the GPU to the host or back
     * @param latencyPs one-way latency from the GPU to the host [ps]
     */
    public static RankCollective of(int rank, long bytes, Path path, long latencyPs) {
        Transport transport = new Transport(
                "host copy",
                1,
                CHUNK_BYTES,
                1,
                new Transport.Delays(latencyPs, 0, 0),
                Transport.Rates.all(UNLIMITED),
                1.0,
                0);
        int[] self = {rank};
        int[] none = {ChannelProgram.NONE};
        ChannelProgram program = new ChannelProgram(self, self, new int[] {0}, none, primitives(bytes));
        Pace[][] paces = {{new Pace(0, UNLIMITED, 0)}};
        return new RankCollective(
                transport,
                new ChannelProgram[] {program},
                new ProgramLoops[] {ProgramLoops.of(program.primitives())},
                new Path[][] {{path}},
                paces,
                paces,
                UNLIMITED,
                UNLIMITED);
    }

    private static List<Primitive> primitives(long bytes) {
        int chunks = Math.toIntExact((bytes + CHUNK_BYTES - 1) / CHUNK_BYTES);
        long chunkBytes = (bytes + chunks - 1) / chunks;
        int underWay = Math.min(UNDER_WAY_MAX, chunks);
        List<Primitive> primitives = new ArrayList<>();
        primitives.add(Primitive.of(underWay, ChannelProgram.NONE, 0, 1, chunkBytes, false));
        if (chunks > underWay) {
            primitives.add(Primitive.of(chunks - underWay, 0, 0, 1, chunkBytes, false));
        }
        primitives.add(Primitive.of(underWay, 0, ChannelProgram.NONE, 1, chunkBytes, false));
        return primitives;
    }
}

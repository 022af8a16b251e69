package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.CollectiveAlgorithm;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.CollectiveRequest;
import io.shardsim.simulator.collective.NvlsAllReduce;
import io.shardsim.simulator.collective.RingAllGather;
import io.shardsim.simulator.collective.RingAllReduce;
import io.shardsim.simulator.collective.RingReduceScatter;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.collective.TransportModel.Choice;
import io.shardsim.simulator.compute.Gpus;
import io.shardsim.simulator.compute.calibration.NcclTable;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Router;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.stream.IntStream;

/**
 * Collectives measured inside a node (nccl_intra_node.csv), and the model's results for rings and NVLink SHARP. All ranks and channels do the same at
 * the same time there, so one thread block's time is that of all, and no devices are needed.
 */
final class NodeMeasurements {
    static final List<CollectiveAlgorithm> ALGORITHMS =
            List.of(new RingAllGather(), new RingReduceScatter(), new RingAllReduce(), new NvlsAllReduce());
    static final long MIB = 1 << 20;

    private NodeMeasurements() {}

    /** One measurement. */
    record Row(String architecture, CollectiveKind kind, int gpus, long totalBytes, double seconds) {
        /** Returns the model's time [s]. */
        double seconds(NcclTransportModel model) {
            Cluster cluster =
                    Machines.server(architecture, architecture.equals("ampere") ? "232 GB/s" : "387 GB/s", gpus);
            int[] members = Machines.everyone(cluster);
            Choice choice = model.choose(kind, "auto", totalBytes, members, cluster);
            CollectiveRequest request = new CollectiveRequest(kind, totalBytes, members, cluster, choice.transport());
            ChannelProgram program = choice.algorithm().program(request, 0, 0);
            long stepPs = choice.transport().intraStepPs()
                    + new Router(cluster).route(0, 1, 0).latencyPs();
            return (choice.transport().basePs() + timePs(program, choice.transport(), stepPs)) / 1e12;
        }
    }

    /** Returns the time of a program that all members run at the same time: a member receives on a slot what it sends on the same slot. */
    private static long timePs(ChannelProgram program, Transport transport, long stepPs) {
        List<Queue<Long>> arrivals = IntStream.range(0, program.receivePeers().length)
                .<Queue<Long>>mapToObj(slot -> new ArrayDeque<>())
                .toList();
        long nowPs = 0;
        for (Primitive primitive : program.primitives()) {
            for (int i = 0; i < primitive.repeat(); i++) {
                if (primitive.receiveSlot() != ChannelProgram.NONE) {
                    nowPs = Math.max(
                            nowPs, arrivals.get(primitive.receiveSlot()).remove());
                }
                nowPs += transport.rate(primitive).serializationPs(primitive.lastSliceBytes());
                if (primitive.sendSlot() != ChannelProgram.NONE) {
                    arrivals.get(primitive.sendSlot()).add(nowPs + stepPs);
                }
            }
        }
        return nowPs;
    }

    /** Returns all collectives but all-to-all on one architecture. */
    static List<Row> of(String architecture) {
        String gpu = Gpus.of(architecture).name();
        return NcclTable.rows().stream()
                .filter(row -> row.gpu().equals(gpu) && !row.collective().equals("alltoall"))
                .map(row -> new Row(
                        architecture,
                        CollectiveKind.valueOf(row.collective().toUpperCase(Locale.ROOT)),
                        row.gpus(),
                        row.bytes(),
                        row.milliseconds() / 1e3))
                .toList();
    }
}

package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.CollectiveAlgorithm;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.CollectiveRequest;
import io.shardsim.simulator.collective.RingAllGather;
import io.shardsim.simulator.collective.RingAllReduce;
import io.shardsim.simulator.collective.RingReduceScatter;
import io.shardsim.simulator.collective.Transport;
import io.shardsim.simulator.collective.TransportModel.Choice;
import io.shardsim.simulator.compute.Gpus;
import io.shardsim.simulator.compute.calibration.NcclTable;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Router;
import java.util.List;
import java.util.Locale;

/**
 * Ring collectives measured inside a node (nccl_intra_node.csv), and what the model makes of them. All channels do the same at the same time
 * there, so a ring takes the sum of what one thread block does: no devices are needed.
 */
final class RingMeasurements {
    static final List<CollectiveAlgorithm> RINGS =
            List.of(new RingAllGather(), new RingReduceScatter(), new RingAllReduce());
    static final long MIB = 1 << 20;

    private RingMeasurements() {}

    /** One row. */
    record Row(String architecture, CollectiveKind kind, int gpus, long totalBytes, double seconds) {
        /** True where NCCL uses NVLink SHARP, which is not modelled. */
        private boolean isSharp() {
            return architecture.equals("hopper")
                    && kind == CollectiveKind.ALL_REDUCE
                    && gpus > 2
                    && totalBytes >= 2 * MIB;
        }

        /** What a model makes of it [s]. */
        double seconds(NcclTransportModel model) {
            Cluster cluster =
                    Machines.server(architecture, architecture.equals("ampere") ? "232 GB/s" : "387 GB/s", gpus);
            int[] members = Machines.everyone(cluster);
            Choice choice = model.choose(kind, "auto", totalBytes, members, cluster);
            CollectiveRequest request = new CollectiveRequest(kind, totalBytes, members, cluster, choice.transport());
            ChannelProgram program = choice.algorithm().program(request, 0, 0);
            long stepPs = choice.transport().intraStepPs()
                    + new Router(cluster).route(0, 1, 0).latencyPs();
            long timePs = choice.transport().basePs();
            for (Primitive primitive : program.primitives()) {
                timePs += primitive.repeat() * executionPs(primitive, choice.transport(), stepPs);
            }
            return timePs / 1e12;
        }
    }

    private static long executionPs(Primitive primitive, Transport transport, long stepPs) {
        long arrivalPs = primitive.receiveSlot() == ChannelProgram.NONE ? 0 : stepPs;
        if (primitive.sendSlot() == ChannelProgram.NONE) {
            return arrivalPs + transport.storeRate().serializationPs(primitive.lastSliceBytes());
        }
        return arrivalPs
                + (primitive.reduces() ? transport.reduceRate() : transport.copyRate())
                        .serializationPs(primitive.lastSliceBytes());
    }

    /** Rings on one architecture. */
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
                .filter(row -> !row.isSharp())
                .toList();
    }
}

package io.shardsim.simulator.collective.nccl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Router;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * The constants against the table that they were fitted to. Inside a node all channels do the same at the same time, so a ring takes the
 * sum of what one thread block does: no devices are needed.
 *
 * <p>The table is read where it lies, outside the repository: at {@code ../shared/reference} or where {@code -Dshardsim.reference=DIR} says.
 */
class NcclMeasurementsTest {
    private static final List<CollectiveAlgorithm> RINGS =
            List.of(new RingAllGather(), new RingReduceScatter(), new RingAllReduce());
    private static final long MIB = 1 << 20;

    private record Measurement(String gpu, CollectiveKind kind, int gpus, long totalBytes, double seconds) {
        /** True where NCCL uses NVLink SHARP, which is not modelled. */
        boolean isSharp() {
            return gpu.startsWith("h100") && kind == CollectiveKind.ALL_REDUCE && gpus > 2 && totalBytes >= 2 * MIB;
        }
    }

    @Test
    void ringsInANodeTakeWhatTheyWereMeasuredToTake() throws IOException {
        for (String gpu : List.of("a100-80gb", "h100-80gb")) {
            List<Double> large = new ArrayList<>();
            List<Double> small = new ArrayList<>();
            for (Measurement measured : measurements()) {
                if (measured.gpu().equals(gpu) && !measured.isSharp()) {
                    double error = Math.abs(seconds(measured) / measured.seconds() - 1);
                    (measured.totalBytes() >= MIB ? large : small).add(error);
                }
            }

            assertThat(large).hasSizeGreaterThan(30);
            assertThat(small).hasSizeGreaterThan(30);
            assertThat(median(large)).as("%s from 1 MiB", gpu).isLessThan(0.06);
            assertThat(Collections.max(large)).as("%s from 1 MiB", gpu).isLessThan(0.25);
            assertThat(median(small)).as("%s below 1 MiB", gpu).isLessThan(0.10);
            assertThat(Collections.max(small)).as("%s below 1 MiB", gpu).isLessThan(0.30);
        }
    }

    private static double seconds(Measurement measured) {
        boolean ampere = measured.gpu().startsWith("a100");
        Cluster cluster =
                Machines.server(ampere ? "ampere" : "hopper", ampere ? "232 GB/s" : "387 GB/s", measured.gpus());
        int[] members = Machines.everyone(cluster);
        Choice choice =
                new NcclTransportModel(RINGS).choose(measured.kind(), "auto", measured.totalBytes(), members, cluster);
        CollectiveRequest request =
                new CollectiveRequest(measured.kind(), measured.totalBytes(), members, cluster, choice.transport());
        ChannelProgram program = choice.algorithm().program(request, 0, 0);
        long stepPs = choice.transport().intraStepPs()
                + new Router(cluster).route(0, 1, 0).latencyPs();
        long timePs = choice.transport().basePs();
        for (Primitive primitive : program.primitives()) {
            timePs += primitive.repeat() * executionPs(primitive, choice.transport(), stepPs);
        }
        return timePs / 1e12;
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

    private static double median(List<Double> values) {
        Collections.sort(values);
        return values.get(values.size() / 2);
    }

    private static List<Measurement> measurements() throws IOException {
        Path table = folder().resolve("nccl_intra_node.csv");
        assumeTrue(Files.exists(table), "no " + table);
        List<String> lines = Files.readAllLines(table);
        List<Measurement> measurements = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",");
            if (cells[1].equals("alltoall")) {
                continue;
            }
            measurements.add(new Measurement(
                    cells[0],
                    CollectiveKind.valueOf(cells[1].toUpperCase(Locale.ROOT)),
                    Integer.parseInt(cells[2]),
                    // The column counts elements of two bytes: the collector divides nccl-tests' bytes by the size of a
                    // half.
                    2 * Long.parseLong(cells[3]),
                    Double.parseDouble(cells[4]) / 1e3));
        }
        return measurements;
    }

    private static Path folder() {
        String property = System.getProperty("shardsim.reference");
        if (property != null) {
            return Path.of(property);
        }
        Path root = Path.of("").toAbsolutePath();
        while (root.getParent() != null && !Files.exists(root.resolve("LICENSE"))) {
            root = root.getParent();
        }
        return root.resolveSibling("shared").resolve("reference");
    }
}

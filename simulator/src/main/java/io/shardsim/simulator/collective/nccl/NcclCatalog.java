package io.shardsim.simulator.collective.nccl;

import static io.shardsim.simulator.schema.Key.optional;
import static io.shardsim.simulator.schema.Key.required;

import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.topology.units.UnitTable;
import java.util.List;
import java.util.stream.Stream;

/** The files of NCCL's constants: GPU architectures, networks, and what network plugins prefer. */
public final class NcclCatalog {
    private static final ValueType TIME = ScalarTypes.time(0);
    private static final ValueType RATE = ScalarTypes.rate();
    private static final ValueType RATES = new ListType(RATE, "rate");
    private static final ValueType SIZE = ScalarTypes.quantity(UnitTable.DATA_SIZE, 1);
    private static final ValueType COUNT = ScalarTypes.whole(1, 1024);
    private static final ValueType NAME = ScalarTypes.text("[a-z0-9][a-z0-9.-]*", "the name of a file");
    private static final ValueType PROTOCOL = ScalarTypes.choice(Protocol.values(), Protocol::id);

    /** A file for each GPU architecture. */
    public static final FigureFolder GPUS = new FigureFolder(
            "catalog/nccl/gpus",
            "NCCL constants of the architecture",
            FigureFolder.figures(Stream.of(steps(), rates(), switchSums(), tuner())
                    .flatMap(List::stream)
                    .toList()));

    /** A file for each network, which instances name. */
    public static final FigureFolder NETWORKS =
            new FigureFolder("catalog/nccl/networks", "NCCL constants of the network", FigureFolder.figures(network()));

    /** A file for each network plugin that prefers something. */
    public static final FigureFolder TUNERS = new FigureFolder(
            "catalog/nccl/tuners",
            "preferences of a network plugin",
            FigureFolder.figures(List.of(required(
                    "regions",
                    new ListType(region(), "region"),
                    "polygons over bytes and ranks, the first that holds"))));

    private NcclCatalog() {}

    private static Key perProtocol(String prefix, ValueType type, Protocol protocol, String meaning) {
        return required(prefix + "_" + protocol.key(), type, meaning + ", " + protocol.id());
    }

    private static List<Key> steps() {
        return List.of(
                perProtocol("base", TIME, Protocol.LL, "from a rank's stream reaching a collective to its first step"),
                perProtocol("base", TIME, Protocol.LL128, "from a rank's stream to the first step"),
                perProtocol("base", TIME, Protocol.SIMPLE, "from a rank's stream to the first step"),
                perProtocol("nvlink_step", TIME, Protocol.LL, "one step over NVLink beside its bytes"),
                perProtocol("nvlink_step", TIME, Protocol.LL128, "one step over NVLink beside its bytes"),
                perProtocol("nvlink_step", TIME, Protocol.SIMPLE, "one step over NVLink beside its bytes"));
    }

    private static List<Key> rates() {
        ValueType ratio = ScalarTypes.decimal(0, 1);
        return List.of(
                perProtocol("lane", RATE, Protocol.LL, "most that one thread block moves"),
                perProtocol("lane", RATE, Protocol.LL128, "most that one thread block moves"),
                perProtocol("lane", RATE, Protocol.SIMPLE, "most that one thread block moves"),
                required("nvlink_copy_ratio", ratio, "share of the NVLink payload rate of all channels, copying"),
                required("nvlink_all_reduce_copy_ratio", ratio, "the same in the second half of an all-reduce"),
                required("nvlink_reduce_ratio", ratio, "the same where steps add up"),
                required("store", RATE, "a thread block that stores a chunk and sends nothing"),
                required("channels", COUNT, "channels inside a node"));
    }

    /** All-reduces whose sums the NVSwitch makes (NVLS); a file has all four keys or none. */
    private static List<Key> switchSums() {
        return List.of(
                optional("nvls_channels", COUNT, "thread blocks of an all-reduce by NVLink SHARP"),
                optional("nvls_chunk", SIZE, "piece of a head's part that each moves at once"),
                optional("nvls_step", TIME, "from the last member's offer to the sum, and back, beside the copies"),
                optional("nvls_ratio", ScalarTypes.decimal(0, 1), "share of the NVLink payload rate"));
    }

    /** What NCCL believes of the GPU when it chooses; lists of three are for one, two and more nodes. */
    private static List<Key> tuner() {
        return List.of(
                required("tuner_nvlink_rate", RATE, "what NCCL takes all NVLinks of a GPU for"),
                required("tuner_rates_in_node", RATES, "rates that it tries for rings inside a node"),
                required("tuner_rates_between_nodes", RATES, "rates that it tries for rings between nodes"),
                required("tuner_rings", COUNT, "rings inside a node before they are used twice"),
                required("tuner_ring_rate", RATE, "rate of one of them"),
                required("tuner_rings_doubled", COUNT, "most rings between nodes that it doubles when one has 25 GB/s"),
                required("tuner_ll_rate_max", RATE, "all rings together with LL"),
                required("tuner_ll128_ring_rate_max", RATE, "one ring with LL128"),
                required("tuner_tree_rate_max", RATES, "one tree, on one, two and more nodes"),
                required("tuner_ll128_tree_rate_max", RATES, "one tree with LL128, on one, two and more nodes"),
                required(
                        "tuner_plateau", ScalarTypes.positive(), "factor on the latency of a large Simple all-reduce"));
    }

    private static List<Key> network() {
        Key[] keys = {
            required("protocols", new ListType(PROTOCOL, "protocol"), "protocols that NCCL may use"),
            required(
                    "host", ScalarTypes.choice("intel", "amd"), "maker of the host processors, for the cost of a send"),
            required("buffer", SIZE, "NCCL_BUFFSIZE"),
            required("tuner_latency", TIME, "latency that the network plugin reports to NCCL's tuner"),
            optional("tuner_plugin", NAME, "what the network plugin prefers over NCCL's own estimates"),
            optional("eager", SIZE, "largest message that is sent before the receiver has asked for it"),
            optional("rendezvous", TIME, "what a larger message takes beside that")
        };
        Stream<Key> steps = Stream.of("step", "step_beyond_nic", "long_ring_step_beyond_nic")
                .flatMap(prefix -> Stream.of(Protocol.values())
                        .map(protocol -> optional(
                                prefix + "_" + protocol.key(),
                                TIME,
                                "from the last bit leaving the NIC to the receiver acting on it, " + protocol.id())));
        return Stream.concat(Stream.of(keys), steps).toList();
    }

    private static BlockType region() {
        List<String> kinds =
                Stream.of(CollectiveKind.values()).map(CollectiveKind::id).toList();
        return BlockType.of(
                required("collective", ScalarTypes.choice(kinds), "kind of collective"),
                required("ranks_per_node", ScalarTypes.whole(1, 64), "ranks of the group on each node"),
                required("algorithm", NAME, "algorithm that is preferred"),
                required("protocol", PROTOCOL, "protocol that is preferred"),
                required(
                        "corners",
                        new ListType(
                                ScalarTypes.text(
                                        "\\d+(\\.\\d+)? B x \\d+(\\.\\d+)?", "bytes and ranks such as 4096 B x 16"),
                                "corner"),
                        "corners of the polygon"));
    }
}

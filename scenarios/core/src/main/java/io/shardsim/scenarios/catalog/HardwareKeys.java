package io.shardsim.scenarios.catalog;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.collective.nccl.NcclCatalog;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.KeyFile;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.topology.FabricFamily;
import io.shardsim.topology.FabricSpec;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.IntraNodeSpec;
import io.shardsim.topology.NetworkSpec;
import io.shardsim.topology.NicSpec;
import io.shardsim.topology.NvLinks;
import io.shardsim.topology.PcieSpec;
import io.shardsim.topology.PriceSpec;
import io.shardsim.topology.Routing;
import io.shardsim.topology.units.Bandwidth;
import io.shardsim.topology.units.UnitTable;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Keys of a GPU, a server and its fabric, shared by instance files and the cluster block of a scenario.
 *
 * <p>If a scenario changes a line rate ({@code intra_node}, {@code nic}) without a payload rate, the payload rate scales with it.
 */
public final class HardwareKeys {
    /** The keys of catalog files and scenarios. */
    public static final KeyFile FILE = KeyFile.named("scenario-keys");

    /** Keys of a GPU file and of an inline {@code gpu} block. */
    public static final List<Key> GPU = FILE.keys("gpu");

    /** Key of {@link FabricSpec#nodesPerDomain}. */
    public static final String NODES_PER_DOMAIN = "nodes_per_domain";
    /** Key of {@link NetworkSpec#steps}. */
    public static final String NCCL_STEPS = "nccl_steps";
    /** Key of {@link NetworkSpec#base}. */
    public static final String NCCL_BASE = "nccl_base";
    /** Key of an instance file: the GEMM peak that kernels reach, relative to the data sheet's. */
    public static final Key GEMM_RATE = Key.optional(
            "gemm_rate",
            ScalarTypes.decimal(0.01, 10),
            "rate of GEMMs and attention, in times of what is known of the GPU; omitted: 1");
    /** Key of {@link FabricSpec#routeSeed}. */
    public static final String ROUTE_SEED = "route_seed";
    /** Trays of a GB200 NVL72 (NVIDIA DGX SuperPOD with GB200, RA-11338, 2025). */
    private static final long NVL72_TRAYS = 18;

    /** Keys of a server and its network, without its GPU. */
    public static final List<Key> SERVER = server();

    /** Optional key; without a price, the report has no cost. */
    public static final Key PRICE =
            Key.optional("price", ScalarTypes.decimalQuantity(UnitTable.PRICE), "price of a node");

    /** Commitment term of a node's price. */
    public static final String TERM = "term";

    static final String ON_DEMAND = "on_demand";
    /** Values of {@link #TERM}. */
    public static final List<String> TERMS = List.of(ON_DEMAND, "one_year", "three_years");
    /** Spot price of a node as a share of the on-demand price. */
    public static final String SPOT = "spot";

    /** Not a figure: NCCL's tuning for a network has its own file. */
    public static final Key NETWORK = Key.required(
            "network",
            ScalarTypes.choice(NcclCatalog.NETWORKS.names()),
            "network whose NCCL constants hold between nodes");

    private HardwareKeys() {}

    private static List<Key> server() {
        Collection<FabricFamily> families = FabricFamily.all();
        List<Key> keys = new ArrayList<>(FILE.keys(
                "server",
                Map.of(
                        "links", ScalarTypes.choice(NvLinks.values(), NvLinks::id),
                        "fabric",
                                ScalarTypes.choice(
                                        families.stream().map(FabricFamily::id).toList()),
                        "routing", ScalarTypes.choice(Routing.values(), Routing::id))));
        String described = families.stream()
                .map(family -> family.id() + ": " + family.description())
                .collect(Collectors.joining("; "));
        keys.replaceAll(key ->
                new Key(key.name(), key.type(), key.required(), key.meaning().replace("%s", described)));
        return List.copyOf(keys);
    }

    /** Returns a GPU from values by keys of {@link #GPU}. */
    static GpuSpec gpu(String name, String architecture, Map<String, Object> values) {
        Values of = new Values(values, Map.of());
        return new GpuSpec(
                name,
                architecture,
                of.whole("memory"),
                new Bandwidth(of.whole("memory_bandwidth")),
                (Double) of.any("peak_half"),
                (Double) of.any("peak_single"),
                of.count("sm_count"),
                of.whole("boost_clock"));
    }

    /**
     * Builds a server.
     *
     * @param file a value for every key of {@link #SERVER} and {@link #NETWORK}
     * @param changed values that replace some of the file's
     */
    static InstanceSpec instance(
            String name, GpuSpec gpu, FigureFile file, Map<String, Object> changed, PriceSpec price) {
        Values values = new Values(values(file), changed);
        return new InstanceSpec(
                name,
                gpu,
                values.count("gpus_per_node"),
                new IntraNodeSpec(
                        new Bandwidth(values.whole("intra_node")),
                        values.payload("intra_node"),
                        values.whole("intra_node_latency"),
                        NvLinks.valueOf(((String) values.any("intra_node_links")).toUpperCase(Locale.ROOT))),
                new PcieSpec(values.switches(), new Bandwidth(values.whole("pcie")), values.whole("pcie_latency")),
                new NetworkSpec(
                        nic(values),
                        values.count("nics_per_node"),
                        fabric(values),
                        (String) changed.getOrDefault(NETWORK.name(), file.text(NETWORK.name())),
                        steps(values),
                        (Double) values.any(NCCL_BASE, 1.0)),
                values.whole("host_memory"),
                price);
    }

    private static double steps(Values values) {
        return (Double) values.any(NCCL_STEPS, 1.0);
    }

    private static NicSpec nic(Values values) {
        return new NicSpec(
                new Bandwidth(values.whole("nic")),
                values.payload("nic"),
                StrictMath.round(steps(values) * values.whole("nic_latency")),
                values.whole("nic_per_message"),
                (Boolean) values.any("gpu_direct"));
    }

    private static FabricSpec fabric(Values values) {
        String kind = (String) values.any("fabric", FabricSpec.LEAF_SPINE);
        Routing routing =
                Routing.valueOf(((String) values.any("routing", Routing.ADAPTIVE.id())).toUpperCase(Locale.ROOT));
        return new FabricSpec(
                kind,
                values.count("nodes_per_leaf"),
                Math.toIntExact((Long) values.any("nodes_per_pod", (long) FabricSpec.ALL)),
                FabricFamily.named(kind).joinsDomains()
                        ? Math.toIntExact((Long) values.any(NODES_PER_DOMAIN, NVL72_TRAYS))
                        : 1,
                (Double) values.any("oversubscription"),
                values.whole("hop_latency"),
                routing,
                (Long) values.any(ROUTE_SEED, 0L));
    }

    /** Returns the values of a file by key. */
    static Map<String, Object> values(FigureFile file) {
        Map<String, Object> values = new LinkedHashMap<>();
        file.figures().forEach((key, figure) -> values.put(key, figure.value()));
        return values;
    }

    private record Values(Map<String, Object> base, Map<String, Object> changed) {
        Object any(String key) {
            return changed.containsKey(key) ? value(changed, key) : value(base, key);
        }

        Object any(String key, Object omitted) {
            return changed.containsKey(key) || base.containsKey(key) ? any(key) : omitted;
        }

        long whole(String key) {
            return (Long) any(key);
        }

        int count(String key) {
            return Math.toIntExact(whole(key));
        }

        /** Returns the number of switches as given; at most the number of GPUs if only that was changed. */
        int switches() {
            int switches = count("pcie_switches");
            return changed.containsKey("pcie_switches") ? switches : Math.min(switches, count("gpus_per_node"));
        }

        /** Returns the payload rate for a line rate; scaled from the base if only the line rate was changed. */
        Bandwidth payload(String lineKey) {
            String payloadKey = lineKey + "_effective";
            if (!changed.containsKey(lineKey) || changed.containsKey(payloadKey)) {
                return new Bandwidth(whole(payloadKey));
            }
            Values unchanged = new Values(base, Map.of());
            BigDecimal scaled = BigDecimal.valueOf(whole(lineKey))
                    .multiply(BigDecimal.valueOf(unchanged.whole(payloadKey)))
                    .divide(BigDecimal.valueOf(unchanged.whole(lineKey)), 0, RoundingMode.DOWN);
            return new Bandwidth(Math.max(1, scaled.longValueExact()));
        }
    }

    private static Object value(Map<String, Object> values, String key) {
        Object value = values.get(key);
        if (value == null) {
            throw new IllegalStateException("no value for " + key);
        }
        return value;
    }
}

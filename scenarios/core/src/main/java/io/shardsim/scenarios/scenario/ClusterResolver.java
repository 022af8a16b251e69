package io.shardsim.scenarios.scenario;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.catalog.HardwareKeys;
import io.shardsim.scenarios.catalog.Unmodelled;
import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.collective.nccl.NcclCatalog;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.topology.Clocks;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.FabricSpec;
import io.shardsim.topology.Faults;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.LinkFault;
import io.shardsim.topology.NetworkFaults;
import io.shardsim.topology.NicSpec;
import io.shardsim.topology.NvLinks;
import io.shardsim.topology.Outages;
import io.shardsim.topology.Routing;
import io.shardsim.topology.units.Bandwidth;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Resolves the {@code cluster} block: a catalog instance, perhaps modified, or one defined inline. */
final class ClusterResolver {
    /** Keys that define a node inline; several nodes need all of them. */
    private static final List<String> INLINE_KEYS =
            List.of("gpu", "gpus_per_node", "intra_node", "nics_per_node", "nic");

    /** Faults are given in thousandths. */
    private static final double PER_MILLE = 1000;

    private final Block block;
    private final @Nullable Block faults;
    private final @Nullable Block money;
    private final List<Block> own;
    private final List<String> notes;
    private final List<Figure> figures;
    private final Problems problems;

    /** @param file a scenario with a cluster block */
    ClusterResolver(Block file, List<String> notes, List<Figure> figures, Problems problems) {
        block = Objects.requireNonNull(file.block("cluster"));
        faults = file.block("faults");
        money = file.block("money");
        own = file.list(InstanceFiles.INSTANCES);
        this.notes = notes;
        this.figures = figures;
        this.problems = problems;
    }

    /** Returns the cluster, or null after a problem. */
    @Nullable
    Cluster resolve() {
        int before = problems.told();
        InstanceSpec instance = block.has("instance") ? catalogInstance() : inlineInstance();
        Long nodes = nodes();
        if (instance != null) {
            checkMoney(instance);
            check(instance);
            remark(instance);
        }
        if (instance != null && nodes != null) {
            checkFabric(instance.fabric(), Math.toIntExact(nodes));
            remarkDomain(instance, Math.toIntExact(nodes));
        }
        return instance == null || nodes == null || problems.told() > before
                ? null
                : new Cluster(instance, Math.toIntExact(nodes), faults(instance));
    }

    /** Returns the number of nodes; one if the cluster has neither instance nor NICs. */
    private @Nullable Long nodes() {
        boolean one = block.has("gpu")
                && Stream.of("instance", "nics_per_node", "nic").noneMatch(block::has);
        if (!block.has("nodes") && !one) {
            problems.add(block.position(), "cluster has no nodes; add nodes: " + expected("nodes"));
        }
        return block.has("nodes") ? block.whole("nodes") : Long.valueOf(1);
    }

    /** Returns the slow NIC's payload bandwidth, scaled as for the other NICs; null if none is slow, or if its rate equals theirs. */
    private @Nullable Bandwidth slowNic(InstanceSpec instance) {
        Block slow = slowNicBlock();
        Long line = slow == null ? null : slow.whole(ScenarioKeys.SLOW_NIC);
        NicSpec nic = instance.nic();
        if (line == null || line == nic.lineRate().bytesPerSecond()) {
            return null;
        }
        BigInteger rate = BigInteger.valueOf(line)
                .multiply(BigInteger.valueOf(nic.effectiveRate().bytesPerSecond()))
                .divide(BigInteger.valueOf(nic.lineRate().bytesPerSecond()));
        return new Bandwidth(Math.max(1, rate.longValueExact()));
    }

    /** Returns the block that sets the slow NIC's rate; null if none does. */
    private @Nullable Block slowNicBlock() {
        return faults != null && faults.has(ScenarioKeys.SLOW_NIC)
                ? faults
                : block.has(ScenarioKeys.SLOW_NIC) ? block : null;
    }

    private Faults faults(InstanceSpec instance) {
        boolean lost = faults != null && faults.flag(ScenarioKeys.LOST_NIC, false);
        long seed = faults == null ? 0 : faults.whole(ScenarioKeys.CLOCK_SEED, 0);
        return new Faults(
                new NetworkFaults(slowNic(instance), lost, decimal(ScenarioKeys.SPINE_NEIGHBOUR), linkFaults()),
                perMille(ScenarioKeys.SLOW_GPU),
                perMille(ScenarioKeys.SLOW_HOST),
                new Clocks(decimal(ScenarioKeys.CLOCK_SPREAD), seed));
    }

    private List<LinkFault> linkFaults() {
        List<LinkFault> links = new ArrayList<>();
        if (decimal(ScenarioKeys.OTHER_JOB) > 0) {
            links.add(new LinkFault.OtherJob(decimal(ScenarioKeys.OTHER_JOB)));
        }
        if (decimal(ScenarioKeys.RETRANSMITTED) > 0) {
            links.add(new LinkFault.Retransmission(decimal(ScenarioKeys.RETRANSMITTED)));
        }
        if (faults != null && faults.has(ScenarioKeys.NIC_DOWN)) {
            links.add(new LinkFault.Flapping(
                    new Outages(faults.whole(ScenarioKeys.NIC_DOWN_EVERY, 1), faults.whole(ScenarioKeys.NIC_DOWN, 0))));
        }
        return links;
    }

    private void checkLinkFaults(Block given) {
        List<String> cable = Stream.of(ScenarioKeys.NIC_DOWN, ScenarioKeys.RETRANSMITTED)
                .filter(given::has)
                .toList();
        if (given.flag(ScenarioKeys.LOST_NIC, false) && !cable.isEmpty()) {
            problems.add(
                    given.keyAt(cable.get(0)),
                    cable.get(0) + " and lost_nic are the same NIC, Node[0].Nic[0]; remove one");
        }
        if (given.has(ScenarioKeys.OTHER_JOB) && given.has(ScenarioKeys.SPINE_NEIGHBOUR)) {
            problems.add(
                    given.keyAt(ScenarioKeys.OTHER_JOB),
                    "other_job already slows every leaf that spine_neighbour slows; remove one");
        }
        if (given.has(ScenarioKeys.NIC_DOWN) != given.has(ScenarioKeys.NIC_DOWN_EVERY)) {
            problems.add(
                    given.position(), "nic_down and nic_down_every go together; write both, such as 100 ms and 1 s");
        }
        if (given.whole(ScenarioKeys.NIC_DOWN, 0) >= given.whole(ScenarioKeys.NIC_DOWN_EVERY, Long.MAX_VALUE)) {
            problems.add(
                    given.at(ScenarioKeys.NIC_DOWN),
                    "nic_down is not less than nic_down_every, so the NIC is never up; write a shorter nic_down, or slow_nic: a rate");
        }
    }

    private double decimal(String key) {
        Object share = faults == null ? null : faults.value(key);
        return share == null ? 0 : ((Number) share).doubleValue();
    }

    private long perMille(String key) {
        Object factor = faults == null ? null : faults.value(key);
        return factor == null ? (long) PER_MILLE : StrictMath.round(((Number) factor).doubleValue() * PER_MILLE);
    }

    private @Nullable InstanceSpec catalogInstance() {
        if (block.has("gpu")) {
            problems.add(
                    block.keyAt("gpu"),
                    "gpu beside instance, which has its own GPU; remove gpu, or describe the node without instance");
        }
        String name = block.text("instance");
        if (name == null) {
            return null;
        }
        CatalogEntry<InstanceSpec> entry = instance(name);
        if (entry == null) {
            return null;
        }
        ScenarioReader.addFigures(entry, figures);
        CatalogEntry<GpuSpec> gpu = Catalog.gpu(entry.spec().gpu().name());
        if (gpu != null) {
            ScenarioReader.addFigures(gpu, figures);
        }
        return entry.spec();
    }

    /** Returns the scenario's own instance of this name, else the catalog's. */
    private @Nullable CatalogEntry<InstanceSpec> instance(String name) {
        for (Block described : own) {
            if (name.equals(described.text(InstanceFiles.NAME))) {
                return InstanceFiles.resolve(
                        name, new Mapping(described.position(), described.others()), given(), problems);
            }
        }
        CatalogEntry<InstanceSpec> entry = InstanceFiles.isFile(name) ? null : Catalog.instance(name, given());
        if (entry == null) {
            problems.add(
                    block.at("instance"),
                    InstanceFiles.isFile(name)
                            ? "instance " + name
                                    + " is a file, and a scenario passed as text cannot read files; describe it "
                                    + "under instances, with name: "
                                    + name
                            : Unmodelled.refusal("instance", "instances", name, Catalog.instanceNames()));
        }
        return entry;
    }

    private @Nullable InstanceSpec inlineInstance() {
        GpuSpec gpu = gpu();
        String server = gpu == null ? "" : Catalog.usualServer(gpu);
        List<String> asked = asked(block.has("gpu") && gpu == null || !server.isEmpty());
        String instance =
                server.isEmpty() ? "add instance: p4d.24xlarge" : "write instance: " + server + " instead of gpu";
        for (String key : asked) {
            if (!block.has(key)) {
                problems.add(
                        block.position(),
                        "cluster has no " + key + " and no instance; " + instance + ", or " + key + ": "
                                + expected(key));
            }
        }
        if (gpu == null || !asked.stream().allMatch(key -> block.value(key) != null)) {
            return null;
        }
        boolean whole = INLINE_KEYS.stream().allMatch(block::has);
        CatalogEntry<InstanceSpec> usual = whole || server.isEmpty() ? null : Catalog.instance(server);
        if (usual != null) {
            ScenarioReader.addFigures(usual, figures);
            notes.add("keys that cluster leaves out are those of " + server + ", the usual server of " + gpu.name()
                    + "; write instance: the name of yours, or its keys");
        }
        return Catalog.inlineInstance(gpu, given(), usual == null ? "" : server);
    }

    /** Returns the keys that matter and have no default: links for several GPUs, NICs for several nodes. */
    private List<String> asked(boolean linksAreKnown) {
        boolean several = block.whole("nodes", 1) > 1;
        boolean linked = block.whole("gpus_per_node", several && !block.has("gpus_per_node") ? 2 : 1) > 1;
        return INLINE_KEYS.stream()
                .filter(key -> switch (key) {
                    case "gpu" -> true;
                    case "intra_node" -> linked && !linksAreKnown;
                    default -> several;
                })
                .toList();
    }

    private static String expected(String name) {
        Key key = ScenarioKeys.CLUSTER.key(name);
        return key == null
                ? ""
                : name.equals("gpu") ? "a name of the catalog" : key.type().expected();
    }

    private @Nullable GpuSpec gpu() {
        Object value = block.value("gpu");
        if (value instanceof Block inline) {
            boolean complete = ScenarioKeys.GPU.keys().stream().allMatch(key -> inline.value(key.name()) != null);
            return complete ? Catalog.inlineGpu(inline.text("architecture", ""), inline.values()) : null;
        }
        if (!(value instanceof String name)) {
            return null;
        }
        CatalogEntry<GpuSpec> entry = Catalog.gpu(name);
        if (entry == null) {
            return problems.refuse(
                    block.at("gpu"), Unmodelled.refusal("gpu", Unmodelled.GPUS, name, Catalog.gpuNames()));
        }
        ScenarioReader.addFigures(entry, figures);
        return entry.spec();
    }

    /** Returns the server's values given in the block. */
    private Map<String, Object> given() {
        Map<String, Object> given = new LinkedHashMap<>();
        List<Key> keys = new ArrayList<>(HardwareKeys.SERVER);
        keys.add(HardwareKeys.NETWORK);
        keys.add(HardwareKeys.PRICE);
        for (Key key : keys) {
            Object value = block.value(key.name());
            if (value != null) {
                given.put(key.name(), value);
            }
        }
        if (money != null) {
            given.putAll(money.values());
        }
        return given;
    }

    /** Notes omitted values that limit the network. */
    private void remark(InstanceSpec instance) {
        Bandwidth link = instance.pcie().linkRate();
        Bandwidth nic = instance.nic().effectiveRate();
        if (block.has("nic") && !block.has("instance") && !block.has("pcie") && nic.compareTo(link) > 0) {
            notes.add("pcie is assumed to be " + link + ", as on "
                    + instance.gpu().architecture() + " GPUs, which limits a NIC of " + nic
                    + "; write pcie: the rate of your link");
        }
        if (!block.has("instance") && !block.has(HardwareKeys.NETWORK.name()) && block.whole("nodes", 1) > 1) {
            notes.add("network is assumed to be "
                    + instance.network().library() + ", with its NCCL constants between nodes; to change it, "
                    + "write one of "
                    + String.join(", ", NcclCatalog.NETWORKS.names()));
        }
    }

    private void remarkDomain(InstanceSpec instance, int nodes) {
        int trays = instance.fabric().nodesPerDomain();
        if (nodes < trays) {
            notes.add("nodes counts trays of " + instance.gpusPerNode() + " GPUs: these are " + nodes + " of the "
                    + trays + " that NVLink joins; write nodes: " + trays + " for all of them");
        }
    }

    private void checkFabric(FabricSpec fabric, int nodes) {
        String problem = fabric.family().problem(fabric, nodes);
        if (problem != null) {
            problems.add(block.has("nodes") ? block.keyAt("nodes") : block.position(), problem);
        }
        if (block.has(HardwareKeys.NODES_PER_DOMAIN) && !fabric.family().joinsDomains()) {
            problems.add(
                    block.keyAt(HardwareKeys.NODES_PER_DOMAIN),
                    "nodes_per_domain does not apply to fabric " + fabric.kind()
                            + "; remove it, or write fabric: nvlink_domain");
        }
        if (block.has(HardwareKeys.ROUTE_SEED) && fabric.routing() == Routing.ADAPTIVE) {
            problems.add(
                    block.keyAt(HardwareKeys.ROUTE_SEED),
                    "route_seed has no effect with adaptive routing; remove it, or write routing: static");
        }
    }

    private void checkMoney(InstanceSpec instance) {
        if (money == null) {
            return;
        }
        boolean own = money.has(HardwareKeys.PRICE.name()) || block.has(HardwareKeys.PRICE.name());
        if (money.has(HardwareKeys.PRICE.name()) && block.has(HardwareKeys.PRICE.name())) {
            problems.add(block.keyAt(HardwareKeys.PRICE.name()), "price under cluster and under money; remove one");
        }
        if (money.has(HardwareKeys.TERM) && (own || money.has(HardwareKeys.SPOT))) {
            problems.add(
                    money.keyAt(HardwareKeys.TERM),
                    "term chooses a price of the catalog" + (own ? " and price replaces it" : ", and spot has none")
                            + "; remove one");
        } else if (Double.isNaN(instance.price().usdPerHour())) {
            problems.add(
                    money.position(),
                    "no price for " + instance.name() + " is in the catalog"
                            + (money.has(HardwareKeys.TERM) ? " for term " + money.text(HardwareKeys.TERM) : "")
                            + "; write money: {price: 40 USD/h} with yours");
        }
    }

    private void check(InstanceSpec instance) {
        if (instance.nic().effectiveRate().compareTo(instance.nic().lineRate()) > 0) {
            problems.add(
                    block.at("nic_effective"),
                    "nic_effective " + instance.nic().effectiveRate() + " > nic "
                            + instance.nic().lineRate() + "; a NIC cannot carry more payload than its line rate");
        }
        Long line = block.whole("intra_node");
        Long effective = block.whole("intra_node_effective");
        if (line != null && effective != null && effective > line) {
            problems.add(
                    block.at("intra_node_effective"),
                    "intra_node_effective " + new Bandwidth(effective) + " > intra_node " + new Bandwidth(line)
                            + "; a link cannot carry more payload than its line rate");
        }
        if (faults != null && faults.flag(ScenarioKeys.LOST_NIC, false)) {
            if (instance.nicsPerNode() < 2) {
                problems.add(
                        faults.at(ScenarioKeys.LOST_NIC),
                        "lost_nic leaves nodes with one NIC without any; remove it, or add nics_per_node");
            }
            if (slowNicBlock() != null) {
                problems.add(
                        faults.at(ScenarioKeys.LOST_NIC),
                        "lost_nic and slow_nic are the same NIC, Node[0].Nic[0]; remove one");
            }
        }
        if (faults != null) {
            checkLinkFaults(faults);
        }
        Block odd = slowNicBlock();
        Long slow = odd == null ? null : odd.whole(ScenarioKeys.SLOW_NIC);
        if (faults != null && faults.has(ScenarioKeys.SLOW_NIC) && block.has(ScenarioKeys.SLOW_NIC)) {
            problems.add(block.keyAt(ScenarioKeys.SLOW_NIC), "slow_nic under cluster and under faults; remove one");
        }
        if (odd != null && slow != null && slow > instance.nic().lineRate().bytesPerSecond()) {
            problems.add(
                    odd.at(ScenarioKeys.SLOW_NIC),
                    "slow_nic " + new Bandwidth(slow) + " > nic "
                            + instance.nic().lineRate() + "; write a lower rate, or change nic for all of them");
        }
        if (instance.intraNode().links() == NvLinks.CUBE_MESH && instance.gpusPerNode() > NvLinks.CUBE_MESH_GPUS) {
            problems.add(
                    block.at("gpus_per_node"),
                    "intra_node_links cube_mesh joins " + NvLinks.CUBE_MESH_GPUS + " GPUs, gpus_per_node is "
                            + instance.gpusPerNode() + "; write " + NvLinks.CUBE_MESH_GPUS
                            + " or fewer, or intra_node_links: switch");
        }
        if (instance.pcie().switches() > instance.gpusPerNode()) {
            problems.add(
                    block.at("pcie_switches"),
                    "pcie_switches " + instance.pcie().switches() + " > gpus_per_node " + instance.gpusPerNode()
                            + "; write pcie_switches: " + instance.gpusPerNode() + " or fewer");
        }
    }
}

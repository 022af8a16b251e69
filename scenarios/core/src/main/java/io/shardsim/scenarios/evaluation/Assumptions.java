package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.Quantities;
import io.shardsim.reports.RunResult;
import io.shardsim.scenarios.catalog.Architecture;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.plan.HostMemory;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.topology.FabricSpec;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.NetworkSpec;
import io.shardsim.topology.PcieSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Open choices of a training scenario that make its speed uncertain, with equally likely alternatives: kernels and attention if it names no
 * framework, the micro-batch, the sustained NIC rate, fabric routes, PCIe.
 *
 * <p>Excludes model, batch and precision, which define the question, and settings that nearly everyone leaves at the framework's default.
 */
final class Assumptions {
    /** Static routes over InfiniBand leave 1 / 1.7 of a full bisection (Hoefler, Schneider, Lumsdaine, CLUSTER 2008) [1]. */
    private static final double STATIC_ROUTES = 1.7;

    /** The spread of published rates for one instance type, smaller than for many private clusters [1]. */
    private static final double NIC_SHARE = 0.9;

    /** A PCIe generation has half the rate of the next. */
    private static final double OLDER_PCIE = 0.5;

    private static final String INFINIBAND = "infiniband";

    /**
     * An open choice.
     *
     * @param taken the assumption, in words
     * @param others alternatives, titled by the choice alone
     */
    record Open(String taken, List<TriedSettings> others) {}

    private final ScenarioPoint point;
    private final Task.Training task;
    private final RunResult run;
    private final List<Open> open = new ArrayList<>();

    private Assumptions(ScenarioPoint point, Task.Training task, RunResult run) {
        this.point = point;
        this.task = task;
        this.run = run;
    }

    /** Returns the open choices of a run that fits. */
    static List<Open> of(ScenarioPoint point, Task.Training task, RunResult run) {
        Assumptions of = new Assumptions(point, task, run);
        of.addReplaced();
        of.addServer();
        if (!of.says("framework")) {
            of.addKernels();
            of.addAttention();
            of.addCheckpointing();
        }
        of.addMicroBatch();
        if (point.cluster().nodes() > 1) {
            of.addNic();
            of.addFabric();
        }
        of.addPcie();
        of.addHostMemory();
        return of.open;
    }

    private boolean says(String key) {
        return point.given().containsKey(key);
    }

    private void addKernels() {
        if (says("training.kernels") || says("strategy.framework_profile")) {
            return;
        }
        String own = task.strategy().create().defaultKernels();
        String compiled = own + "-compile";
        List<TriedSettings> others = new ArrayList<>();
        for (String kernels : List.of("eager", FrameworkProfile.names().contains(compiled) ? compiled : "fused")) {
            if (!kernels.equals(own)) {
                others.addAll(choices(kernels, "training.kernels", kernels));
            }
        }
        add(own + " kernels", others);
    }

    /** Adds defaults that the GPU does not support; their replacements have no alternative. */
    private void addReplaced() {
        GpuSpec gpu = point.cluster().instance().gpu();
        Architecture able = Architecture.of(gpu);
        if (!says("training.precision") && !able.has(Precision.BF16)) {
            add(task.learning().precision().id() + " (" + Architecture.called(gpu) + " has no BF16)", List.of());
        }
        if (!says("training.attention")
                && !task.model().image().isConvolved()
                && able.flashAttention() < FrameworkProfile.USUAL_FLASH_VERSION) {
            String version = able.flashAttention() == 0 ? "" : " " + FrameworkProfile.USUAL_FLASH_VERSION;
            add(
                    "standard attention (" + Architecture.called(gpu) + " has no FlashAttention" + version + ")",
                    List.of());
        }
    }

    /** Adds the server of a GPU that is named without one. */
    private void addServer() {
        GpuSpec gpu = point.cluster().instance().gpu();
        String server = Catalog.usualServer(gpu);
        if (says("cluster.instance") || server.isEmpty() || says("cluster.intra_node")) {
            return;
        }
        int gpus = point.cluster().gpusPerNode();
        add(
                gpus == 1
                        ? "one GPU of " + server
                        : "links of " + point.cluster().instance().intraNode().perGpuRate() + " between GPUs, as in "
                                + server,
                List.of());
    }

    private void addAttention() {
        if (says("training.attention")
                || task.model().image().isConvolved()
                || task.execution().attention() == AttentionKind.STANDARD) {
            return;
        }
        add("flash attention", choices("standard", "training.attention", "standard"));
    }

    /** Adds checkpointing without alternatives, which advice tries. */
    private void addCheckpointing() {
        if (!says("training.activation_checkpointing")) {
            String words = task.execution().kept().checkpointing().name().toLowerCase(Locale.ROOT) + " checkpointing";
            add(words.replace("none ", "no "), List.of());
        }
    }

    /** Adds the next smaller micro-batch. */
    private void addMicroBatch() {
        int now = run.facts().model().microBatch();
        if (says(TriedSettings.MICRO_BATCH) || now == 1) {
            return;
        }
        int samples = PointBounds.samplesOfReplica(point);
        int smaller = now - 1;
        while (samples % smaller != 0) {
            smaller--;
        }
        String value = String.valueOf(smaller);
        add("micro-batch " + now, choices(value, TriedSettings.MICRO_BATCH, value));
    }

    private void addNic() {
        if (says("cluster.nic_effective")) {
            return;
        }
        NetworkSpec network = point.cluster().instance().network();
        Bandwidth now = network.nic().effectiveRate();
        Bandwidth less = now.scaled(NIC_SHARE);
        add(
                "NICs at " + Quantities.bytesPerSecond(now.bytesPerSecond()),
                choices("a tenth less", "cluster.nic_effective", less.toString()));
    }

    private void addFabric() {
        NetworkSpec network = point.cluster().instance().network();
        FabricSpec fabric = network.fabric();
        if (says("cluster.oversubscription")
                || !network.library().equals(INFINIBAND)
                || fabric.oversubscription() > 1) {
            return;
        }
        add(
                "full-bisection fabric",
                choices("static routes", "cluster.oversubscription", String.valueOf(STATIC_ROUTES)));
    }

    /** Adds PCIe of an inline node. */
    private void addPcie() {
        if (says("cluster.pcie") || says("cluster.instance")) {
            return;
        }
        PcieSpec now = point.cluster().instance().pcie();
        Bandwidth half = now.linkRate().scaled(OLDER_PCIE);
        add(
                "PCIe of " + Quantities.bytesPerSecond(now.linkRate().bytesPerSecond()),
                choices("half", "cluster.pcie", half.toString()));
    }

    /** Adds host memory of an inline node, if something is offloaded to it. */
    private void addHostMemory() {
        HostMemory host = run.facts().ledger().host();
        if (host.neededBytes() > 0 && !says("cluster.host_memory") && !says("cluster.instance")) {
            add("host memory of " + Quantities.gib(host.capacityBytes()), List.of());
        }
    }

    private void add(String taken, List<TriedSettings> others) {
        open.add(new Open(taken, others));
    }

    /** Returns the alternative, if the training allows it. */
    private List<TriedSettings> choices(String title, String key, String value) {
        return TriedSettings.of(title, point, Map.of(key, value)).stream().toList();
    }
}

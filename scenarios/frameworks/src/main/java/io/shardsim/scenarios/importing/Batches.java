package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.catalog.Unmodelled;
import io.shardsim.scenarios.importing.Fact.Rank;
import io.shardsim.topology.InstanceSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Cluster and batch, which depend on each other: global batch = micro-batch x accumulation steps x replicas, and replicas x ranks of a replica =
 * GPUs. Values missing in the files are derived from the others, or assumed.
 */
final class Batches {
    private static final String INSTANCE = "p4d.24xlarge";
    private static final String HOPPER = "p5.48xlarge";

    private static final long SAMPLES_PER_GPU = 8;

    private final Draft draft;
    /** Ranks of one model replica. */
    private final long ranks;

    Batches(Draft draft) {
        this.draft = draft;
        ranks = Math.max(
                1,
                product(draft.whole("strategy.tensor_parallel", 1), draft.whole("strategy.pipeline_parallel", 1))
                        * draft.whole("strategy.context_parallel", 1));
    }

    /** The product; values that would overflow become larger than any cluster. */
    private static long product(long a, long b) {
        return Math.min(Integer.MAX_VALUE, a) * Math.min(1024, b);
    }

    void settle() {
        boolean hopper = "fp8".equals(draft.text(Draft.PRECISION))
                || String.valueOf(draft.text(Draft.PROFILE)).endsWith("fp8");
        String why = hopper ? "not in any file, and FP8 needs a Hopper GPU" : "not in any file";
        draft.assume(Draft.INSTANCE, hopper ? HOPPER : INSTANCE, why + "; --instance NAME changes it");
        InstanceSpec instance = instance();
        if (instance == null) {
            return;
        }
        settleCluster(instance);
        refuseTooFew(instance);
        settleShards(world(instance));
        settleBatch(world(instance) / ranks);
        draft.settle(Draft.COPIES, new Fact(world(instance) / ranks, Rank.DEFAULT, null, ""));
    }

    /** Rejects a replica that needs more GPUs than the files have, such as an example for one of many nodes. */
    private void refuseTooFew(InstanceSpec instance) {
        long perNode = draft.whole("cluster.gpus_per_node", instance.gpusPerNode());
        long asked = draft.whole(Draft.NODES, 1) * perNode;
        for (String each : asked < ranks ? List.of("pipeline", "tensor", "context") : List.<String>of()) {
            Fact split = draft.fact("strategy." + each + "_parallel");
            ForeignKey key = split == null ? null : split.key();
            if (key != null) {
                key.refuse(key.path() + " " + key.text() + ": one replica takes " + ranks + " GPUs, and " + asked
                        + " are asked for; give --nodes " + (ranks + perNode - 1) / perNode);
                return;
            }
        }
    }

    private @Nullable InstanceSpec instance() {
        Fact fact = Draft.required(draft, Draft.INSTANCE);
        String name = String.valueOf(fact.value());
        CatalogEntry<InstanceSpec> entry = Catalog.instance(name);
        ForeignKey key = fact.key();
        if (entry == null && key != null) {
            key.refuse(Unmodelled.refusal(key.path(), "instances", name, Catalog.instanceNames())
                    + " (--instance NAME sets one)");
        }
        return entry == null ? null : entry.spec();
    }

    private long world(InstanceSpec instance) {
        long perNode = draft.whole("cluster.gpus_per_node", instance.gpusPerNode());
        return Math.max(ranks, draft.whole(Draft.NODES, 1) * perNode);
    }

    private void settleCluster(InstanceSpec instance) {
        Fact nodes = draft.fact(Draft.NODES);
        Fact world = draft.fact(Draft.WORLD);
        Fact perNode = draft.fact(Draft.GPUS_PER_NODE);
        boolean chosen = nodes != null && nodes.rank() == Rank.CHOSEN;
        boolean mesh = draft.has(Draft.MESH);
        if (world != null && (mesh || !chosen)) {
            fromWorld(mesh ? Draft.required(draft, Draft.MESH) : world, nodes, perNode, instance);
        } else if (perNode != null && (Long) perNode.value() != instance.gpusPerNode()) {
            useOf(instance, (Long) perNode.value(), perNode);
        }
        if (nodes != null && chosen && world != null && world.key() != null && !mesh) {
            world.key().judge(Verdict.IRRELEVANT, "overridden by " + nodes.origin());
        }
        if (!draft.has(Draft.NODES)) {
            fromBatch(instance);
        }
    }

    /** Derives the shard group: all data-parallel ranks over the replicas. */
    private void settleShards(long world) {
        Fact replicas = draft.fact(Draft.REPLICAS);
        ForeignKey key = replicas == null ? null : replicas.key();
        if (replicas == null || key == null) {
            return;
        }
        long copies = (Long) replicas.value();
        if (world / ranks % copies != 0) {
            key.refuse(key.path() + " " + copies + " does not divide the " + world / ranks + " data-parallel ranks of "
                    + world + " GPUs; write a divisor, or give --nodes N");
        } else {
            long group = world / ranks / copies * draft.whole("strategy.context_parallel", 1);
            String why = world + " GPUs / " + copies + " replicas";
            draft.settle("strategy.shard_group", new Fact(group, Rank.DEFAULT, key, why));
        }
    }

    /** The files state the number of GPUs. */
    private void fromWorld(Fact fact, @Nullable Fact nodes, @Nullable Fact perNodeFact, InstanceSpec instance) {
        long world = (Long) fact.value();
        boolean chosen = nodes != null && nodes.rank() == Rank.CHOSEN;
        long given = nodes != null ? (Long) nodes.value() : 0;
        long all = given > 1 && chosen ? instance.gpusPerNode() : Math.min(world, instance.gpusPerNode());
        long perNode =
                perNodeFact != null ? (Long) perNodeFact.value() : nodes != null && !chosen ? world / given : all;
        long count = nodes != null ? given : world / Math.max(1, perNode);
        ForeignKey key = fact.key();
        if (perNode < 1 || count * perNode != world) {
            String problem = chosen
                    ? fact.note() + " GPUs, and --nodes is " + count + " x " + perNode + " = " + count * perNode
                            + "; make the degrees multiply to " + count * perNode
                            + (world % perNode == 0 ? ", or give --nodes " + world / perNode : "")
                    : ": " + world + " GPUs are not the same number on each node of "
                            + (perNode < 1 ? count + " nodes" : perNode + " GPUs")
                            + "; write a multiple, or give --nodes N";
            if (key != null) {
                key.refuse(chosen ? problem : key.path() + problem);
            }
            return;
        }
        if (nodes == null) {
            draft.settle(Draft.NODES, new Fact(count, Rank.GIVEN, key, ""));
        }
        if (perNode != instance.gpusPerNode()) {
            useOf(instance, perNode, fact);
        }
    }

    /** Sets a number of GPUs per node other than the instance's, with no more PCIe switches than GPUs. */
    private void useOf(InstanceSpec instance, long gpus, Fact why) {
        draft.settle("cluster.gpus_per_node", new Fact(gpus, why.rank(), why.key(), why.note()));
        if (instance.pcie().switches() > gpus) {
            draft.settle(
                    "cluster.pcie_switches", new Fact(gpus, Rank.DEFAULT, why.key(), "not more than the GPUs in use"));
        }
    }

    /** The number of GPUs is not in the files; it may follow from the batch. */
    private void fromBatch(InstanceSpec instance) {
        Long global = draft.whole(Draft.GLOBAL_BATCH);
        Long micro = draft.whole(Draft.MICRO_BATCH);
        Long steps = draft.whole(Draft.ACCUMULATION);
        long perNode = draft.whole("cluster.gpus_per_node", instance.gpusPerNode());
        if (global != null && micro != null && steps != null && isGiven(Draft.ACCUMULATION)) {
            long samples = product(micro, Math.min(steps, 1024));
            long world = global % samples == 0 ? product(global / samples, ranks) : 0;
            if (world > 0 && (world % perNode == 0 || world < perNode)) {
                follow(instance, world, perNode);
                return;
            }
        }
        long needed = Math.max(ranks, draft.whole("strategy.shard_group", 1));
        long nodes = Math.min(65_536, (needed + perNode - 1) / perNode);
        while (nodes * perNode % ranks != 0 && nodes < ranks) {
            nodes++;
        }
        draft.settle(Draft.NODES, new Fact(nodes, Rank.ASSUMED, null, "not in any file; --nodes N changes it"));
        if (nodes == 1 && global != null) {
            fewerGpus(instance, global, micro == null ? 1 : micro);
        }
    }

    private boolean isGiven(String name) {
        Fact fact = draft.fact(name);
        return fact != null && fact.rank().compareTo(Rank.GIVEN) >= 0;
    }

    private void follow(InstanceSpec instance, long world, long perNode) {
        Fact global = Draft.required(draft, Draft.GLOBAL_BATCH);
        String why = "from global batch / (micro-batch x accumulation steps)";
        draft.settle(Draft.NODES, new Fact(Math.max(1, world / perNode), Rank.DEFAULT, global.key(), why));
        if (world < perNode) {
            useOf(instance, world, new Fact(world, Rank.DEFAULT, global.key(), why));
        }
    }

    /** If a whole node cannot share the batch evenly, fewer GPUs are used. */
    private void fewerGpus(InstanceSpec instance, long global, long micro) {
        long gpus = draft.whole("cluster.gpus_per_node", instance.gpusPerNode());
        while (gpus > ranks && (gpus % ranks != 0 || global % (gpus / ranks * micro) != 0)) {
            gpus--;
        }
        if (gpus != instance.gpusPerNode() && global % Math.max(1, gpus / ranks * micro) == 0) {
            useOf(
                    instance,
                    gpus,
                    new Fact(gpus, Rank.ASSUMED, null, "the most that evenly share a batch of " + global + " evenly"));
        }
    }

    private void settleBatch(long replicas) {
        Long global = draft.whole(Draft.GLOBAL_BATCH);
        Long micro = draft.whole(Draft.MICRO_BATCH);
        Long steps = draft.whole(Draft.ACCUMULATION);
        if (global == null && micro == null) {
            draft.assume(
                    Draft.GLOBAL_BATCH,
                    product(SAMPLES_PER_GPU, 1) * replicas * (steps == null ? 1 : Math.min(steps, 1_000_000)),
                    "not in any file; " + SAMPLES_PER_GPU + " samples per replica"
                            + (steps == null ? "" : " and accumulation step"));
            if (steps != null) {
                draft.assume(Draft.MICRO_BATCH, SAMPLES_PER_GPU, "not in any file");
            }
        } else if (global == null) {
            Fact fact = Draft.required(draft, Draft.MICRO_BATCH);
            long taken = steps == null ? 1 : steps;
            draft.settle(
                    Draft.GLOBAL_BATCH,
                    new Fact(
                            times(times(micro == null ? 1 : micro, taken), replicas),
                            Rank.DEFAULT,
                            fact.key(),
                            "micro-batch x " + taken + (taken == 1 ? " accumulation step x " : " accumulation steps x ")
                                    + replicas + (replicas == 1 ? " replica" : " replicas")));
        } else if (micro == null && steps != null && isGiven(Draft.ACCUMULATION)) {
            splitInSteps(global, steps, replicas);
        } else if (micro != null && steps != null && isGiven(Draft.ACCUMULATION)) {
            checkProduct(global, micro, steps, replicas);
        }
    }

    private void splitInSteps(long global, long steps, long replicas) {
        Fact fact = Draft.required(draft, Draft.ACCUMULATION);
        long parts = times(steps, replicas);
        ForeignKey key = fact.key();
        if (global % parts == 0) {
            draft.settle(
                    Draft.MICRO_BATCH,
                    new Fact(global / parts, Rank.DEFAULT, key, "global batch / (accumulation steps x replicas)"));
        } else if (key != null) {
            key.refuse(key.path() + " " + steps + " x " + replicas + " replicas does not divide the global batch "
                    + global + "; make it divide, or give --nodes N");
        }
    }

    private void checkProduct(long global, long micro, long steps, long replicas) {
        long product = times(times(micro, steps), replicas);
        ForeignKey key = Draft.required(draft, Draft.GLOBAL_BATCH).key();
        if (product != global && key != null) {
            key.refuse(key.path() + " " + global + " is not micro-batch " + micro + " x " + steps
                    + " accumulation steps x " + replicas + " replicas = " + product
                    + "; make them agree, or give the --nodes N of this run");
        }
    }

    /** The product; a value above any scenario's limit on overflow. */
    private static long times(long a, long b) {
        long high = Math.multiplyHigh(a, b);
        return high == 0 && a * b >= 0 ? a * b : Long.MAX_VALUE;
    }
}

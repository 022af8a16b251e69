package io.shardsim.reports;

import io.shardsim.reports.RunFacts.Recomputation;
import io.shardsim.reports.RunFacts.Source;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.job.Batch;
import io.shardsim.simulator.observation.LinkTotals;
import io.shardsim.simulator.observation.MemoryOverTime;
import io.shardsim.simulator.observation.OperationSpan;
import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.MemoryFit;
import io.shardsim.simulator.plan.MemoryOwner;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.StateHolders;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.FabricSpec;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.IntraNodeSpec;
import io.shardsim.topology.LinkClass;
import io.shardsim.topology.NetworkSpec;
import io.shardsim.topology.NicSpec;
import io.shardsim.topology.PcieSpec;
import io.shardsim.topology.PriceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Made-up observations for tests of reports, shaped like those of a 30B model on p4d: a gather stream one layer ahead of a compute stream. None of
 * the durations is a prediction.
 */
public final class SampleRuns {
    public static final int LAYERS = 48;
    private static final List<Integer> NODES = List.of(2, 4, 8, 16, 32);
    private static final int GLOBAL_BATCH = 1536;
    private static final int SEQUENCE = 2048;
    private static final long PARAMETERS = 29_970_000_000L;
    private static final long MS = 1_000_000_000L;

    private SampleRuns() {}

    public static Cluster p4d(int nodes) {
        return new Cluster(
                new InstanceSpec(
                        "p4d.24xlarge",
                        new GpuSpec(
                                "a100-40gb",
                                "ampere",
                                42_300_000_000L,
                                new Bandwidth(1_555_000_000_000L),
                                312e12,
                                19.5e12,
                                108,
                                1_410_000_000L),
                        8,
                        new IntraNodeSpec(new Bandwidth(240_000_000_000L), 1_000_000),
                        new PcieSpec(4, new Bandwidth(24_000_000_000L), 500_000),
                        new NetworkSpec(
                                new NicSpec(
                                        Bandwidth.parse("100 Gbit/s"),
                                        new Bandwidth(10_625_000_000L),
                                        15_000_000,
                                        1_000_000,
                                        true),
                                4,
                                new FabricSpec(1, 1, 500_000),
                                "p4d"),
                        1152L << 30,
                        new PriceSpec(32.77, "2022-10-31", "AWS on-demand price, us-east-1")),
                nodes);
    }

    /** Returns fifteen points: three strategies on 2 to 32 nodes; ZeRO-3's and FSDP's smallest clusters are tight, one does not fit. */
    public static ScenarioResult sweep(String name) {
        List<RunResult> runs = new ArrayList<>();
        for (int nodes : NODES) {
            runs.add(training(name, "zero3", "ZeRO-3", nodes, nodes * 8));
            runs.add(nodes == 2 ? tooLarge(name, nodes) : training(name, "fsdp", "FSDP", nodes, nodes * 8));
            runs.add(training(name, "mics", "MiCS", nodes, Math.min(128, nodes * 8)));
        }
        return ScenarioResult.of(name, runs);
    }

    /** Returns twelve series of four clusters, one with a long name; the largest cluster has more nodes than a heat map has columns. */
    public static ScenarioResult manyPoints(String name) {
        List<RunResult> runs = new ArrayList<>();
        for (int nodes : new int[] {4, 16, 64, 256}) {
            for (int variant = 0; variant < 12; variant++) {
                Map<String, Object> point = new LinkedHashMap<>();
                point.put("cluster.nodes", nodes);
                point.put("strategy.kind", variant % 2 == 0 ? "mics" : "zero3");
                point.put("collectives.chunk", (1 << variant / 2) + " MiB");
                point.put(
                        "training.a_long_setting_that_nobody_would_choose",
                        variant == 3 ? "an unusually long value" : "x");
                String kind = variant % 2 == 0 ? "mics" : "zero3";
                runs.add(training(name, kind, variant % 2 == 0 ? "MiCS" : "ZeRO-3", nodes, nodes * 8, point, 1));
            }
        }
        return ScenarioResult.of(name, runs);
    }

    /** Returns two strategies on three instances with four nodes each. */
    public static ScenarioResult instances(String name) {
        List<RunResult> runs = new ArrayList<>();
        for (String instance : List.of("p4d.24xlarge", "p4de.24xlarge", "p5.48xlarge")) {
            for (String kind : List.of("zero3", "mics")) {
                Map<String, Object> point = new LinkedHashMap<>();
                point.put("cluster", Map.of("instance", instance, "nodes", 4));
                point.put(
                        "strategy",
                        kind.equals("mics") ? Map.of("kind", kind, "shard_group", 16) : Map.of("kind", kind));
                boolean mics = kind.equals("mics");
                RunResult run = training(name, kind, mics ? "MiCS" : "DeepSpeed ZeRO-3", 4, mics ? 16 : 32, point, 1);
                runs.add(on(instance, run));
            }
        }
        return ScenarioResult.of(name, runs);
    }

    /** Returns MiCS on four nodes with each of some shard groups. */
    static ScenarioResult shardGroups(String name, int... groups) {
        List<RunResult> runs = new ArrayList<>();
        for (int group : groups) {
            runs.add(training(name, "mics", "MiCS", 4, group, Map.of("strategy.shard_group", group), 1));
        }
        return ScenarioResult.of(name, runs);
    }

    /** Returns a run of MiCS on four nodes per point. */
    public static ScenarioResult points(String name, List<? extends Map<String, ?>> points) {
        return ScenarioResult.of(
                name,
                points.stream()
                        .map(point -> training(name, "mics", "MiCS", 4, 16, new LinkedHashMap<>(point), 1))
                        .toList());
    }

    /** Returns the same run with its forward counted as host time, which no compute stream has. */
    public static RunResult withWorkOfTheHost(RunResult run) {
        RunResult.Training t = run.step();
        StepBreakdown b = t.breakdown();
        Map<Work.Kind, Long> work = new EnumMap<>(b.workPs());
        work.put(Work.Kind.HOST_TIME, work.remove(Work.Kind.LAYER_FORWARD));
        StepBreakdown other = new StepBreakdown(b.stepPs(), work, b.slowdownPs(), b.exposedPs(), b.idlePs());
        RunResult.Training wrong = new RunResult.Training(
                t.samplesPerSecond(),
                t.tokensPerSecondPerGpu(),
                t.computeBusy(),
                t.flops(),
                other,
                t.exposed(),
                t.costs(),
                t.scaling());
        return run.with(run.facts(), wrong);
    }

    /** Returns the same figures under the name of another instance. */
    private static RunResult on(String instance, RunResult run) {
        RunFacts facts = run.facts();
        InstanceSpec p4d = facts.cluster().instance();
        InstanceSpec renamed = new InstanceSpec(
                instance,
                p4d.gpu(),
                p4d.gpusPerNode(),
                p4d.intraNode(),
                p4d.pcie(),
                p4d.network(),
                p4d.hostMemoryBytes(),
                p4d.price());
        RunFacts renamedFacts = RunFacts.of(
                facts.scenario(),
                facts.point(),
                new Cluster(renamed, facts.nodes()),
                new RunFacts.Sharded(facts.sharding(), facts.model(), facts.ledger()),
                new RunFacts.Remarks(facts.notes(), facts.messages(), facts.sources()));
        return run.with(renamedFacts, run.training());
    }

    public static ScenarioResult single(String name) {
        RunResult run = training(name, "mics", "MiCS", 32, 128, Map.of(), 12.345);
        return ScenarioResult.of(name, List.of(run));
    }

    public static ScenarioResult collective(String name) {
        return ScenarioResult.of(name, List.of(collective(name, Map.of(), 2, 1L << 30, "ring")));
    }

    /** Returns two sizes on one and two nodes, for which the library chose differently. */
    public static ScenarioResult collectives(String name) {
        List<RunResult> runs = new ArrayList<>();
        for (int nodes = 1; nodes <= 2; nodes++) {
            for (int mib = 32; mib <= 64; mib += 32) {
                Map<String, Object> point = Map.of("cluster.nodes", nodes, "workload.size", mib + " MiB");
                runs.add(collective(name, point, nodes, (long) mib << 20, nodes == 1 ? "ring" : "tree"));
            }
        }
        return ScenarioResult.of(name, runs);
    }

    private static RunResult collective(
            String name, Map<String, Object> point, int nodes, long totalBytes, String algorithm) {
        Cluster cluster = p4d(nodes);
        RunFacts facts = RunFacts.of(
                name,
                point,
                cluster,
                new RunFacts.Collective(CollectiveKind.ALL_REDUCE, totalBytes, algorithm, "nccl"),
                new RunFacts.Remarks(List.of(), List.of(), sources()));
        long end = 45 * MS;
        return RunResult.of(
                facts,
                new StepObservation(
                        end, List.of(), links(cluster, end, 2 * totalBytes), List.of(), 1000, 1000, 10, "c011ec7"),
                0.25);
    }

    /** Returns a run whose scenario describes storage and checkpoints, with tried settings. */
    public static ScenarioResult around(String name) {
        Surroundings.Storage storage = new Surroundings.Storage("fsx-lustre", 12.5e9, 1.2e9);
        Surroundings around = new Surroundings(
                new Surroundings.Input(storage, 8192),
                new Surroundings.Checkpoint(storage, 1000, Surroundings.State.SHARDED, false, 14),
                new Surroundings.StartUp(false, 44e-9),
                new Surroundings.Failures(6300 * 3600, 600, 600));
        RunResult run = around(single(name).runs().get(0), around);
        double rate = run.step().samplesPerSecond();
        return ScenarioResult.of(
                name,
                List.of(run.withTried(new RunFacts.Tried(
                        List.of(
                                new Trial(
                                        "Flash attention",
                                        Map.of("training.attention", "flash"),
                                        run.facts().ledger().fit(),
                                        2 * rate,
                                        3),
                                new Trial(
                                        "No recomputation",
                                        Map.of("training.activation_checkpointing", "none"),
                                        new MemoryFit(9, 9, 8),
                                        0,
                                        1)),
                        List.of("Larger prefetch"),
                        List.of(new Assumption(
                                "micro-batch 3",
                                List.of(
                                        new Trial(
                                                "1",
                                                Map.of("training.micro_batch", "1"),
                                                run.facts().ledger().fit(),
                                                0.9 * rate,
                                                1),
                                        new Trial(
                                                "6",
                                                Map.of("training.micro_batch", "6"),
                                                new MemoryFit(9, 9, 8),
                                                0,
                                                6)))),
                        new BlastRadius(
                                3_000_000_000_000L,
                                List.of(
                                        new BlastRadius.Group(List.of(0), 3_000_000_000_000L, 0, Map.of()),
                                        new BlastRadius.Group(
                                                List.of(1, 2, 3), 0, 0, Map.of(Stream.GATHER, 3_000_000_000_000L)))),
                        new CriticalParts(
                                10_000_000_000_000L,
                                List.of(
                                        new CriticalParts.Part("kernel", "backward layer", 6_000_000_000_000L),
                                        new CriticalParts.Part(
                                                "link", "prefetch parameters: NIC", 4_000_000_000_000L))),
                        new MeanStep(60_000_000_000_000L, 12_000_000_000_000L, 10_000_000_000_000L),
                        Map.of()))));
    }

    /** Returns trials only. */
    static RunFacts.Tried trials(Trial... trials) {
        return RunFacts.Tried.NOTHING.with(List.of(trials), List.of(), List.of());
    }

    static RunResult around(RunResult plain, @Nullable Surroundings around) {
        return plain.with(plain.facts().withSurroundings(around), plain.training());
    }

    /** Returns a run of a scenario imported without a key that decides the answer. */
    public static ScenarioResult accepted(String name) {
        RunResult run = single(name).runs().get(0);
        RunFacts facts = run.facts();
        RunFacts.Remarks remarks = new RunFacts.Remarks(
                List.of(),
                List.of(),
                facts.sources(),
                List.of(new Setting("accepted", "[lora]", Setting.Origin.GIVEN)));
        RunFacts without = new RunFacts(
                name, facts.point(), facts.cluster(), facts.work(), remarks, null, facts.tried(), facts.accuracy());
        return ScenarioResult.of(name, List.of(run.with(without, run.training())));
    }

    /** Returns a run whose strategy has the given name. */
    public static RunResult named(String strategy) {
        return training("s", "mics", strategy, 4, 32);
    }

    static RunResult training(String scenario, String kind, String name, int nodes, int shardGroup) {
        Map<String, Object> point = new LinkedHashMap<>();
        point.put("cluster.nodes", nodes);
        point.put("strategy.kind", kind);
        return training(scenario, kind, name, nodes, shardGroup, point, 0.5 + nodes);
    }

    /** Returns a run that fits only without fragmentation: it needs 39.3 of 39.4 GiB. */
    public static ScenarioResult tight(String name) {
        return ScenarioResult.of(name, List.of(tight(training(name, "mics", "MiCS", 32, 128, Map.of(), 12.345))));
    }

    /** Returns the same run, fitting only without fragmentation. */
    static RunResult tight(RunResult run) {
        Map<MemoryOwner, Long> memory =
                Map.of(MemoryOwner.PARAMETERS, 42_200_000_000L, MemoryOwner.FRAGMENTATION, 4_300_000_000L);
        return withMemory(run, new RunFacts.Memory(memory, 42_300_000_000L));
    }

    private static RunResult withMemory(RunResult run, RunFacts.Memory memory) {
        RunFacts facts = RunFacts.of(
                run.facts().scenario(),
                run.facts().point(),
                run.facts().cluster(),
                new RunFacts.Sharded(run.facts().sharding(), run.facts().model(), memory),
                new RunFacts.Remarks(
                        List.of(),
                        List.of(Objects.requireNonNull(MemoryWords.warning(memory.fit(), false, null))),
                        sources()));
        return run.with(facts, run.training());
    }

    private static RunResult training(
            String scenario,
            String kind,
            String name,
            int nodes,
            int shardGroup,
            Map<String, Object> point,
            double wallSeconds) {
        int micro = 3;
        int accumulation = Math.max(1, GLOBAL_BATCH / (nodes * 8) / micro);
        Map<MemoryOwner, Long> memory = memory(shardGroup, micro);
        List<String> notes = nodes * 8 < 128 && kind.equals("mics")
                ? List.of("strategy.shard_group 128 is above the world size; capped to " + nodes * 8)
                : List.of();
        List<Message> warnings = nodes == 2
                ? List.of(new Message(
                        MessageCode.MEMORY_EDGE, "memory is within 5 % of the capacity; fragmentation decides"))
                : List.of();
        RunFacts facts = RunFacts.of(
                        scenario,
                        point,
                        p4d(nodes),
                        new RunFacts.Sharded(
                                strategy(kind, name, shardGroup),
                                new RunFacts.Training(
                                        "gpt2-30b",
                                        size(scenario),
                                        ModelFlopsUtilization.attentionFlopsPerToken(LAYERS, 7168, SEQUENCE),
                                        GLOBAL_BATCH,
                                        new Batch(SEQUENCE, micro, accumulation),
                                        Recomputation.ALL,
                                        new RunFacts.Peak("bf16", 312e12)),
                                new RunFacts.Memory(memory, 42_300_000_000L)),
                        new RunFacts.Remarks(notes, warnings, sources(), settings(micro)))
                .withAccuracy(
                        new ErrorInterval(
                                0.8,
                                -0.02,
                                0.04,
                                List.of(
                                        new ErrorInterval.Near("a-published-run", "validation", 0.04, null),
                                        new ErrorInterval.Near("another", "calibration", -0.02, null))),
                        List.of(),
                        List.of());
        StepObservation observed = observe(kind, nodes, shardGroup, accumulation);
        return RunResult.of(facts, observed, saw(memory, observed.endPs(), accumulation), wallSeconds);
    }

    /** Activations allocated and freed with each micro-batch. */
    private static MemoryOverTime saw(Map<MemoryOwner, Long> peak, long endPs, int accumulation) {
        StepPlan.Builder plan = StepPlan.builder();
        List<OperationSpan> spans = new ArrayList<>();
        int steps = 2 * accumulation * LAYERS;
        peak.forEach((owner, bytes) -> {
            if (owner != MemoryOwner.ACTIVATIONS) {
                plan.memory(owner, bytes);
            }
        });
        for (int i = 0; i < steps; i++) {
            long part = peak.get(MemoryOwner.ACTIVATIONS) / LAYERS;
            boolean backward = i / LAYERS % 2 == 1;
            plan.memory(MemoryOwner.ACTIVATIONS, backward ? -part : part);
            int operation =
                    plan.add(new Operation.Compute(Stream.COMPUTE, new Work(Work.Kind.LAYER_FORWARD, 1), "layer"));
            spans.add(
                    new OperationSpan(operation, Stream.COMPUTE, "layer", endPs / steps * i, endPs / steps * (i + 1)));
        }
        return MemoryOverTime.of(plan.build(), spans, endPs, 0);
    }

    /** One of the scenarios trains adapters of a mixture of experts. */
    private static RunFacts.Parameters size(String scenario) {
        return scenario.equals("accepted")
                ? new RunFacts.Parameters(PARAMETERS, PARAMETERS / 4, PARAMETERS / 1000)
                : RunFacts.Parameters.of(PARAMETERS);
    }

    private static RunResult tooLarge(String scenario, int nodes) {
        Map<String, Object> point = new LinkedHashMap<>();
        point.put("cluster.nodes", nodes);
        point.put("strategy.kind", "fsdp");
        Map<MemoryOwner, Long> memory = new EnumMap<>(memory(nodes * 8, 3));
        memory.put(MemoryOwner.GATHERED_UNITS, 9_000_000_000L);
        RunFacts facts = RunFacts.of(
                scenario,
                point,
                p4d(nodes),
                new RunFacts.Sharded(
                        strategy("fsdp", "FSDP", nodes * 8),
                        new RunFacts.Training(
                                "gpt2-30b",
                                RunFacts.Parameters.of(PARAMETERS),
                                1.45e9,
                                GLOBAL_BATCH,
                                new Batch(SEQUENCE, 3, 32),
                                Recomputation.ALL,
                                new RunFacts.Peak("bf16", 312e12)),
                        new RunFacts.Memory(memory, 42_300_000_000L)),
                new RunFacts.Remarks(List.of(), List.of(), sources()));
        return RunResult.outOfMemory(facts, "Nearest thing that fits: micro_batch 1.");
    }

    /** Plain data parallelism on nodes of eight GPUs. */
    static RunFacts.Strategy strategy(String kind, String name, int shardGroup) {
        return new RunFacts.Strategy(
                kind, name, shardGroup, new StateHolders(shardGroup, Math.min(8, shardGroup)), RunFacts.Split.NONE, "");
    }

    private static List<Setting> settings(int microBatch) {
        return List.of(
                new Setting("training.micro_batch", String.valueOf(microBatch), Setting.Origin.CHOSEN),
                new Setting("training.precision", "bf16", Setting.Origin.GIVEN),
                new Setting("training.attention", "standard", Setting.Origin.DEFAULT),
                new Setting("training.activation_checkpointing", "full", Setting.Origin.DEFAULT));
    }

    private static List<Source> sources() {
        return List.of(
                new Source(
                        "p4d.24xlarge: GPUs, NICs, PCIe",
                        "AWS EC2 P4 page, https://aws.amazon.com/ec2/instance-types/p4/",
                        "2022-11-01"),
                new Source("NCCL latencies", "NVIDIA/nccl src/graph/tuning.cc", "2023-04-18"));
    }

    private static Map<MemoryOwner, Long> memory(int shardGroup, int micro) {
        Map<MemoryOwner, Long> bytes = new EnumMap<>(MemoryOwner.class);
        bytes.put(MemoryOwner.PARAMETERS, 2 * PARAMETERS / shardGroup);
        bytes.put(MemoryOwner.GRADIENTS, 2 * PARAMETERS / shardGroup);
        bytes.put(MemoryOwner.OPTIMIZER_STATES, 12 * PARAMETERS / shardGroup);
        bytes.put(MemoryOwner.GATHERED_UNITS, 2_466_000_000L);
        bytes.put(MemoryOwner.ACTIVATIONS, micro * 900_000_000L);
        bytes.put(MemoryOwner.WORKING_SET, micro * 800_000_000L);
        bytes.put(MemoryOwner.BUCKETS, 1_500_000_000L);
        bytes.put(MemoryOwner.RUNTIME, 1_900_000_000L);
        return bytes;
    }

    private static StepObservation observe(String kind, int nodes, int shardGroup, int accumulation) {
        boolean hierarchical = kind.equals("mics");
        // A layer's gather: bytes over four NICs, plus a latency proportional to the ranks of a flat ring.
        long gather = hierarchical
                ? 40 * MS * (shardGroup - 8) / shardGroup + shardGroup * 30_000_000L
                : 36 * MS + nodes * (kind.equals("fsdp") ? 1_900_000_000L : 2_900_000_000L);
        long forward = 45 * MS;
        long backward = 92 * MS;
        List<OperationSpan> spans = new ArrayList<>();
        long compute = 0;
        long communication = 0;
        long exposedGather = 0;
        long exposedReduce = 0;
        long reduceFree = 0;
        long busyGather = 0;
        long busyReduce = 0;
        int operation = 0;
        for (int m = 0; m < accumulation; m++) {
            for (int l = 0; l < 2 * LAYERS; l++) {
                boolean forwards = l < LAYERS;
                long gatherStart = Math.max(communication, compute - (forwards ? forward : backward));
                communication = gatherStart + gather;
                busyGather += gather;
                spans.add(new OperationSpan(operation++, Stream.GATHER, "gather layer", gatherStart, communication));
                long start = Math.max(compute, communication);
                exposedGather += start - compute;
                long mid = start + forward;
                if (forwards) {
                    spans.add(new OperationSpan(operation++, Stream.COMPUTE, "forward layer", start, mid));
                    compute = mid;
                } else {
                    spans.add(new OperationSpan(operation++, Stream.COMPUTE, "recompute layer", start, mid));
                    compute = mid + backward;
                    spans.add(new OperationSpan(operation++, Stream.COMPUTE, "backward layer", mid, compute));
                    long reduceStart = Math.max(reduceFree, compute);
                    reduceFree = reduceStart + gather;
                    busyReduce += gather;
                    spans.add(new OperationSpan(
                            operation++, Stream.REDUCE, "reduce-scatter layer", reduceStart, reduceFree));
                }
            }
        }
        long optimizerStart = Math.max(compute, reduceFree);
        exposedReduce += optimizerStart - compute;
        long optimizer = 8 * MS;
        long end = optimizerStart + optimizer;
        spans.add(new OperationSpan(operation, Stream.COMPUTE, "optimizer", optimizerStart, end));
        spans.sort(Comparator.comparingLong(OperationSpan::startPs).thenComparingInt(OperationSpan::operation));

        Map<Work.Kind, Long> work = new EnumMap<>(Work.Kind.class);
        work.put(Work.Kind.LAYER_FORWARD, accumulation * LAYERS * forward);
        work.put(Work.Kind.LAYER_RECOMPUTE, accumulation * LAYERS * forward);
        work.put(Work.Kind.LAYER_BACKWARD, accumulation * LAYERS * backward * 19 / 20);
        work.put(Work.Kind.OPTIMIZER_STEP, optimizer);
        long slowdown = accumulation * LAYERS * backward - accumulation * LAYERS * backward * 19 / 20;
        List<RankTotals> ranks = new ArrayList<>();
        for (int rank = 0; rank < nodes * 8; rank++) {
            long busy = accumulation * LAYERS * (2 * forward + backward) + optimizer;
            ranks.add(new RankTotals(
                    rank,
                    end,
                    Map.of(Stream.COMPUTE, busy, Stream.GATHER, busyGather, Stream.REDUCE, busyReduce),
                    work,
                    slowdown,
                    Map.of(Stream.GATHER, exposedGather, Stream.REDUCE, exposedReduce)));
        }
        long nicBytes = (long) (3.0 * accumulation * 2 * PARAMETERS * (shardGroup - 8) / shardGroup / 4);
        return new StepObservation(
                end,
                ranks,
                links(p4d(nodes), end, nicBytes),
                spans,
                2_000_000L * nodes,
                9_000_000L * nodes * accumulation,
                300L * nodes,
                "d1ge57" + kind + nodes);
    }

    private static List<LinkTotals> links(Cluster cluster, long end, long nicBytes) {
        List<LinkTotals> links = new ArrayList<>();
        for (int node = 0; node < cluster.nodes(); node++) {
            long busy = Math.min(end, (long) (nicBytes / 10.625e9 * 1e12));
            String path = "Node[" + node + "]";
            for (int gpu = 0; gpu < 8; gpu++) {
                links.add(new LinkTotals(
                        path + ".Gpu[" + gpu + "]",
                        0,
                        node,
                        LinkClass.NVLINK,
                        nicBytes >> 20,
                        2 * nicBytes,
                        busy / 11,
                        busy / 1000));
            }
            for (int nic = 0; nic < 4; nic++) {
                links.add(new LinkTotals(
                        path + ".PcieSwitch[" + nic + "]",
                        2,
                        node,
                        LinkClass.PCIE,
                        nicBytes >> 20,
                        nicBytes,
                        busy * 2 / 5,
                        0));
                links.add(new LinkTotals(
                        path + ".Nic[" + nic + "]",
                        0,
                        node,
                        LinkClass.NIC,
                        nicBytes >> 20,
                        nicBytes,
                        busy,
                        busy * (node % 4 + 1)));
            }
            links.add(new LinkTotals(
                    "Fabric.Leaf[" + node + "]", 0, node, LinkClass.NIC, nicBytes >> 20, 4 * nicBytes, busy, busy / 7));
            links.add(new LinkTotals(
                    "Fabric.Spine[" + node + "]",
                    0,
                    node,
                    LinkClass.SPINE,
                    nicBytes >> 20,
                    4 * nicBytes,
                    busy,
                    busy / 9));
        }
        return links;
    }
}

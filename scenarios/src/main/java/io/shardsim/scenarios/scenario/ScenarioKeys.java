package io.shardsim.scenarios.scenario;

import io.shardsim.reports.KnownSetting;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.HardwareKeys;
import io.shardsim.scenarios.catalog.ModelKeys;
import io.shardsim.scenarios.catalog.StorageKeys;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.Unmodelled;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.EitherType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.OneOrListType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.workload.Adapters;
import io.shardsim.topology.units.UnitTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The keys of a scenario file: the one table from which reader, messages, JSON Schema and documentation follow. Those of training are rows of {@link KnownSetting}. */
public final class ScenarioKeys {
    /** Bounds what one run may cost; a larger cluster is a typing error today. */
    public static final int NODES_MAX = 65_536;

    static final String SLOW_NIC = "slow_nic";

    /** Block of lists among which a plan chooses. */
    static final String SEARCH = "search";

    /** What a name may be: in a scenario's own, letters of any script. */
    private static final String NAMED = "a name of letters, digits, dots and dashes";

    private static final ValueType NAME = KnownSetting.NAME;

    /** Hardware as its vendor or {@code nvidia-smi} writes it. */
    private static final ValueType HARDWARE =
            ScalarTypes.text("[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}", "a name of letters, digits, dots, dashes and blanks");

    private static final ValueType INSTANCE = ScalarTypes.text(
            "[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}|[^\\p{Cntrl}]{1,200}\\.ya?ml",
            "a name of letters, digits, dots, dashes and blanks, or a file");

    public static final String TITLE = "[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}._-]{0,99}";

    /** A framework, its release and what is used with it. */
    public static final ValueType FRAMEWORK = ScalarTypes.text(
            "[a-z][a-z0-9-]*( +[0-9][0-9a-z.-]{0,19})?( *\\+ *[a-z][a-z0-9-]*( +[0-9][0-9a-z.-]{0,19})?){0,5}",
            "a framework, a release and what is used with it, such as torchtitan 2024-12 + compile");

    static final BlockType GPU = new BlockType(
            with(
                    HardwareKeys.GPU,
                    Key.required(
                            "architecture",
                            new Unmodelled.Words(ScalarTypes.choice(Catalog.ARCHITECTURES), "architectures"),
                            "family of kernel times")),
            false);

    static final BlockType CLUSTER = new BlockType(clusterKeys(), false).suchAs("{instance: p4d.24xlarge, nodes: 32}");

    public static final BlockType TRAINING =
            new BlockType(KnownSetting.keys("training"), false).suchAs("{sequence_length: 2048, global_batch: 1536}");

    static final BlockType LORA = BlockType.of(
                    Key.required("r", ScalarTypes.whole(1, 65_536), "rank of the adapters"),
                    Key.required(
                            "target_modules",
                            new OneOrListType(ScalarTypes.choice(Adapters.MODULES), "module"),
                            "matrices of a layer that have one, as Hugging Face names them in Llama (qkv_proj where query, key and value are one matrix), or all-linear"),
                    Key.optional(
                            "frozen_bits",
                            ScalarTypes.whole(4, 16),
                            "bits of a frozen weight of a layer: 16, 8 (int8), or 4 (NF4 with double quantization: QLoRA); omitted: 16"))
            .suchAs("{r: 16, target_modules: all-linear}");

    static final BlockType STRATEGY = BlockType.openWith(
                    Key.required(
                            "kind",
                            NAME,
                            "how states are sharded; `shardsim catalog strategies` lists the kinds and the further keys of each"))
            .suchAs(Strategies.example());

    static final BlockType COLLECTIVES = BlockType.of(
                    Key.optional(
                            "library",
                            ScalarTypes.choice(CollectiveSettings.LIBRARIES),
                            "library whose choices are modelled; omitted: what the strategy brings along, else nccl"),
                    Key.optional(
                            "algorithm",
                            NAME,
                            "forced algorithm of a bare collective (training: gather_algorithm and reduce_algorithm of the strategy); omitted: auto, the library's own choice; `shardsim catalog collectives` lists them"),
                    Key.optional(
                            "chunk",
                            ScalarTypes.quantity(UnitTable.DATA_SIZE, 16),
                            "forced largest piece that one step moves; omitted: the library's own"))
            .suchAs("{library: nccl, chunk: 1 MiB}");

    static final BlockType WORKLOAD = BlockType.of(
                    Key.required("collective", ScalarTypes.choice(collectiveKinds()), "the collective"),
                    Key.required("size", ScalarTypes.quantity(UnitTable.DATA_SIZE, 1), "bytes of the whole buffer"))
            .suchAs("{collective: all_reduce, size: 1 GiB}");

    static final BlockType STORAGE =
            new BlockType(storageKeys(), false).suchAs("{input: fsx-lustre, capacity: 4.8 TiB}");

    static final BlockType CHECKPOINT = BlockType.of(
                    Key.required("to", NAME, "storage of the catalog that checkpoints are written to"),
                    Key.required("every", ScalarTypes.counted(1, 1_000_000_000, "steps"), "training steps between two"),
                    Key.optional(
                            "state",
                            ScalarTypes.choice("sharded", "full"),
                            "whether each rank of one copy of the model states writes its part, or one rank everything; omitted: sharded"),
                    Key.optional(
                            "asynchronous",
                            ScalarTypes.flag(),
                            "whether training goes on once the state is in host memory; omitted: false"))
            .suchAs("{to: s3, every: 1000}");

    static final BlockType FAILURES = BlockType.of(
                    Key.required(
                            "node_mtbf",
                            ScalarTypes.counted(1, 100_000_000, "h", "hours"),
                            "mean time between failures of one node, in hours"),
                    Key.required(
                            "restart",
                            ScalarTypes.time(0),
                            "from when a failure is noticed until the first step runs again"),
                    Key.optional(
                            "detection",
                            ScalarTypes.time(0),
                            "until a failure is noticed; omitted: 10 min, the timeout of PyTorch's NCCL process group"))
            .suchAs("{node_mtbf: 6300 h, restart: 10 min}");

    static final String SLOW_GPU = "slow_gpu";
    static final String SLOW_HOST = "slow_host";
    static final String CLOCK_SPREAD = "clock_spread";
    static final String CLOCK_SEED = "clock_seed";
    static final String LOST_NIC = "lost_nic";
    static final String SPINE_NEIGHBOUR = "spine_neighbour";

    static final BlockType FAULTS = BlockType.of(
                    Key.optional(
                            SLOW_GPU,
                            ScalarTypes.decimal(1, 1000),
                            "time of work on Node[0].Gpu[0] over that on every other GPU; training only"),
                    Key.optional(
                            SLOW_HOST,
                            ScalarTypes.decimal(1, 1000),
                            "time of the processes that issue kernels over what is usual, on every node; training only"),
                    Key.optional(
                            CLOCK_SPREAD,
                            ScalarTypes.decimal(0, 0.2),
                            "standard deviation of the speeds of GPUs, drawn for each, as a share of the mean; training only"),
                    Key.optional(
                            CLOCK_SEED,
                            ScalarTypes.whole(0, 1_000_000_000),
                            "seed of these draws; omitted: 0; training only"),
                    Key.optional(SLOW_NIC, ScalarTypes.rate(), "line rate of Node[0].Nic[0] and its cable, both ways"),
                    Key.optional(
                            LOST_NIC,
                            ScalarTypes.flag(),
                            "whether Node[0].Nic[0] is missing, so that Node[0].Nic[1] carries its traffic, too"),
                    Key.optional(
                            SPINE_NEIGHBOUR,
                            ScalarTypes.decimal(0, 0.99),
                            "share of the rate between the leaf of Node[0] and the spine that other jobs take, both ways"))
            .suchAs("{slow_gpu: 1.3}");

    static final String ASSERT = "assert";
    static final String FASTEST = "fastest";
    static final String EACH = "each";

    static final BlockType ASSERTED = BlockType.of(
                    Key.optional(
                            FASTEST,
                            new OneOrListType(Assertion.TYPE, "assertion"),
                            "what the fastest run must come to: a figure of results.json, days or usd, and its bound; or fits"),
                    Key.optional(
                            EACH,
                            new OneOrListType(Assertion.TYPE, "assertion"),
                            "what every run must come to, likewise"))
            .suchAs("{fastest: samples_per_second >= 70, each: fits}");

    /** A scenario file. */
    public static final BlockType FILE = BlockType.of(
                    Key.required("scenario", ScalarTypes.text(TITLE, NAMED), "name, by which reports are named"),
                    Key.optional(
                            "model",
                            new EitherType(NAME, ModelKeys.block()),
                            "what is trained: a name of the catalog, or its shape"),
                    Key.required("cluster", CLUSTER, "on what"),
                    Key.optional(
                            "framework",
                            FRAMEWORK,
                            "framework, its release, and what is used with it (shardsim catalog releases): gives keys of training and strategy that are left out what that release does; omitted: each key's own default"),
                    Key.optional(
                            InstanceFiles.INSTANCES,
                            new ListType(
                                    BlockType.openWith(Key.required(
                                            InstanceFiles.NAME, INSTANCE, "what cluster.instance calls it")),
                                    "instance"),
                            "instances that are not in the catalog, each with the keys of an instance file: extends names one of the catalog that has the others"),
                    Key.optional("training", TRAINING, "how it is trained"),
                    Key.optional(
                            "lora",
                            LORA,
                            "low-rank adapters, which alone are trained beside frozen weights; omitted: the whole model is trained"),
                    Key.optional("strategy", STRATEGY, "how states are sharded"),
                    Key.optional("workload", WORKLOAD, "a bare collective, in place of model, training and strategy"),
                    Key.optional("collectives", COLLECTIVES, "how collectives are carried"),
                    Key.optional("storage", STORAGE, "where samples are read from, and what that storage is like"),
                    Key.optional("checkpoint", CHECKPOINT, "what is saved, how often, and where"),
                    Key.optional(
                            "failures",
                            FAILURES,
                            "how often nodes fail, and how long the job stands; with checkpoint only"),
                    Key.optional("faults", FAULTS, "what is slower than it should be; omitted: nothing"),
                    Key.optional("sweep", new SweepType(), "lists of values by dotted key; every combination is run"),
                    Key.optional(
                            SEARCH,
                            new SweepType(),
                            "lists of values by dotted key among which `shardsim plan` chooses; run refuses it"),
                    Key.optional(
                            ASSERT, ASSERTED, "what the runs must come to: `run` ends with status 4 where they do not"),
                    Key.optional(
                            "accepted",
                            new ListType(ScalarTypes.text("(?s).*\\S.*", "a key"), "key"),
                            "keys of an imported file that decide the answer and are left out (shardsim import --accept); run repeats them"))
            .withExpected("a block with scenario, model, cluster, training, strategy");

    private ScenarioKeys() {}

    /** Keys of blocks by dotted name, those of strategies left out. */
    static List<String> dottedKeys() {
        List<String> dotted = new ArrayList<>();
        for (Key key : FILE.keys()) {
            if (key.type() instanceof BlockType block) {
                block.names().forEach(name -> dotted.add(key.name() + "." + name));
            }
        }
        return dotted;
    }

    private static List<Key> clusterKeys() {
        List<Key> keys = new ArrayList<>();
        keys.add(
                Key.optional(
                        "instance",
                        INSTANCE,
                        "instance of the catalog, or a file that describes one (shardsim calibrate writes such a file); the other keys change what it says"));
        keys.add(Key.optional(
                "nodes",
                ScalarTypes.whole(1, NODES_MAX),
                "number of nodes; omitted: 1, where a gpu is given without instance and NICs"));
        keys.add(
                Key.optional(
                        "gpu",
                        new EitherType(HARDWARE, GPU),
                        "GPU of an inline cluster: a name of the catalog, or its figures; alone it is one GPU of its usual server"));
        for (Key key : HardwareKeys.SERVER) {
            keys.add(Key.optional(key.name(), key.type(), key.meaning()));
        }
        keys.add(Key.optional(
                HardwareKeys.NETWORK.name(),
                HardwareKeys.NETWORK.type(),
                HardwareKeys.NETWORK.meaning() + "; omitted in an inline cluster: infiniband"));
        keys.add(HardwareKeys.PRICE);
        keys.add(Key.optional(
                SLOW_NIC,
                ScalarTypes.rate(),
                "line rate of one NIC, Node[0].Nic[0], both ways; omitted: all NICs are alike"));
        return keys;
    }

    private static List<Key> storageKeys() {
        List<Key> keys = new ArrayList<>();
        keys.add(Key.optional(
                "input", NAME, "storage of the catalog that samples are read from; omitted: they are there in time"));
        keys.add(Key.optional(
                "sample_size",
                ScalarTypes.quantity(UnitTable.DATA_SIZE, 1),
                "bytes of a stored sample; omitted: 4 for each token"));
        keys.addAll(StorageKeys.CHANGEABLE);
        return keys;
    }

    private static List<String> collectiveKinds() {
        // A broadcast from the last rank is what pipelines send back with; alone it is a broadcast like the other.
        return Arrays.stream(CollectiveKind.values())
                .filter(kind -> kind != CollectiveKind.BROADCAST_FROM_LAST)
                .map(CollectiveKind::id)
                .toList();
    }

    private static List<Key> with(List<Key> keys, Key first) {
        List<Key> all = new ArrayList<>(List.of(first));
        all.addAll(keys);
        return all;
    }
}

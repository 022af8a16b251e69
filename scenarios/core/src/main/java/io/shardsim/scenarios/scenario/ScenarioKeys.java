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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Keys of a scenario file: the one table from which reader, messages, JSON Schema and documentation follow. Training keys are rows of
 * {@link KnownSetting}.
 */
public final class ScenarioKeys {
    /** Limit on the cost of one run; a larger cluster is a typing error today. */
    public static final int NODES_MAX = 65_536;

    static final String SLOW_NIC = "slow_nic";

    /** Block of lists that a plan searches. */
    static final String SEARCH = "search";

    /** Pattern of a name; a scenario's own names may have letters of any script. */
    private static final String NAMED = "a name of letters, digits, dots and dashes";

    private static final ValueType NAME = KnownSetting.NAME;
    private static final ValueType MODEL = ScalarTypes.text(
            "[A-Za-z0-9][A-Za-z0-9._/-]{0,99}",
            "a name of letters, digits, dots and dashes, as on the Hugging Face hub");

    /** A GPU's name as its vendor or {@code nvidia-smi} writes it. */
    private static final ValueType HARDWARE =
            ScalarTypes.text("[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}", "a name of letters, digits, dots, dashes and spaces");

    private static final ValueType INSTANCE = ScalarTypes.text(
            "[A-Za-z0-9][A-Za-z0-9 ._-]{0,99}|[^\\p{Cntrl}]{1,200}\\.ya?ml",
            "a name of letters, digits, dots, dashes and spaces, or a file");

    public static final String TITLE = "[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}._-]{0,99}";

    /** A framework, its release and the libraries used with it. */
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

    static final BlockType LORA = block("lora").suchAs("{r: 16, target_modules: all-linear}");

    static final BlockType STRATEGY = BlockType.openWith(
                    Key.required(
                            "kind",
                            NAME,
                            "how states are sharded; `shardsim catalog strategies` lists the kinds and the further keys of each"))
            .suchAs(Strategies.example());

    static final BlockType COLLECTIVES = block("collectives").suchAs("{library: nccl, chunk: 1 MiB}");

    static final BlockType WORKLOAD = block("workload").suchAs("{collective: all_reduce, size: 1 GiB}");

    static final BlockType STORAGE = new BlockType(
                    Stream.of(keys("storage"), StorageKeys.CHANGEABLE)
                            .flatMap(List::stream)
                            .toList(),
                    false)
            .suchAs("{input: fsx-lustre, capacity: 4.8 TiB}");

    static final BlockType CHECKPOINT = block("checkpoint").suchAs("{to: s3, every: 1000}");

    static final BlockType MONEY = block("money").suchAs("{term: one_year}");

    static final BlockType FAILURES = block("failures").suchAs("{node_mtbf: 6300 h, restart: 10 min}");

    static final String SLOW_GPU = "slow_gpu";
    static final String SLOW_HOST = "slow_host";
    static final String CLOCK_SPREAD = "clock_spread";
    static final String CLOCK_SEED = "clock_seed";
    static final String LOST_NIC = "lost_nic";
    static final String SPINE_NEIGHBOUR = "spine_neighbour";

    static final String OTHER_JOB = "other_job";
    static final String RETRANSMITTED = "retransmitted";
    static final String NIC_DOWN = "nic_down";
    static final String NIC_DOWN_EVERY = "nic_down_every";

    static final BlockType FAULTS = block("faults").suchAs("{slow_gpu: 1.3}");

    static final String ASSERT = "assert";
    static final String FASTEST = "fastest";
    static final String EACH = "each";

    static final BlockType ASSERTED = block("assert").suchAs("{fastest: samples_per_second >= 70, each: fits}");

    /** Type of a scenario file. */
    public static final BlockType FILE = new BlockType(
                    HardwareKeys.FILE.keys(
                            "scenario",
                            Map.ofEntries(
                                    Map.entry("scenario", ScalarTypes.text(TITLE, NAMED)),
                                    Map.entry("model", new EitherType(MODEL, ModelKeys.block())),
                                    Map.entry("cluster", CLUSTER),
                                    Map.entry("framework", FRAMEWORK),
                                    Map.entry(
                                            "instances",
                                            new ListType(
                                                    BlockType.openWith(Key.required(
                                                            InstanceFiles.NAME,
                                                            INSTANCE,
                                                            "what cluster.instance calls it")),
                                                    "instance")),
                                    Map.entry("training", TRAINING),
                                    Map.entry("lora", LORA),
                                    Map.entry("strategy", STRATEGY),
                                    Map.entry("workload", WORKLOAD),
                                    Map.entry("collectives", COLLECTIVES),
                                    Map.entry("storage", STORAGE),
                                    Map.entry("checkpoint", CHECKPOINT),
                                    Map.entry("failures", FAILURES),
                                    Map.entry("faults", FAULTS),
                                    Map.entry("money", MONEY),
                                    Map.entry("lists", new SweepType()),
                                    Map.entry("assert", ASSERTED),
                                    Map.entry(
                                            "accepted",
                                            new ListType(ScalarTypes.text("(?s).*\\S.*", "a key"), "key")))),
                    false)
            .withExpected("a block with scenario, model, cluster, training, strategy");

    private ScenarioKeys() {}

    /** Returns dotted keys of all blocks, without strategy parameters. */
    static List<String> dottedKeys() {
        List<String> dotted = new ArrayList<>();
        for (Key key : FILE.keys()) {
            if (key.type() instanceof BlockType block) {
                block.names().forEach(name -> dotted.add(key.name() + "." + name));
            }
        }
        return dotted;
    }

    private static BlockType block(String name) {
        return new BlockType(keys(name), false);
    }

    private static List<Key> keys(String block) {
        return HardwareKeys.FILE.keys(
                block,
                Map.of(
                        "name",
                        NAME,
                        "price",
                        HardwareKeys.PRICE.type(),
                        "terms",
                        ScalarTypes.choice(HardwareKeys.TERMS),
                        "instance",
                        INSTANCE,
                        "gpu",
                        new EitherType(HARDWARE, GPU),
                        "modules",
                        new OneOrListType(ScalarTypes.choice(Adapters.MODULES), "module"),
                        "libraries",
                        ScalarTypes.choice(CollectiveSettings.LIBRARIES),
                        "collectives",
                        ScalarTypes.choice(collectiveKinds()),
                        "assertions",
                        new OneOrListType(Assertion.TYPE, "assertion")));
    }

    private static List<Key> clusterKeys() {
        List<Key> keys = new ArrayList<>(keys("cluster"));
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

    private static List<String> collectiveKinds() {
        // Pipelines return results by a broadcast from the last rank; on its own it equals any other broadcast.
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

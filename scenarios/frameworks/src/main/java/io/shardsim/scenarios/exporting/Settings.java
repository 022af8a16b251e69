package io.shardsim.scenarios.exporting;

import io.shardsim.reports.Names;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.StrategySpec;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.settings.Setting;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.topology.Cluster;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Effective settings of a training by dotted scenario key, defaults included. The shard group is the one in use, even if the strategy does not let it
 * be chosen; {@code training.kernels} is the framework profile that runs.
 */
final class Settings {
    static final String KIND = "strategy.kind";
    static final String NODES = "cluster.nodes";
    static final String GPUS_PER_NODE = "cluster.gpus_per_node";
    static final String KERNELS = "training.kernels";
    static final String CHECKPOINTING = "training.activation_checkpointing";
    static final String CHECKPOINTED_LAYERS = "training.checkpointed_layers";
    static final String OFFLOAD = "training.activation_offload";
    static final String ATTENTION = "training.attention";
    static final String PRECISION = "training.precision";
    static final String DROPOUT = "training.dropout";
    static final String CLIPPING = "training.gradient_clipping";
    static final String OPTIMIZER = "training.optimizer";
    static final String SEQUENCE = "training.sequence_length";
    static final String DELAYED = "training.delayed_parameter_initialization";
    private static final String SHARD_GROUP = "strategy." + StrategyDescriptor.SHARD_GROUP;

    private final String scenario;
    private final Cluster cluster;
    private final Task.Training task;
    private final TrainingJob job;
    private final Map<String, String> texts = new LinkedHashMap<>();
    private final Map<String, Object> values = new LinkedHashMap<>();

    /** @param point a training, with its micro-batch set */
    Settings(ScenarioPoint point) {
        scenario = point.scenario();
        cluster = point.cluster();
        task = (Task.Training) point.task();
        ShardingStrategy planner = task.strategy().create();
        job = task.job(cluster, planner);
        put(NODES, cluster.nodes());
        put(GPUS_PER_NODE, cluster.gpusPerNode());
        putModel(task.model());
        putTraining();
        put(KIND, task.strategy().kind());
        putStrategy(task.strategy());
        put(SHARD_GROUP, planner.shardGroups(job).size());
    }

    /** Whether the head width differs from hidden / heads. */
    boolean ownHeadWidth() {
        return whole("model.head_dim") * whole("model.heads") != whole("model.hidden");
    }

    private void putModel(ModelShape model) {
        put("model.hidden", model.hidden());
        put("model.layers", model.layers());
        put("model.heads", model.attention().queries());
        put("model.vocab", model.embeddings().vocab());
        put("model.ffn", model.ffn());
        put("model.kv_heads", model.attention().keyValues());
        put("model.head_dim", model.headDim());
        put("model.kv_lora_rank", model.attention().latent().keyValueRank());
        put("model.experts", model.mixture().experts().number());
        put("model.experts_per_token", model.mixture().experts().perToken());
        put("model.expert_ffn", model.mixture().ffn());
        put("model.shared_expert_ffn", model.mixture().sharedFfn());
        put("model.dense_layers", model.mixture().denseLayers());
        put("model.expert_layer_period", model.mixture().period());
        put("model.gated_ffn", model.family() == ModelShape.Family.LLAMA);
        put("model.mtp_layers", model.form().mtpLayers());
        put("model.qk_norm", model.attention().normed());
        put("model.encoder", model.hasEncoder());
        put("model.tied_embeddings", model.embeddings().tied());
        put("model.max_positions", model.embeddings().positions());
    }

    private void putTraining() {
        task.settings(job).forEach(this::put);
        put(PRECISION, Names.id(precision()));
        put(CLIPPING, plain(task.learning().gradientClipping()));
        if (task.surroundings() != null && task.surroundings().startUp() != null) {
            put(DELAYED, task.surroundings().startUp().delayed());
        }
    }

    /** The precision outside of FP8 kernels, which either the precision or the profile asks for: BF16. */
    private Precision precision() {
        Precision said = task.learning().precision();
        return said == Precision.FP8 ? Precision.BF16 : said;
    }

    private void putStrategy(StrategySpec strategy) {
        Map<String, String> inForce = strategy.parameters();
        for (Setting parameter : strategy.descriptor().parameters()) {
            String name = parameter.name();
            String text = inForce.getOrDefault(name, parameter.written());
            Object value = parameter.type().read(new Scalar(Position.START, text, true), name, new Problems(scenario));
            // The profile is listed as training.kernels.
            if (!name.equals("framework_profile")) {
                texts.put("strategy." + name, text);
                values.put("strategy." + name, value == null ? text : value);
            }
        }
    }

    private void put(String key, Object value) {
        texts.put(key, String.valueOf(value));
        values.put(key, value instanceof Integer whole ? Long.valueOf(whole) : value);
    }

    private static String plain(double value) {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    String scenario() {
        return scenario;
    }

    TrainingJob job() {
        return job;
    }

    String kind() {
        return task.strategy().kind();
    }

    Task.Training task() {
        return task;
    }

    /** Class that implements the strategy; kinds that share one differ only in their settings. */
    String implementation() {
        return task.strategy().descriptor().implementation();
    }

    /** Parameters that the scenario itself sets. */
    Map<String, String> given() {
        return task.strategy().given();
    }

    /** GPUs that share a sample by tensor, context or pipeline parallelism; 1 if each GPU has its own samples. */
    int ranksOfReplica() {
        return job.parallel().ranksOfSample();
    }

    /** Effective values by key. */
    Map<String, Object> values() {
        return Collections.unmodifiableMap(values);
    }

    /** The value as written in a scenario; null if the strategy has no such parameter. */
    @Nullable
    String text(String key) {
        return texts.get(key);
    }

    /** Long, Double, Boolean or String; null if the strategy has no such parameter. */
    @Nullable
    Object value(String key) {
        return values.get(key);
    }

    long whole(String key) {
        return values.get(key) instanceof Long value ? value : 0;
    }

    boolean is(String key) {
        return Boolean.TRUE.equals(values.get(key));
    }

    boolean is(String key, String word) {
        return word.equals(texts.get(key));
    }
}

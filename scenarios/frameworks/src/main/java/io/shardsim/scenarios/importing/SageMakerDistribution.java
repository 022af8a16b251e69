package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The {@code distribution} of a SageMaker estimator, alone or in the estimator, or only the parameters of the model parallel library: v1 (PyTorch 1,
 * with MiCS as sharded data parallelism) and v2 (PyTorch FSDP).
 */
final class SageMakerDistribution implements Importer {
    private static final String LIBRARY = "smdistributed.modelparallel.";
    private static final String SMP = LIBRARY + "parameters.";
    private static final String DATA = "smdistributed.dataparallel.";
    private static final String SERVERS = "parameter_server.enabled";
    private static final List<String> PARAMETERS = List.of(
            "sharded_data_parallel_degree",
            "hybrid_shard_degree",
            "pipeline_parallel_degree",
            "sm_activation_offloading",
            "placement_strategy",
            "prescaled_batch");
    private static final List<String> SECOND = List.of(
            "hybrid_shard_degree", "sm_activation_offloading", "context_parallel_degree", "expert_parallel_degree");
    private static final List<String> INSIDE = List.of(
            "smdistributed",
            "distribution",
            "instance_type",
            "mpi",
            "torch_distributed",
            "pytorchddp",
            "parameter_server");

    @Override
    public String table() {
        return "sagemaker";
    }

    /** Moves the keys of the estimator and its distribution to the top level, and wraps bare parameters in their usual blocks. */
    @Override
    public Mapping unwrap(Mapping root) {
        if (PARAMETERS.stream().anyMatch(each -> root.entry(each) != null)) {
            Mapping library = in("parameters", root);
            return in("smdistributed", in("modelparallel", library));
        }
        List<Entry> entries = new ArrayList<>();
        for (Entry entry : root.entries()) {
            boolean opens = entry.value() instanceof Mapping block
                    && !block.entries().isEmpty()
                    && (entry.key().equals("distribution")
                            || INSIDE.stream().anyMatch(each -> block.entry(each) != null)
                                    && !entry.key().equals("smdistributed"));
            if (opens && entry.value() instanceof Mapping block) {
                entries.addAll(unwrap(block).entries());
            } else {
                entries.add(entry);
            }
        }
        return new Mapping(root.position(), entries);
    }

    /** The arguments of a script other than AWS's. */
    @Override
    public @Nullable String innerKey(Mapping root) {
        Entry entry = root.entry("hyperparameters");
        boolean trainer = entry != null
                && entry.value() instanceof Mapping block
                && block.entry("max_context_width") == null
                && Importers.recognize(block, false) instanceof TrainerSettings;
        return trainer ? "hyperparameters" : null;
    }

    private static Mapping in(String name, YamlNode value) {
        return new Mapping(value.position(), List.of(new Entry(name, value.position(), value)));
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        boolean settled = draft.isSettled(file, "instance_type", Draft.INSTANCE);
        String instance = settled ? null : file.text("instance_type");
        if (instance != null) {
            draft.give(
                    Draft.INSTANCE,
                    instance.toLowerCase(Locale.ROOT).replaceFirst("^ml\\.", ""),
                    file.key("instance_type"));
        }
        SageMakerScript.contribute(file, draft);
        draft.giveWhole(file, "mpi.processes_per_host", Draft.GPUS_PER_NODE, 1, 64);
        boolean parallel = file.hasBlock("smdistributed.modelparallel") && file.flag(LIBRARY + "enabled", true);
        if (parallel && isSecond(file)) {
            contributeSecond(file, draft);
        } else if (parallel) {
            contributeFirst(file, draft);
        } else if (file.flag(DATA + "enabled", false)) {
            draft.give(Draft.KIND, "smddp", file.key(DATA + "enabled"));
        } else if (file.flag(SERVERS, false)) {
            draft.give(Draft.KIND, "parameter-server", file.key(SERVERS));
        } else {
            contributePlain(file, draft);
        }
        String backend = file.text(SMP + "ddp_dist_backend");
        if (backend != null && !backend.equals("auto")) {
            file.judge(
                    SMP + "ddp_dist_backend", Verdict.NOT_MODELLED, "the collective library; set collectives.library");
        }
    }

    /** Whether the parameters contain a key that only v2 has. */
    private static boolean isSecond(ForeignFile file) {
        return SECOND.stream().anyMatch(key -> file.has(SMP + key));
    }

    private static void contributePlain(ForeignFile file, Draft draft) {
        for (String key : List.of("torch_distributed.enabled", "pytorchddp.enabled", "mpi.enabled")) {
            if (file.flag(key, false)) {
                // The script selects the strategy; without one, torchrun means plain data parallelism and MPI Horovod.
                String kind = key.startsWith("mpi") ? "horovod" : "ddp";
                draft.afterwards(done -> {
                    if (!done.has(Draft.KIND)) {
                        done.give(Draft.KIND, kind, file.key(key));
                        file.judge(key, Verdict.APPROXIMATED, "strategy.kind " + kind + "; the script may use another");
                    } else {
                        file.judge(key, Verdict.IRRELEVANT, "the launcher");
                    }
                });
                return;
            }
        }
        draft.afterwards(done -> {
            Fact kind = done.fact(Draft.KIND);
            if (kind == null || kind.rank() != Fact.Rank.GIVEN) {
                file.judge(
                        "entry_point",
                        Verdict.DECIDES_THE_ANSWER,
                        "without a distribution, SageMaker starts it once per node, and what it launches is "
                                + "unknown; add the distribution, or also pass its DeepSpeed or Accelerate "
                                + "configuration");
            }
        });
    }

    private static void contributeFirst(ForeignFile file, Draft draft) {
        Long shards = file.whole(SMP + "sharded_data_parallel_degree", 1, 65_536);
        String pipelineKey = file.has(SMP + "pipeline_parallel_degree") ? "pipeline_parallel_degree" : "partitions";
        Long pipeline = file.whole(SMP + pipelineKey, 1, 4096);
        Long tensor = file.whole(SMP + "tensor_parallel_degree", 1, 65_536);
        if (shards != null && shards > 1) {
            draft.give(Draft.KIND, "mics", file.key(SMP + "sharded_data_parallel_degree"));
            contributeSharding(file, draft, shards);
        } else {
            contributeSplit(file, draft);
        }
        draft.give("strategy.tensor_parallel", tensor, file.key(SMP + "tensor_parallel_degree"));
        draft.give("strategy.pipeline_parallel", pipeline, file.key(SMP + pipelineKey));
        draft.giveIf(file, SMP + "bf16", Draft.PRECISION, "bf16");
        for (String key : List.of("fp16", "fp16_params")) {
            draft.giveIf(file, SMP + key, Draft.PRECISION, "fp16");
        }
    }

    private static void contributeSharding(ForeignFile file, Draft draft, Long shards) {
        draft.give("strategy.shard_group", shards, file.key(SMP + "sharded_data_parallel_degree"));
        bucket(file, draft, "sdp_reduce_bucket_size", "reduce_bucket_size");
        bucket(file, draft, "sdp_param_persistence_threshold", "param_persistence_threshold");
        bucket(file, draft, "sdp_max_live_parameters", "max_live_parameters");
        draft.byDefault(Draft.CLIPPING, 1.0, "the library's default");
    }

    private static void bucket(ForeignFile file, Draft draft, String theirs, String ours) {
        draft.giveWhole(file, SMP + theirs, "strategy." + ours, 0, 1_000_000_000_000L);
    }

    /** Tensor and pipeline parallelism without sharded data parallelism. */
    private static void contributeSplit(ForeignFile file, Draft draft) {
        ForeignKey shard = file.key(SMP + "shard_optimizer_state");
        boolean states = file.flag(SMP + "shard_optimizer_state", false);
        ForeignKey key = states ? shard : first(file);
        draft.give(Draft.KIND, states ? "zero1" : "ddp", key);
        draft.byDefault(Draft.PROFILE, "smp", "the library's kernels");
        if (states && shard != null) {
            shard.judge(
                    Verdict.APPROXIMATED,
                    "strategy.kind zero1, whose optimizer states are sharded by DeepSpeed's rules");
        }
        String schedule = file.choice(SMP + "pipeline", List.of("interleaved", "simple"));
        draft.give(
                "strategy.pipeline_schedule",
                schedule == null ? null : schedule.equals("simple") ? "simple" : "1f1b",
                file.key(SMP + "pipeline"));
        Boolean balanced = file.flag(SMP + "auto_partition");
        draft.give(
                "strategy.partition",
                balanced == null ? null : balanced ? "balanced" : "uniform",
                file.key(SMP + "auto_partition"));
        if (balanced != null && !balanced) {
            file.judge(
                    SMP + "auto_partition",
                    Verdict.APPROXIMATED,
                    "strategy.partition uniform; the script's own partition is unknown");
        }
        draft.giveDegree(file, SMP + "microbatches", Draft.ACCUMULATION, 1);
    }

    private static @Nullable ForeignKey first(ForeignFile file) {
        for (String key : List.of("pipeline_parallel_degree", "partitions", "tensor_parallel_degree", "ddp")) {
            if (file.has(SMP + key)) {
                return file.key(SMP + key);
            }
        }
        return file.key(LIBRARY + "enabled");
    }

    private static void contributeSecond(ForeignFile file, Draft draft) {
        Long shards = file.whole(SMP + "hybrid_shard_degree", 0, 65_536);
        if (shards != null && shards > 0) {
            draft.give(Draft.KIND, "fsdp-hybrid", file.key(SMP + "hybrid_shard_degree"));
            draft.give("strategy.shard_group", shards, file.key(SMP + "hybrid_shard_degree"));
        } else {
            draft.byDefault(Draft.KIND, "fsdp", "hybrid_shard_degree 0 leaves it to PyTorch's FSDP");
            file.judge(
                    SMP + "hybrid_shard_degree",
                    Verdict.APPROXIMATED,
                    "strategy.kind fsdp; the script may choose HYBRID_SHARD");
        }
        for (String each : List.of("tensor", "context", "expert")) {
            draft.giveDegree(file, SMP + each + "_parallel_degree", "strategy." + each + "_parallel", 1);
        }
    }
}

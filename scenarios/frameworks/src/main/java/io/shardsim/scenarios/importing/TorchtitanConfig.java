package io.shardsim.scenarios.importing;

import static java.util.Map.entry;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.importing.Fact.Rank;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.yaml.YamlReader;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A torchtitan TOML file; torchtitan trains with FSDP2. */
public final class TorchtitanConfig implements Importer {
    private static final String MODE = "activation_checkpoint.mode";
    private static final String OPTION = "activation_checkpoint.selective_ac_option";
    private static final String CONVERTERS = "model.converters";
    private static final String COMPILE = "compile.enable";
    private static final String REPLICAS = "data_parallel_replicate_degree";
    private static final String CHECKPOINTED = "training.checkpointed_layers";
    private static final String EXPERTS = "parallelism.expert_parallel_degree";
    private static final String STAGES = "pipeline_parallel_degree";
    private static final List<String> CUTS = List.of(
            "parallelism.pipeline_parallel_layers_per_stage",
            "parallelism.module_fqns_per_model_part",
            "parallelism.pipeline_parallel_split_points",
            "experimental.pipeline_parallel_split_points");
    /** Its names of pipeline schedules. */
    public static final Map<String, String> SCHEDULES = Map.ofEntries(
            entry("simple", "GPipe"),
            entry("1f1b", "1F1B"),
            entry("interleaved", "Interleaved1F1B"),
            entry("zero-bubble", "InterleavedZeroBubble"));

    @Override
    public String table() {
        return "torchtitan";
    }

    @Override
    public void contribute(ForeignFile file, Draft draft) {
        String model = file.text("model.name");
        String flavor = file.text("model.flavor");
        String known = file.table().models().get(model + " " + flavor);
        boolean isFamily = file.table().models().keySet().stream().anyMatch(each -> each.startsWith(model + " "));
        draft.give(
                Draft.HUB_NAME,
                model == null || known != null ? known : model + "-" + flavor,
                file.key(isFamily ? "model.flavor" : "model.name"));
        String why = model == null || isFamily ? null : Known.whyNotModelled(model);
        if (why != null) {
            file.refuse("model.name", "model.name " + model + " is not modelled: " + why);
        }
        contributeBatch(file, draft);
        contributePrecision(file, draft);
        contributeKernels(file, draft);
        contributeCheckpointing(file, draft);
        contributeParallelism(file, draft);
        boolean half = !"fp32".equals(draft.text(Draft.PRECISION));
        draft.byDefault(Draft.ATTENTION, half ? "flash" : "standard", "PyTorch's scaled_dot_product_attention");
        OptimizerName.contribute(file, draft, "optimizer.name", null);
    }

    /** A key in the section that contains it: keys moved from training and experimental to parallelism. */
    private static String of(ForeignFile file, String name) {
        return Stream.of("training.", "experimental.")
                .map(section -> section + name)
                .filter(file::has)
                .findFirst()
                .orElse("parallelism." + name);
    }

    private static void contributeBatch(ForeignFile file, Draft draft) {
        String samples = file.has("training.batch_size") ? "training.batch_size" : "training.local_batch_size";
        long ofRank = whole(file, samples, 8);
        long stages = whole(file, of(file, STAGES), 1);
        long microBatch = stages > 1 ? ofPipeline(file, ofRank, stages) : ofRank;
        boolean isDefault = !file.has(samples) || stages > 1;
        draft.giveOr(
                Draft.MICRO_BATCH,
                microBatch,
                isDefault ? null : file.key(samples),
                stages > 1 ? "how a pipeline splits local_batch_size " + ofRank : "torchtitan's default");
        String global = "training.global_batch_size";
        Long batch = file.whole(global, -1, 1_000_000_000);
        if (batch == null || batch < 0) {
            draft.byDefault(Draft.ACCUMULATION, ofRank / microBatch, "torchtitan without global_batch_size");
        } else {
            draft.give(Draft.GLOBAL_BATCH, batch, file.key(global));
            draft.atEnd(whole -> {
                long steps = batch / (ofRank * whole.whole(Draft.COPIES, 1));
                if (stages > 1 && steps > 1) {
                    file.judge(
                            global,
                            Verdict.APPROXIMATED,
                            "torchtitan fills and drains the pipeline in each of " + steps
                                    + " accumulation steps; simulated with one fill and drain, so it waits less");
                }
            });
        }
    }

    /**
     * Micro-batch of a pipeline: set directly since 2025-04 (pull request 1073); before, a rank's batch was split into a number of micro-batches, by
     * default one per stage.
     */
    private static long ofPipeline(ForeignFile file, long ofRank, long stages) {
        if (of(file, STAGES).startsWith("parallelism")) {
            return Math.min(ofRank, Math.max(1, whole(file, "parallelism.pipeline_parallel_microbatch_size", 1)));
        }
        return Math.max(1, ofRank / whole(file, "experimental.pipeline_parallel_microbatches", stages));
    }

    private static void contributePipeline(ForeignFile file, Draft draft) {
        if (whole(file, of(file, STAGES), 1) <= 1) {
            file.ignore("parallelism.pipeline_parallel_", "there is one stage");
            file.ignore("experimental.pipeline_parallel_", "there is one stage");
            return;
        }
        String key = of(file, "pipeline_parallel_schedule");
        String written = file.text(key);
        String schedule = written == null ? "1F1B" : written.replace("_", "");
        String ours = SCHEDULES.entrySet().stream()
                .filter(known -> known.getValue().equalsIgnoreCase(schedule))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
        if (ours == null) {
            file.judge(
                    key,
                    Verdict.DECIDES_THE_ANSWER,
                    "of its schedules, only GPipe, 1F1B, Interleaved1F1B and InterleavedZeroBubble are simulated; set "
                            + "strategy.pipeline_schedule");
            return;
        }
        draft.give("strategy.pipeline_schedule", ours, file.key(key));
        if (!ours.equals("simple") && !ours.equals("1f1b")) {
            draft.byDefault("strategy.model_chunks", 2L, "torchtitan without split points");
            CUTS.stream()
                    .filter(file::has)
                    .forEach(cut -> file.judge(
                            cut,
                            Verdict.DECIDES_THE_ANSWER,
                            "chunks per stage, assumed to be 2; set strategy.model_chunks"));
        }
    }

    private static void contributePrecision(ForeignFile file, Draft draft) {
        String compute = file.choice("training.mixed_precision_param", List.of("bfloat16", "float32"));
        boolean halved = "bfloat16".equals(file.choice("training.dtype", List.of("bfloat16", "float32")));
        boolean eight = file.words(CONVERTERS).stream().anyMatch(word -> word.contains("float8"))
                || file.flag("float8.enable_float8_linear", false);
        if (!file.words(CONVERTERS).stream().allMatch(word -> word.contains("float8"))) {
            file.judge(CONVERTERS, Verdict.DECIDES_THE_ANSWER, "of the model converters, only FP8 GEMMs are simulated");
        }
        ForeignKey key = file.has(CONVERTERS) ? file.key(CONVERTERS) : file.key("float8.enable_float8_linear");
        if (eight) {
            draft.give(Draft.PRECISION, "fp8", key);
            draft.give(Draft.PROFILE, "torchtitan-float8", key);
        } else {
            file.ignore("float8.", "no converter uses it");
            file.ignore("quantize.", "no converter uses it");
            draft.give(Draft.PRECISION, halved ? "bf16_pure" : null, file.key("training.dtype"));
            draft.give(
                    Draft.PRECISION,
                    compute == null || halved ? null : compute.equals("bfloat16") ? "bf16" : "fp32",
                    file.key("training.mixed_precision_param"));
            draft.byDefault(Draft.PRECISION, "bf16", "torchtitan's default");
        }
        String reduced = file.choice("training.mixed_precision_reduce", List.of("bfloat16", "float32"));
        draft.giveOr(
                "strategy.reduce_in_fp32",
                !"bfloat16".equals(reduced),
                file.key("training.mixed_precision_reduce"),
                "torchtitan's default");
    }

    private static void contributeKernels(ForeignFile file, Draft draft) {
        if (file.flag("training.compile", false)) {
            draft.byDefault(Draft.PROFILE, "torchtitan-compile", "training.compile");
        }
        List<String> parts = file.words("compile.components");
        if (file.flag(COMPILE, false) && (parts.isEmpty() || parts.contains("model"))) {
            draft.byDefault(Draft.PROFILE, "torchtitan-compile", COMPILE);
        } else if (file.flag(COMPILE, false)) {
            file.judge(COMPILE, Verdict.APPROXIMATED, "only the loss is compiled, which is not simulated");
        }
        boolean fused = "fused_rmsnorm".equals(file.text("model.norm_type"));
        draft.byDefault(Draft.PROFILE, fused ? "fsdp-fused-norm" : "torchtitan", "torchtitan without compile");
    }

    private static void contributeCheckpointing(ForeignFile file, Draft draft) {
        String mode = file.choice(MODE, List.of("none", "full", "selective", "memory_budget"));
        String option = file.text(OPTION);
        if ("memory_budget".equals(mode)) {
            file.judge(
                    MODE,
                    Verdict.DECIDES_THE_ANSWER,
                    "the compiler chooses what to recompute; set the closest activation_checkpointing");
        } else if (mode != null && !mode.equals("selective")) {
            draft.give(Draft.CHECKPOINTING, mode, file.key(MODE));
            file.judge(OPTION, Verdict.IRRELEVANT, "the mode is " + mode);
        } else if ("op".equals(option)) {
            draft.give(Draft.CHECKPOINTING, "operator", file.key(OPTION));
        } else {
            everySoManyLayers(file, draft, mode == null ? null : file.key(MODE));
        }
    }

    private static void everySoManyLayers(ForeignFile file, Draft draft, @Nullable ForeignKey key) {
        String option = file.text(OPTION);
        if (option != null && !option.matches("[1-9]\\d{0,4}")) {
            file.refuse(
                    OPTION,
                    OPTION + " " + YamlReader.printable(option)
                            + " is not a whole number; write op, or N for every N-th layer");
            return;
        }
        boolean said = key != null || option != null;
        long every = option == null ? 2 : Long.parseLong(option);
        draft.giveOr(Draft.CHECKPOINTING, "full", key, "torchtitan's default, in every second layer");
        draft.atEnd(whole -> {
            String name = whole.text("model");
            CatalogEntry<ModelShape> model = name == null ? null : Catalog.model(name);
            if (model != null) {
                long layers = Math.max(1, model.spec().layers() / every);
                whole.settle(
                        CHECKPOINTED,
                        said
                                ? new Fact(layers, Rank.DEFAULT, file.key(OPTION), "one of " + every + " layers")
                                : new Fact(
                                        layers,
                                        Rank.ASSUMED,
                                        null,
                                        "not in any file; torchtitan's default is selective: one of 2 layers"));
            }
        });
    }

    private static void contributeParallelism(ForeignFile file, Draft draft) {
        String shardKey = file.has("training.data_parallel_degree")
                ? "training.data_parallel_degree"
                : of(file, "data_parallel_shard_degree");
        String replicaKey = of(file, REPLICAS);
        long replicas = whole(file, replicaKey, 1);
        long shards = whole(file, shardKey, -1);
        long tensor = whole(file, of(file, "tensor_parallel_degree"), 1);
        draft.byDefault(Draft.KIND, replicas > 1 && shards == 1 ? "ddp" : "fsdp2", "torchtitan");
        if (tensor > 1) {
            draft.byDefault("strategy.sequence_parallel", true, "torchtitan's tensor parallelism");
            boolean whole = file.flag("parallelism.disable_loss_parallel", false)
                    || !file.flag(of(file, "enable_loss_parallel"), true);
            draft.byDefault("strategy.gather_logits", whole, "torchtitan's loss parallelism");
        } else {
            file.ignore("parallelism.enable_async", "nothing is tensor-parallel");
            file.ignore("experimental.enable_async", "nothing is tensor-parallel");
        }
        contributePipeline(file, draft);
        if (whole(file, EXPERTS, 1) <= 1) {
            file.ignore("parallelism.expert_tensor_", "experts are not sharded");
        }
        if (shards > 0) {
            long context = whole(file, of(file, "context_parallel_degree"), 1);
            draft.giveMesh(
                    file,
                    Stream.concat(
                                    Stream.of(shardKey, replicaKey),
                                    Stream.of("tensor_parallel_degree", "context_parallel_degree", STAGES)
                                            .map(name -> of(file, name)))
                            .toList());
            draft.give(
                    "strategy.shard_group", replicas > 1 && shards > 1 ? shards * context : null, file.key(shardKey));
        } else if (replicas > 1) {
            draft.give(Draft.REPLICAS, replicas, file.key(replicaKey));
        }
    }

    private static long whole(ForeignFile file, String key, long otherwise) {
        Long value = file.whole(key, -1, 65_536);
        return value == null ? otherwise : value;
    }
}

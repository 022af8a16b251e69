package io.shardsim.scenarios.scenario;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.catalog.CollectiveDescriptors;
import io.shardsim.scenarios.catalog.ModelKeys;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.catalog.StrategyDescriptor.Parameter;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.NearestNumbers;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.job.ActivationPolicy;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.GpuSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The {@code model}, {@code training} and {@code strategy} blocks, and the rules between them and the cluster. */
final class TrainingResolver {
    /** Room for every sum of bytes that follows from one micro-batch. */
    private static final double BYTES_MAX = 0x1p60;

    private final Block file;
    private final @Nullable Cluster cluster;
    private final Sweep sweep;
    private final boolean inSweep;
    private final List<String> notes;
    private final List<Figure> figures;
    private final Problems problems;

    TrainingResolver(
            Block file,
            @Nullable Cluster cluster,
            Sweep sweep,
            boolean inSweep,
            List<String> notes,
            List<Figure> figures,
            Problems problems) {
        this.file = file;
        this.cluster = cluster;
        this.sweep = sweep;
        this.inSweep = inSweep;
        this.notes = notes;
        this.figures = figures;
        this.problems = problems;
    }

    /** The task, or null after a problem. */
    Task.@Nullable Training resolve() {
        int before = problems.told();
        Block training = file.block("training");
        Long sequenceLength = training == null ? null : training.whole("sequence_length");
        ModelShape model = model(sequenceLength == null ? 1 : Math.toIntExact(sequenceLength));
        StrategySpec strategy = strategy();
        Long globalBatch = training == null ? null : training.whole("global_batch");
        boolean divides = training != null
                && globalBatch != null
                && cluster != null
                && dividesAmongReplicas(training, globalBatch, cluster.worldSize(), strategy);
        if (training == null || sequenceLength == null || model == null || strategy == null || globalBatch == null) {
            return null;
        }
        checkSequence(training, model, sequenceLength);
        checkCheckpoints(training, model);
        if (training.text("attention", "standard").equals("flash")
                && training.text("precision", "bf16").equals("fp32")) {
            problems.add(
                    training.at("attention"),
                    "attention flash works in 16 bits and precision is fp32; write attention: standard or precision: bf16");
        }
        if (problems.told() > before || cluster == null || !divides) {
            return null;
        }
        Task.Training task = task(training, model, strategy, Math.toIntExact(sequenceLength), globalBatch);
        checkStrategy(task, cluster);
        return problems.told() > before ? null : task;
    }

    private Task.Training task(
            Block training, ModelShape model, StrategySpec strategy, int sequenceLength, long globalBatch) {
        Long microBatch = training.whole("micro_batch");
        Precision precision = Precision.valueOf(upper(training.text("precision", "bf16")));
        return new Task.Training(
                file.value("model") instanceof String name ? name : "inline",
                model,
                new Task.Learning(
                        sequenceLength,
                        globalBatch,
                        precision,
                        training.flag("dropout", model.operators().hasDropout()),
                        training.decimal("gradient_clipping", 1.0)),
                new Task.Execution(
                        microBatch == null ? null : Math.toIntExact(microBatch),
                        new ActivationPolicy(
                                Checkpointing.valueOf(upper(training.text("activation_checkpointing", "full"))),
                                Math.toIntExact(training.whole("checkpointed_layers", model.layers())),
                                training.flag("activation_offload", false)),
                        AttentionKind.valueOf(upper(training.text("attention", "standard"))),
                        training.text("kernels")),
                strategy,
                new SurroundingsResolver(file, figures, problems).resolve(sequenceLength, precision));
    }

    private static String upper(String word) {
        return word.toUpperCase(Locale.ROOT);
    }

    private @Nullable ModelShape model(int sequenceLength) {
        Object value = file.value("model");
        if (value instanceof Block inline) {
            return inlineModel(inline, sequenceLength);
        }
        if (!(value instanceof String name)) {
            return null;
        }
        CatalogEntry<ModelShape> entry = Catalog.model(name);
        if (entry == null) {
            problems.add(
                    file.at("model"),
                    "model " + name + " is not in the catalog; " + Nearest.remedy(name, Catalog.modelNames()));
            return null;
        }
        ScenarioReader.addFigures(entry, figures);
        return entry.spec();
    }

    private @Nullable ModelShape inlineModel(Block inline, int sequenceLength) {
        Long hidden = inline.whole("hidden");
        Long heads = inline.whole("heads");
        boolean read = inline.entries().keySet().stream().allMatch(key -> inline.value(key) != null);
        if (hidden == null
                || heads == null
                || inline.whole("layers") == null
                || inline.whole("vocab") == null
                || !read) {
            return null;
        }
        long kvHeads = inline.whole("kv_heads", heads);
        boolean divides = true;
        if (hidden % heads != 0) {
            divides = false;
            problems.add(
                    inline.at("heads"),
                    "heads " + heads + " does not divide hidden " + hidden + "; "
                            + NearestNumbers.divisors(hidden, heads));
        }
        if (heads % kvHeads != 0) {
            divides = false;
            problems.add(
                    inline.at("kv_heads"),
                    "kv_heads " + kvHeads + " does not divide heads " + heads + "; "
                            + NearestNumbers.divisors(heads, kvHeads));
        }
        boolean normable = !inline.flag("qk_norm", false) || inline.flag("gated_ffn", false);
        if (!normable) {
            problems.add(inline.at("qk_norm"), "qk_norm true needs gated_ffn true; set it, or remove qk_norm");
        }
        return divides && normable ? ModelKeys.shape(inline, sequenceLength) : null;
    }

    private @Nullable StrategySpec strategy() {
        Block block = file.block("strategy");
        String kind = block == null ? null : block.text("kind");
        if (block == null || kind == null) {
            return null;
        }
        StrategyDescriptor descriptor = Strategies.descriptor(kind);
        if (descriptor == null) {
            problems.add(
                    block.at("kind"),
                    "strategy " + kind + " is not in the catalog; " + Nearest.remedy(kind, Strategies.kinds()));
            return null;
        }
        Map<String, String> given = new LinkedHashMap<>();
        for (Entry entry : block.others()) {
            Parameter parameter = descriptor.parameter(entry.key());
            if (parameter == null) {
                refuseParameter(entry, descriptor);
                continue;
            }
            Object value = parameter.type().read(entry.value(), entry.key(), problems);
            if (value != null && entry.key().equals(StrategyDescriptor.SHARD_GROUP) && cluster != null) {
                long inForce = shardGroup(
                        (Long) value, cluster.worldSize(), entry.value().position());
                given.put(entry.key(), String.valueOf(inForce));
            } else if (value != null && entry.value() instanceof Scalar written && isKnown(entry.key(), written)) {
                given.put(entry.key(), written.text());
            }
        }
        return new StrategySpec(descriptor, given);
    }

    /** Names that a strategy's own settings may have are those of files: of collectives and of framework profiles. */
    private boolean isKnown(String key, Scalar written) {
        String name = written.text();
        if (key.equals("framework_profile") && !FrameworkProfile.names().contains(name)) {
            problems.add(
                    written.position(),
                    key + " " + name + " is not known; " + Nearest.remedy(name, FrameworkProfile.names()));
            return false;
        }
        if (!key.endsWith("_algorithm") || name.equals(CollectiveSettings.AUTO)) {
            return true;
        }
        boolean exists = CollectiveDescriptors.names(null).contains(name);
        // What a reduction is, all-reduce or reduce-scatter, is the strategy's own affair.
        List<String> able = new ArrayList<>(List.of(CollectiveSettings.AUTO));
        able.addAll(CollectiveDescriptors.names(key.startsWith("reduce") ? null : CollectiveKind.ALL_GATHER.id()));
        if (able.contains(name)) {
            return true;
        }
        problems.add(
                written.position(),
                key + " " + name
                        + (exists
                                ? " does not carry all_gather; known: " + String.join(", ", able)
                                : " is not in the catalog; " + Nearest.remedy(name, able)));
        return false;
    }

    /** A parameter that this strategy does not have: a note where the strategy varies and another one has it, else a problem. */
    private void refuseParameter(Entry entry, StrategyDescriptor descriptor) {
        List<String> kindsWith = Strategies.kindsWith(entry.key());
        if (kindsWith.isEmpty()) {
            List<String> known = new ArrayList<>(List.of("kind"));
            known.addAll(descriptor.parameterNames());
            BlockType.refuseUnknown(entry, known, problems);
        } else if (sweep.varies("strategy")) {
            notes.add(entry.key() + " has no effect under " + descriptor.kind());
        } else {
            problems.add(
                    entry.keyPosition(),
                    "strategy " + descriptor.kind() + " has no " + entry.key() + ", which belongs to "
                            + String.join(", ", kindsWith) + "; remove it");
        }
    }

    /** The shard group in force: capped to the world size in a sweep; 0 stands for all ranks. */
    private int shardGroup(long shardGroup, int worldSize, Position position) {
        if (shardGroup > worldSize && inSweep) {
            notes.add("shard_group " + shardGroup + " capped to world size " + worldSize);
            return worldSize;
        }
        if (shardGroup > worldSize) {
            problems.add(
                    position,
                    "shard_group " + shardGroup + " > world size " + worldSize + "; write " + worldSize
                            + " or less (only a sweep caps it)");
        } else if (shardGroup > 0 && worldSize % shardGroup != 0) {
            problems.add(
                    position,
                    "shard_group " + shardGroup + " does not divide world size " + worldSize + "; "
                            + NearestNumbers.divisors(worldSize, shardGroup));
        }
        return Math.toIntExact(shardGroup);
    }

    /** The rules between the batch and the replicas of the model, once it is known how many ranks one takes. */
    private boolean dividesAmongReplicas(
            Block training, long globalBatch, int worldSize, @Nullable StrategySpec strategy) {
        ModelParallel parallel =
                strategy == null ? ModelParallel.NONE : strategy.create().modelParallel();
        List<Refusal> splits = parallel.problems(worldSize);
        splits.forEach(this::refuse);
        return splits.isEmpty() && divides(training, globalBatch, worldSize, worldSize / parallel.ranksOfSample());
    }

    private boolean divides(Block training, long globalBatch, int worldSize, int replicas) {
        String ofModel = replicas == worldSize
                ? "world size " + worldSize
                : replicas + " replicas of the model (world size " + worldSize + " / " + worldSize / replicas
                        + " ranks each)";
        if (globalBatch % replicas != 0) {
            problems.add(
                    training.at("global_batch"),
                    "global_batch " + globalBatch + " is not a multiple of " + ofModel + "; "
                            + NearestNumbers.multiples(replicas, globalBatch));
            return false;
        }
        Long microBatch = training.whole("micro_batch");
        long samples = globalBatch / replicas;
        if (microBatch != null && samples % microBatch != 0) {
            problems.add(
                    training.at("micro_batch"),
                    "micro_batch " + microBatch + " does not divide the " + samples
                            + (replicas == worldSize ? " samples of a GPU" : " samples of a replica")
                            + " (global_batch "
                            + globalBatch + " / " + ofModel + "); "
                            + NearestNumbers.divisors(samples, microBatch));
            return false;
        }
        return true;
    }

    private void checkSequence(Block training, ModelShape model, long sequenceLength) {
        if (model.maxPositions() > 0 && sequenceLength > model.maxPositions()) {
            problems.add(
                    training.at("sequence_length"),
                    "sequence_length " + sequenceLength + " > " + model.maxPositions()
                            + " learned positions of the model; write " + model.maxPositions()
                            + " or less, or describe the model inline with more max_positions");
        }
        double tokens = (double) sequenceLength * training.whole("micro_batch", 1);
        double perToken = 64.0 * Math.max(model.hidden(), model.ffn())
                + 8.0 * model.heads() * sequenceLength
                + 8.0 * model.vocab();
        if (tokens * perToken * (model.layers() + 1) > BYTES_MAX) {
            problems.add(
                    training.at("sequence_length"),
                    "sequence_length " + sequenceLength + " x micro_batch " + training.whole("micro_batch", 1)
                            + " needs more than 2^60 bytes of activations; write less of one of them");
        }
    }

    private void checkCheckpoints(Block training, ModelShape model) {
        Long layers = training.whole("checkpointed_layers");
        if (layers == null) {
            return;
        }
        if (layers > model.layers()) {
            problems.add(
                    training.at("checkpointed_layers"),
                    "checkpointed_layers " + layers + " > " + model.layers() + " layers of the model; write "
                            + model.layers() + " or less, or remove it for all of them");
        }
        if (training.text("activation_checkpointing", "full").equals("none")) {
            problems.add(
                    training.at("checkpointed_layers"),
                    "checkpointed_layers " + layers
                            + " with activation_checkpointing none: nothing is checkpointed; remove one of them");
        }
    }

    /** What the strategy itself has to say. */
    private void checkStrategy(Task.Training task, Cluster where) {
        ShardingStrategy strategy = task.strategy().create();
        TrainingJob job = task.job(where, strategy);
        noteVocabulary(task.model(), job);
        List<Refusal> found = new ArrayList<>(strategy.problems(job));
        found.addAll(eightBitProblems(job, where));
        if (found.isEmpty()) {
            found = NamedAlgorithms.problems(task.strategy().given(), strategy, job, where);
        }
        found.forEach(this::refuse);
    }

    /** Products of 8 bits need tensor cores for them, and 16 bits around them. */
    private static List<Refusal> eightBitProblems(TrainingJob job, Cluster where) {
        if (!FrameworkProfile.named(job.kernels()).eightBitProducts()) {
            return List.of();
        }
        String profile = "framework_profile " + job.kernels();
        List<Refusal> found = new ArrayList<>();
        GpuSpec gpu = where.instance().gpu();
        if (!GpuCalibration.of(gpu).multipliesEightBits()) {
            found.add(Refusal.of(
                    profile + " multiplies numbers of 8 bits, for which " + gpu.name()
                            + " has no tensor cores; choose a GPU of the Hopper architecture, or another profile",
                    "framework_profile"));
        }
        if (job.precision() == Precision.FP32) {
            found.add(Refusal.of(
                    profile + " multiplies numbers of 8 bits and precision is fp32; write precision: bf16, or choose"
                            + " another profile",
                    "precision",
                    "framework_profile"));
        }
        return found;
    }

    private void noteVocabulary(ModelShape published, TrainingJob job) {
        int vocab = job.model().vocab();
        if (vocab != published.vocab()) {
            int multiple = FrameworkProfile.named(job.kernels()).vocabularyMultiple()
                    * job.parallel().tensor();
            notes.add("vocabulary of " + published.vocab() + " filled up to " + vocab + ", a multiple of " + multiple
                    + ", as " + job.kernels() + " does");
        }
    }

    /** Shows it at the first of its keys that the file writes, under training or strategy; at the strategy where it writes none. */
    private void refuse(Refusal refusal) {
        Block strategy = file.block("strategy");
        Position place = strategy == null ? file.position() : strategy.position();
        for (String key : refusal.keys()) {
            Entry written = written(key);
            if (written != null) {
                place = written.value().position();
                break;
            }
        }
        problems.add(place, refusal.sentence());
    }

    private @Nullable Entry written(String key) {
        Block training = file.block("training");
        if (training != null && training.has(key)) {
            return training.entries().get(key);
        }
        Block strategy = file.block("strategy");
        List<Entry> settings = strategy == null ? List.of() : strategy.others();
        return settings.stream()
                .filter(entry -> entry.key().equals(key))
                .findFirst()
                .orElse(null);
    }
}

package io.shardsim.scenarios.scenario;

import io.shardsim.reports.Surroundings;
import io.shardsim.scenarios.catalog.Architecture;
import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.NearestNumbers;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.compute.CudaGraphs;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.compute.Optimizer;
import io.shardsim.simulator.job.ActivationPolicy;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.Precision;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.simulator.workload.Image;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Recomputed;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.topology.Cluster;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Resolves the {@code training} block, and checks it against the model, the strategy and the cluster. */
final class TrainingResolver {
    /** Limit on the bytes of one micro-batch that leaves headroom for every sum of them. */
    private static final double BYTES_MAX = 0x1p60;

    private static final String RECOMPUTE = "recompute";

    private final Block file;
    private final @Nullable Cluster cluster;
    private final StrategyResolver strategies;
    private final Set<String> given;
    private final List<Figure> figures;
    private final Problems problems;

    /** @param given dotted keys set by the file itself, not by its framework */
    TrainingResolver(
            Block file,
            @Nullable Cluster cluster,
            StrategyResolver strategies,
            Set<String> given,
            List<Figure> figures,
            Problems problems) {
        this.file = file;
        this.cluster = cluster;
        this.strategies = strategies;
        this.given = given;
        this.figures = figures;
        this.problems = problems;
    }

    /** Returns the task, or null after a problem. */
    Task.@Nullable Training resolve() {
        int before = problems.told();
        Block training = file.block("training");
        Long written = training == null ? null : training.whole("sequence_length");
        ModelShape model =
                new ModelResolver(file, figures, problems).resolve(written == null ? 1 : Math.toIntExact(written));
        if (training != null && model != null) {
            model = ExpertLoadResolver.on(model, training, problems);
        }
        Long sequenceLength = training == null ? null : sequenceLength(training, model, written);
        StrategySpec strategy = strategies.resolve();
        Long globalBatch = training == null ? null : training.whole("global_batch");
        boolean divides = training != null
                && globalBatch != null
                && cluster != null
                && strategies.isWhole()
                && dividesAmongReplicas(training, globalBatch, cluster.worldSize(), strategy);
        Surroundings surroundings = new SurroundingsResolver(file, figures, problems)
                .resolve(
                        sequenceLength == null ? 1 : Math.toIntExact(sequenceLength),
                        training == null || model == null
                                ? 0
                                : checkpointBytes(precision(training), optimizer(training), model));
        if (training == null || sequenceLength == null || model == null || strategy == null || globalBatch == null) {
            return null;
        }
        if (!divides && strategies.isWhole()) {
            strategy.create()
                    .modelParallel()
                    .problems(model, Math.toIntExact(sequenceLength), attention(training, model))
                    .forEach(strategies::refuse);
        }
        checkSequence(training, model, sequenceLength);
        checkCheckpoints(training, model);
        checkModules(training, model);
        if (attention(training, model) == AttentionKind.FLASH && precision(training) == Precision.FP32) {
            problems.add(
                    training.at("attention"),
                    "attention flash needs BF16 or FP16, but precision is fp32; write attention: standard or precision: bf16");
        }
        checkKernels(training);
        checkOptimizer(training);
        if (problems.told() > before || cluster == null || !divides) {
            return null;
        }
        Task.Training task =
                task(training, model, strategy, Math.toIntExact(sequenceLength), globalBatch, surroundings);
        strategies.check(task, cluster);
        return problems.told() > before ? null : task;
    }

    private void checkKernels(Block training) {
        String kernels = training.text("kernels");
        if (kernels != null && !FrameworkProfile.names().contains(kernels)) {
            problems.add(
                    training.at("kernels"),
                    "kernels " + kernels + " is not known; " + Nearest.remedy(kernels, FrameworkProfile.names()));
        }
    }

    /** Returns the sequence length as written, or that of the model's images; null after a problem. */
    private @Nullable Long sequenceLength(Block training, @Nullable ModelShape model, @Nullable Long written) {
        Image image = model == null ? Image.NONE : model.image();
        if (!image.isPresent()) {
            return written != null || training.has("sequence_length")
                    ? written
                    : problems.refuse(
                            file.at("training"),
                            "training has no sequence_length; add for example sequence_length: 2048");
        }
        return written == null || written == image.tokens()
                ? Long.valueOf(image.tokens())
                : problems.refuse(
                        training.at("sequence_length"),
                        "sequence_length " + written + " is not the " + image.tokens()
                                + " tokens of an image of this model; remove sequence_length");
    }

    private void checkOptimizer(Block training) {
        String name = training.text("optimizer");
        if (name != null && Optimizer.find(name) == null) {
            problems.add(
                    training.at("optimizer"),
                    "optimizer " + name + " is not known; " + Nearest.remedy(name, Optimizer.names()));
        }
    }

    private static Optimizer optimizer(Block training) {
        Optimizer found = Optimizer.find(training.text("optimizer", Optimizer.OWN.name()));
        return found == null ? Optimizer.OWN : found;
    }

    /** Returns bytes of a parameter's weights and optimizer states, which a checkpoint stores. */
    private static double checkpointBytes(Precision precision, Optimizer optimizer, ModelShape model) {
        return precision.weightBytes() + optimizer.bytesPerParameter(precision.stateBytes(), model);
    }

    private Task.Training task(
            Block training,
            ModelShape model,
            StrategySpec strategy,
            int sequenceLength,
            long globalBatch,
            @Nullable Surroundings surroundings) {
        Long microBatch = training.whole("micro_batch");
        Precision precision = precision(training);
        return new Task.Training(
                file.value("model") instanceof String name ? String.valueOf(Catalog.modelName(name)) : "inline",
                model,
                new Task.Learning(
                        sequenceLength,
                        globalBatch,
                        precision,
                        training.flag("dropout", model.operators().hasDropout()),
                        training.decimal("gradient_clipping", 1.0),
                        optimizer(training),
                        training.text("fp8_recipe")),
                new Task.Execution(
                        microBatch == null ? null : Math.toIntExact(microBatch),
                        new ActivationPolicy(
                                checkpointing(training, model),
                                Math.toIntExact(training.whole("checkpointed_layers", model.layers())),
                                training.flag("activation_offload", false),
                                new Recomputed(training.list(RECOMPUTE))),
                        attention(training, model),
                        training.text("kernels"),
                        CudaGraphs.valueOf(upper(training.text("cuda_graphs", "none")))),
                strategy,
                surroundings);
    }

    /** Returns the precision as written; else BF16, or FP16 on GPUs without BF16. */
    private Precision precision(Block training) {
        Precision precision = Precision.valueOf(upper(training.text("precision", "bf16")));
        boolean runs = cluster == null
                || given.contains("training.precision")
                || Architecture.of(cluster.instance().gpu()).has(precision);
        return runs ? precision : Precision.FP16;
    }

    /** Returns the attention as written; else the framework's default, or FlashAttention if the GPU has kernels for it. */
    private AttentionKind attention(Block training, ModelShape model) {
        // FlashAttention's kernels need 16-bit inputs and support no bias on scores.
        boolean standard =
                precision(training) == Precision.FP32 || model.decoder().hasPositionBias();
        String usual = standard ? "standard" : "flash";
        boolean runs = cluster == null
                || given.contains("training.attention")
                || Architecture.of(cluster.instance().gpu()).flashAttention() >= FrameworkProfile.USUAL_FLASH_VERSION;
        return runs ? AttentionKind.valueOf(upper(training.text("attention", usual))) : AttentionKind.STANDARD;
    }

    private static Checkpointing checkpointing(Block training, ModelShape model) {
        String usual = training.has(RECOMPUTE) ? "selective" : model.image().isConvolved() ? "none" : "full";
        return Checkpointing.valueOf(upper(training.text("activation_checkpointing", usual)));
    }

    private static String upper(String word) {
        return word.toUpperCase(Locale.ROOT);
    }

    /** Checks the batch against the number of replicas, once the ranks per replica are known. */
    private boolean dividesAmongReplicas(
            Block training, long globalBatch, int worldSize, @Nullable StrategySpec strategy) {
        ModelParallel parallel =
                strategy == null ? ModelParallel.NONE : strategy.create().modelParallel();
        List<Refusal> splits = parallel.problems(worldSize);
        splits.forEach(strategies::refuse);
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

    private void checkModules(Block training, ModelShape model) {
        List<String> there = Recomputed.of(model.operators());
        for (String module : training.<String>list(RECOMPUTE)) {
            if (!there.contains(module)) {
                problems.add(
                        training.at(RECOMPUTE),
                        "recompute " + module + " is in no layer of this model; write some of "
                                + String.join(", ", there));
            }
        }
    }

    private void checkCheckpoints(Block training, ModelShape model) {
        Checkpointing checkpointing = checkpointing(training, model);
        if (model.image().isConvolved()
                && (checkpointing == Checkpointing.SELECTIVE || checkpointing == Checkpointing.OPERATOR)) {
            problems.add(
                    training.at("activation_checkpointing"),
                    "activation_checkpointing " + checkpointing.name().toLowerCase(Locale.ROOT)
                            + " needs a model with attention; write none or full");
        }
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
        if (checkpointing == Checkpointing.NONE) {
            problems.add(
                    training.at("checkpointed_layers"),
                    "checkpointed_layers " + layers
                            + " with activation_checkpointing none: nothing is checkpointed; remove one of them");
        }
    }
}

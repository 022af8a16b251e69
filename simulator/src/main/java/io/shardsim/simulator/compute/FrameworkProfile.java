package io.shardsim.simulator.compute;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.workload.ModelShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Profile of a framework's code around the GEMMs of a transformer: which element-wise operators it fuses, how many bytes each moves, how many kernels
 * it launches, and how long the host takes to issue one. {@link ProfileFiles} assembles it from {@code catalog/frameworks/<name>.yaml}, where every
 * figure carries its source.
 *
 * <p>Bytes are per element of the tensor that the operator maps: the hidden state, a score, a feed-forward activation, a logit, or a parameter. They
 * follow from the operator's source code: 2 per 16-bit read or write, 4 per 32-bit one, 1 for a dropout mask.
 *
 * <p>Leaves out data-dependent operators, size-dependent fusion, and the copies around collectives, which belong to the strategy.
 */
public final class FrameworkProfile {
    /** FlashAttention version of a toolchain whose file gives none. */
    public static final long USUAL_FLASH_VERSION = 2;

    private static final int HALF_BYTES = 2;
    private static final int SINGLE_BYTES = 4;

    /** Shipped profiles read so far: a plan asks for its profile at every layer. */
    private static final Map<String, FrameworkProfile> READ = new ConcurrentHashMap<>();

    /** Element-wise operator and its amount. */
    public enum Operator {
        NORM_FORWARD("layer norm, of a hidden element"),
        NORM_BACKWARD("the same, backward"),
        RMS_NORM_FORWARD("RMS norm, of a hidden element"),
        RMS_NORM_BACKWARD("the same, backward"),
        BATCH_NORM_FORWARD("batch norm, of an element of its input"),
        BATCH_NORM_BACKWARD("the same, backward"),
        QUANTIZE_INPUT(
                "rounding of what an FP8 GEMM takes and no norm has rounded, of an element, for its forward and its gradient"),
        TRANSPOSE_INPUT(
                "bringing what a norm has rounded to FP8 into the order that the gradient's GEMM needs, of an element"),
        QUANTIZE_GRADIENT("rounding of a gradient that FP8 GEMMs take, of an element"),
        LAYOUT_FORWARD("copies that bring heads together or apart, of a hidden element"),
        LAYOUT_BACKWARD("the same, backward"),
        ROTARY_FORWARD("rotary position, of a query or key element"),
        ROTARY_BACKWARD("the same, backward"),
        SOFTMAX_FORWARD("scale, mask and softmax, of a score"),
        SOFTMAX_BACKWARD("the same, backward"),
        WHOLE_SOFTMAX_FORWARD("scale, padding mask and softmax of attention in both directions, of a score"),
        WHOLE_SOFTMAX_BACKWARD("the same, backward"),
        SCORE_BIAS_FORWARD("bias of positions added to scores, of a score"),
        SCORE_BIAS_BACKWARD("the gradient of that bias, of a score"),
        SCORE_DROPOUT_FORWARD("dropout, of a score"),
        SCORE_DROPOUT_BACKWARD("the same, backward"),
        RESIDUAL_DROPOUT_FORWARD("bias, dropout and residual addition, of a hidden element"),
        RESIDUAL_DROPOUT_BACKWARD("the same, backward"),
        RESIDUAL_FORWARD("residual addition where there is no dropout, of a hidden element"),
        RESIDUAL_BACKWARD("the same, backward"),
        ACTIVATION_FORWARD("bias and GELU, of a feed-forward element"),
        ACTIVATION_BACKWARD("the same, backward"),
        SINGLE_ACTIVATION_FORWARD("bias, and GELU by the error function, tanh or ReLU, of an element"),
        SINGLE_ACTIVATION_BACKWARD("the same, backward"),
        GATED_ACTIVATION_FORWARD("SiLU of the gate times up, of a feed-forward element"),
        GATED_ACTIVATION_BACKWARD("the same, backward"),
        CLAMPED_ACTIVATION_FORWARD("clamped gate and up, activated and multiplied, of a feed-forward element"),
        CLAMPED_ACTIVATION_BACKWARD("the same, backward"),
        ROUTE_FORWARD("softmax and choice of experts, of a router logit"),
        ROUTE_BACKWARD("the same, backward"),
        PERMUTE_FORWARD("copies of tokens in the order of experts, of a hidden element of a copy"),
        PERMUTE_BACKWARD("the same, backward"),
        SORT_COPIES("copies that came by rank in the order of experts, or back, of a hidden element of a copy"),
        PAD_COPIES("rows of each expert filled up for FP8 GEMMs, or cut again, of a hidden element of a copy"),
        COMBINE_FORWARD("weighted sum of what experts give, of a hidden element of a copy"),
        COMBINE_BACKWARD("the same, backward"),
        EXPERT_BIAS_FORWARD("bias of what experts give, of a hidden element of a copy"),
        EXPERT_BIAS_BACKWARD("the same, backward"),
        BIAS_FORWARD("addition of the bias where the GEMM does not do it, of an output element of a linear map"),
        BIAS_GRADIENT("sum of output gradients over tokens, of an output element of a linear map with bias"),
        LOSS_FORWARD("cross entropy, of a logit"),
        LOSS_BACKWARD("the same, backward"),
        EMBEDDING_FORWARD("token and position look-up, of a hidden element"),
        EMBEDDING_BACKWARD("the same, backward"),
        GRADIENT_NORM("norm of the gradient, of a parameter"),
        GRADIENT_CLIP("scaling the gradient by the clip factor, of a parameter"),
        OPTIMIZER("the update, of a parameter");

        private final String meaning;
        private final String key = name().toLowerCase(Locale.ROOT);
        private final String kernel = key.replace('_', '-');

        Operator(String meaning) {
            this.meaning = meaning;
        }

        /** Returns the name in files. */
        String key() {
            return key;
        }

        String meaning() {
            return meaning;
        }

        /** Returns the name of the kernels. */
        String kernel() {
            return kernel;
        }

        boolean isOfFp8() {
            return this == QUANTIZE_INPUT || this == TRANSPOSE_INPUT || this == QUANTIZE_GRADIENT || this == PAD_COPIES;
        }

        boolean isOfUpdate() {
            return this == GRADIENT_NORM || this == GRADIENT_CLIP || this == OPTIMIZER;
        }

        /** Returns whether it works in FP32, or on 32-bit gradients and states, whatever the format of parameters and activations. */
        boolean isWide() {
            return this == LOSS_FORWARD || this == LOSS_BACKWARD || isOfUpdate();
        }
    }

    /**
     * @param bytes bytes moved per element
     * @param kernels kernels launched
     */
    public record Cost(double bytes, int kernels) {
        private static final Cost NONE = new Cost(0, 0);
    }

    /**
     * Rate of a library's kernels relative to those of the calibration.
     *
     * @param own exceptions by GPU or architecture
     */
    public record RateRatio(double others, Map<String, Double> own) {
        double on(String gpu, String architecture) {
            return own.getOrDefault(gpu, own.getOrDefault(architecture, others));
        }
    }

    private final FigureFile figures;
    private final int elementBytes;
    private final @Nullable String recipe;
    private final CudaGraphs graphs;
    private final Cost[] costs = new Cost[Operator.values().length];

    /**
     * @param figures figures for 16-bit elements
     * @param recipe FP8 recipe; null for none
     */
    private FrameworkProfile(FigureFile figures, int elementBytes, @Nullable String recipe, CudaGraphs graphs) {
        this.figures = recipe == null ? figures : ProfileFiles.inFp8(figures, recipe);
        this.elementBytes = elementBytes;
        this.recipe = recipe;
        this.graphs = graphs;
        for (Operator operator : Operator.values()) {
            Cost cost = operator.isOfFp8() && recipe == null ? Cost.NONE : this.figures.get(operator.key(), Cost.class);
            costs[operator.ordinal()] = operator.isWide() ? cost : new Cost(wider() * cost.bytes(), cost.kernels());
        }
    }

    /** Returns the names of the shipped profiles, which are their file names. */
    public static List<String> names() {
        return ProfileFiles.PROFILES.names();
    }

    /** Returns the name of a profile's torch.compile variant, which fuses plain modules; null if that software is not compiled. */
    public static @Nullable String compiled(String own) {
        String compiled = own.equals("eager") ? "compiled" : own + "-compile";
        return names().contains(compiled) ? compiled : null;
    }

    /** Returns whether torch.compile makes its kernels. */
    public boolean isCompiled() {
        return figures.has("compiler");
    }

    /** Returns the shipped profile of that name, in FP8 if that is part of it. */
    public static FrameworkProfile named(String name) {
        return READ.computeIfAbsent(name, first -> of(ProfileFiles.merged(first)));
    }

    /** Creates a profile from figures, for example of a fit. */
    public static FrameworkProfile of(FigureFile figures) {
        FrameworkProfile profile = new FrameworkProfile(figures, HALF_BYTES, null, CudaGraphs.NONE);
        return figures.has(ProfileFiles.PRECISION) ? profile.inFp8() : profile;
    }

    /** Returns the names of the profiles that ship an FP8 recipe, except those that always use FP8. */
    public static List<String> namesWithFp8() {
        return names().stream()
                .filter(name -> !ProfileFiles.recipes(figures(name)).isEmpty()
                        && !figures(name).has(ProfileFiles.PRECISION))
                .toList();
    }

    /** Returns this profile in FP8 with the framework's default recipe; this profile if it ships none. */
    public FrameworkProfile inFp8() {
        return recipe != null || fp8Recipes().isEmpty()
                ? this
                : new FrameworkProfile(figures, elementBytes, fp8Recipes().get(0), graphs);
    }

    /** Returns this profile with another FP8 recipe of the framework; this profile for null, and without FP8. */
    public FrameworkProfile under(@Nullable String wanted) {
        return recipe == null || wanted == null || !fp8Recipes().contains(wanted)
                ? this
                : new FrameworkProfile(ProfileFiles.merged(figures.name()), elementBytes, wanted, graphs);
    }

    /** Returns the FP8 recipes of the framework, the default first. */
    public List<String> fp8Recipes() {
        return ProfileFiles.recipes(figures);
    }

    /** Returns the architectures that the FP8 recipe requires; empty for all with FP8 tensor cores. */
    public List<String> fp8Architectures() {
        return recipe != null && figures.has("architectures") ? figures.list("architectures") : List.of();
    }

    /** Returns this profile with another optimizer than the framework's own. */
    public FrameworkProfile with(Optimizer optimizer) {
        return optimizer.equals(Optimizer.OWN)
                ? this
                : new FrameworkProfile(ProfileFiles.with(figures, optimizer.figures()), elementBytes, recipe, graphs);
    }

    /** Returns the Newton-Schulz iterations of the optimizer; 0 for none. */
    int newtonSchulz() {
        return figures.has("newton_schulz") ? figures.count("newton_schulz") : 0;
    }

    /** Returns this profile with kernels that CUDA graphs launch. */
    public FrameworkProfile with(CudaGraphs graphs) {
        return graphs == this.graphs ? this : new FrameworkProfile(figures, elementBytes, recipe, graphs);
    }

    /** Returns the FP8 recipe of its GEMMs; null if they do not use FP8. */
    public @Nullable String fp8Recipe() {
        return recipe;
    }

    /** Returns the figures of the shipped profile of that name. */
    public static FigureFile figures(String name) {
        return ProfileFiles.merged(name);
    }

    /**
     * Returns this profile for parameters and activations of another format: bytes of element-wise operators scale with the element size.
     *
     * @param bytes bytes per element, 2 or 4
     */
    public FrameworkProfile withElements(int bytes) {
        return bytes == elementBytes ? this : new FrameworkProfile(figures, bytes, recipe, graphs);
    }

    /** Returns the bytes of a parameter or activation. */
    public int elementBytes() {
        return elementBytes;
    }

    /** Returns whether parameters and activations are FP32. */
    boolean isSingle() {
        return elementBytes == SINGLE_BYTES;
    }

    private int wider() {
        return elementBytes / HALF_BYTES;
    }

    /** Returns the bytes of the logit and its log-softmax, or of its two gradients; those already in 32 bits do not grow. */
    private int logitBytes(String key) {
        int bytes = figures.count(key);
        return isSingle() ? Math.min(2 * elementBytes, wider() * bytes) : bytes;
    }

    /** Returns whether the framework's examples train with dropout. */
    public boolean dropout() {
        return figures.flag("dropout");
    }

    /**
     * Returns whether recomputation stops at the last tensor that the backward needs, so that a layer's last GEMM is not recomputed (PyTorch 2.1,
     * {@code set_checkpoint_early_stop}).
     */
    public boolean recomputeStopsEarly() {
        return figures.flag("recompute_stops_early");
    }

    /** Returns whether a compiler recomputes element-wise results in backward instead of saving them (min-cut partitioner of PyTorch 2). */
    public boolean recomputesPointwise() {
        return figures.flag("recomputes_pointwise");
    }

    /** Returns the bytes per FFN element that autograd saves from the input to the output of a GELU. */
    public int savedActivationBytes() {
        return wider() * figures.count("saved_activation");
    }

    /** Returns the bytes per FFN element that autograd saves from the gate and up projections to their product. */
    public int savedGatedActivationBytes() {
        return wider() * figures.count("saved_gated_activation");
    }

    /** Returns the bytes per element that an RMSNorm saves from its input to its output. */
    public int savedRmsNormBytes() {
        return figures.count("saved_rms_norm");
    }

    /** Returns the bytes per query or key element that are saved in addition to the rotated one, because the values are a view of the same tensor. */
    public int savedRotaryBytes() {
        return wider() * figures.count("saved_rotary");
    }

    /** Returns whether GEMMs with a gathered sequence keep it for the backward, instead of gathering it again. */
    public boolean keepsGatheredSequence() {
        return figures.flag("keeps_gathered_sequence");
    }

    /** Returns the multiple to which each rank's shard of the vocabulary is padded. */
    public int vocabularyMultiple() {
        return figures.count("vocabulary_multiple");
    }

    /**
     * Returns the model as the framework holds it: Megatron-LM pads the vocabulary so that each rank's shard suits its GEMMs; some frameworks also
     * compute logits of unmasked tokens.
     *
     * @param ranks ranks that split each layer
     */
    public ModelShape held(ModelShape model, int ranks) {
        ModelShape computed = model.withAllLogits(figures.flag("logits_of_all_tokens"));
        if (vocabularyMultiple() == 1) {
            return computed;
        }
        long multiple = (long) vocabularyMultiple() * ranks;
        return computed.withVocab(Math.toIntExact(((model.vocab() - 1) / multiple + 1) * multiple));
    }

    /** Returns whether the GEMMs of layers, other than attention, take FP8 operands. */
    public boolean eightBitProducts() {
        return recipe != null;
    }

    /** Returns the rate of FP8 GEMMs relative to BF16, on a GPU or else its architecture; 0 to use the GPU's calibration. */
    public double eightBitRatio(String gpu, String architecture) {
        return recipe != null && figures.has("gemm_rate") ? rate("gemm_rate", gpu, architecture) : 0;
    }

    /** Returns the bytes of an FP8 operand, scales included. */
    public double operandBytes() {
        return recipe != null && figures.has("operand") ? figures.decimal("operand") : 1;
    }

    /** Returns the bytes per weight that fp8_param_gather gathers. */
    public int gatheredWeightBytes() {
        return recipe != null && figures.has("gathered_weight") ? figures.count("gathered_weight") : 1;
    }

    /** Returns whether FP8 GEMMs keep their operands in FP8 for the backward, and the weights, in both layouts, for the next micro-batch. */
    public boolean keepsEightBits() {
        return recipe != null && figures.flag("keeps_eight_bits");
    }

    /** Returns whether grouped keys and values are repeated for all heads, and kept so, before attention. */
    public boolean repeatsKeyValueHeads() {
        return figures.flag("repeats_key_value_heads");
    }

    /** Returns whether the GEMMs of all experts run as grouped GEMMs; else a loop goes through the experts. */
    public boolean groupedExperts() {
        return figures.flag("grouped_experts");
    }

    /** Returns whether query, key and value come from one GEMM, and gate and up projection from another. */
    public boolean fusedProjections() {
        return figures.flag("fused_projections");
    }

    /**
     * Returns whether logits, loss and their gradients are computed in the forward pass, chunk by chunk of the tokens, so that only one chunk's
     * logits exist at a time (linkedin/Liger-Kernel, src/liger_kernel/ops/fused_linear_cross_entropy.py).
     */
    public boolean lossInPieces() {
        return figures.flag("loss_in_pieces");
    }

    /**
     * Returns the number of tokens whose logits exist at once: as many as make the logits as large as all hidden states, the next power of two; all
     * tokens unless the loss is chunked.
     */
    public long lossPieceTokens(long tokens, ModelShape model) {
        if (!lossInPieces()) {
            return tokens;
        }
        long pieces = (model.vocab() - 1L) / model.hidden() + 1;
        long least = (tokens - 1) / pieces + 1;
        long powerOfTwo = Long.highestOneBit(least);
        return Math.min(tokens, powerOfTwo == least ? least : 2 * powerOfTwo);
    }

    /** Returns the bytes per logit kept between the loss's forward and backward, the logit itself included. */
    public int keptLogitBytes() {
        return logitBytes("kept_logit");
    }

    /** Returns the bytes per logit that the loss's backward adds. */
    public int logitGradientBytes() {
        return logitBytes("logit_gradient");
    }

    /** Returns the bytes per logit kept until the next micro-batch's logits exist. */
    public int earlierLogitBytes() {
        return wider() * figures.count("earlier_logit");
    }

    /** Returns the bytes per parameter that the update allocates temporarily. */
    public int optimizerTemporaryBytes() {
        return figures.count("optimizer_temporary");
    }

    /** Returns the FlashAttention version of its toolchain. */
    public long flashVersion() {
        return figures.has("flash_version") ? figures.whole("flash_version") : USUAL_FLASH_VERSION;
    }

    /** Returns the rate of its fused attention kernel on a GPU or else its architecture, for heads of 128 and wider, relative to FlashAttention-2 [1]. */
    public double flashRateRatio(String gpu, String architecture) {
        return rate("flash_rate_ratio", gpu, architecture);
    }

    /** Returns the rate of its fused attention kernel on a GPU or else its architecture, for heads narrower than 128 [1]. */
    public double flashNarrowRateRatio(String gpu, String architecture) {
        return rate("flash_narrow_rate_ratio", gpu, architecture);
    }

    /** Returns the rate of its GEMM library on a GPU or else its architecture, relative to the library that the calibration was measured with [1]. */
    public double matmulRateRatio(String gpu, String architecture) {
        return rate("matmul_rate_ratio", gpu, architecture);
    }

    private double rate(String key, String gpu, String architecture) {
        RateRatio ratio = figures.get(key, RateRatio.class);
        return ratio.on(gpu, architecture);
    }

    CudaGraphs graphs() {
        return graphs;
    }

    /** Returns the host time to issue one kernel that no graph launches [ps]. */
    public long hostKernelPs(boolean backward) {
        return graphs == CudaGraphs.FULL ? 0 : figures.whole(backward ? "host_backward_kernel" : "host_forward_kernel");
    }

    boolean launchesExpertsApart() {
        return figures.has("host_expert_kernel");
    }

    /** Returns the host time per expert's launch after the first on a GPU or else its architecture [ps]; 0 for a grouped GEMM. */
    public long hostExpertKernelPs(String gpu, String architecture) {
        return graphs != CudaGraphs.FULL && launchesExpertsApart()
                ? Math.round(figures.whole("host_expert_kernel") * rate("host_expert_ratio", gpu, architecture))
                : 0;
    }

    /** Returns the bytes and kernels of an operator. */
    public Cost cost(Operator operator) {
        return costs[operator.ordinal()];
    }

    private FrameworkProfile unrounded() {
        return new FrameworkProfile(ProfileFiles.merged(figures.name()), elementBytes, null, graphs);
    }

    /** Returns the kernels of an operator whose result feeds no FP8 GEMM. */
    List<Kernel> unroundedKernels(Operator operator, long elements) {
        return recipe == null ? kernels(operator, elements) : unrounded().kernels(operator, elements);
    }

    /** Returns the kernels of an operator over a number of elements; none if the framework fuses it into another. */
    List<Kernel> kernels(Operator operator, long elements) {
        Cost cost = cost(operator);
        List<Kernel> kernels = new ArrayList<>(cost.kernels());
        long bytes = (long) (cost.bytes() * elements);
        for (int i = 0; i < cost.kernels(); i++) {
            kernels.add(new Kernel.MemoryBound(operator.kernel(), bytes / cost.kernels()));
        }
        return kernels;
    }

    @Override
    public String toString() {
        return figures.name();
    }
}

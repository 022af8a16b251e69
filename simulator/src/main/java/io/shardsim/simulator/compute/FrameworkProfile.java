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
 * What a framework's code does around the GEMMs of a transformer: which element-wise operators it fuses, how
 * many bytes each moves, how many kernels it launches, and what the host pays to issue one. {@link ProfileFiles} puts it together from
 * {@code catalog/frameworks/<name>.yaml}, where every figure carries its source.
 *
 * <p>Bytes are per element of the tensor that the operator maps: the hidden state, a score, a feed-forward activation, a logit,
 * or a parameter. They follow from the operator's source code: 2 for each 16-bit read or write, 4 for each 32-bit one, 1 for a dropout
 * mask.
 *
 * <p>Leaves out operators that depend on data, fusion that depends on sizes, and the copies around collectives, which are the strategy's.
 */
public final class FrameworkProfile {
    /** The version of FlashAttention that a toolchain has where its file says nothing. */
    public static final long USUAL_FLASH_VERSION = 2;

    private static final int HALF_BYTES = 2;
    private static final int SINGLE_BYTES = 4;

    /** Shipped profiles that have been asked for: a plan asks for its own at every layer. */
    private static final Map<String, FrameworkProfile> READ = new ConcurrentHashMap<>();

    /** An element-wise operator and how much of it there is. */
    public enum Operator {
        NORM_FORWARD("layer norm, of a hidden element"),
        NORM_BACKWARD("the same, backward"),
        RMS_NORM_FORWARD("RMS norm, of a hidden element"),
        RMS_NORM_BACKWARD("the same, backward"),
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
        ROUTE_FORWARD("softmax and choice of experts, of a router logit"),
        ROUTE_BACKWARD("the same, backward"),
        PERMUTE_FORWARD("copies of tokens in the order of experts, of a hidden element of a copy"),
        PERMUTE_BACKWARD("the same, backward"),
        COMBINE_FORWARD("weighted sum of what experts give, of a hidden element of a copy"),
        COMBINE_BACKWARD("the same, backward"),
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

        /** As files write it. */
        String key() {
            return key;
        }

        String meaning() {
            return meaning;
        }

        /** As kernels are called. */
        String kernel() {
            return kernel;
        }

        boolean isOfFp8() {
            return this == QUANTIZE_INPUT || this == TRANSPOSE_INPUT || this == QUANTIZE_GRADIENT;
        }

        boolean isOfUpdate() {
            return this == GRADIENT_NORM || this == GRADIENT_CLIP || this == OPTIMIZER;
        }

        /** True of what works in FP32, or on 32-bit gradients and states, whatever the format of parameters and activations. */
        boolean isWide() {
            return this == LOSS_FORWARD || this == LOSS_BACKWARD || isOfUpdate();
        }
    }

    /**
     * @param bytes bytes moved for each element
     * @param kernels kernels launched
     */
    public record Cost(double bytes, int kernels) {
        private static final Cost NONE = new Cost(0, 0);
    }

    /**
     * Rate of a library's kernels relative to those of the calibration.
     *
     * @param ofArchitecture where an architecture has its own
     */
    public record RateRatio(double others, Map<String, Double> ofArchitecture) {
        double on(String architecture) {
            return ofArchitecture.getOrDefault(architecture, others);
        }
    }

    private final FigureFile figures;
    private final int elementBytes;
    private final @Nullable String recipe;
    private final Cost[] costs = new Cost[Operator.values().length];

    /**
     * @param figures for elements of 16 bits
     * @param recipe of FP8; null for none
     */
    private FrameworkProfile(FigureFile figures, int elementBytes, @Nullable String recipe) {
        this.figures = recipe == null ? figures : ProfileFiles.inFp8(figures, recipe);
        this.elementBytes = elementBytes;
        this.recipe = recipe;
        for (Operator operator : Operator.values()) {
            Cost cost = operator.isOfFp8() && recipe == null ? Cost.NONE : this.figures.get(operator.key(), Cost.class);
            costs[operator.ordinal()] = operator.isWide() ? cost : new Cost(wider() * cost.bytes(), cost.kernels());
        }
    }

    /** Names of the shipped profiles, which are those of their files. */
    public static List<String> names() {
        return ProfileFiles.PROFILES.names();
    }

    /** Name of the same kernels under torch.compile, which fuses plain modules; null where that software is not compiled. */
    public static @Nullable String compiled(String own) {
        String compiled = own.equals("eager") ? "compiled" : own + "-compile";
        return names().contains(compiled) ? compiled : null;
    }

    /** The shipped profile of that name, in FP8 if that is part of it. */
    public static FrameworkProfile named(String name) {
        return READ.computeIfAbsent(name, first -> of(ProfileFiles.merged(first)));
    }

    /** A profile of figures, those of a fit for instance. */
    public static FrameworkProfile of(FigureFile figures) {
        FrameworkProfile profile = new FrameworkProfile(figures, HALF_BYTES, null);
        return figures.has(ProfileFiles.PRECISION) ? profile.inFp8() : profile;
    }

    /** Names of the profiles that ship a recipe of FP8, those apart that are in FP8 in any case. */
    public static List<String> namesWithFp8() {
        return names().stream()
                .filter(name -> !ProfileFiles.recipes(figures(name)).isEmpty()
                        && !figures(name).has(ProfileFiles.PRECISION))
                .toList();
    }

    /** The same in FP8 under the recipe that the framework ships first; this one where it ships none. */
    public FrameworkProfile inFp8() {
        return recipe != null || fp8Recipes().isEmpty()
                ? this
                : new FrameworkProfile(figures, elementBytes, fp8Recipes().get(0));
    }

    /** The same under another recipe of FP8 that the framework ships; this one for null, and without FP8. */
    public FrameworkProfile under(@Nullable String wanted) {
        return recipe == null || wanted == null || !fp8Recipes().contains(wanted)
                ? this
                : new FrameworkProfile(ProfileFiles.merged(figures.name()), elementBytes, wanted);
    }

    /** Recipes of FP8 that the framework ships, the usual one first. */
    public List<String> fp8Recipes() {
        return ProfileFiles.recipes(figures);
    }

    /** Architectures whose tensor cores its recipe of FP8 is made for; empty for all that multiply FP8. */
    public List<String> fp8Architectures() {
        return recipe != null && figures.has("architectures") ? figures.list("architectures") : List.of();
    }

    /** The same with another optimizer in the place of the one that the framework ships. */
    public FrameworkProfile with(Optimizer optimizer) {
        return optimizer.equals(Optimizer.OWN)
                ? this
                : new FrameworkProfile(ProfileFiles.with(figures, optimizer.figures()), elementBytes, recipe);
    }

    /** The recipe of FP8 that its GEMMs follow; null where they take none. */
    public @Nullable String fp8Recipe() {
        return recipe;
    }

    /** The figures of the shipped profile of that name. */
    public static FigureFile figures(String name) {
        return ProfileFiles.merged(name);
    }

    /**
     * The same kernels over parameters and activations of another format: element-wise operators move as many times the bytes.
     *
     * @param bytes bytes of an element, 2 or 4
     */
    public FrameworkProfile withElements(int bytes) {
        return bytes == elementBytes ? this : new FrameworkProfile(figures, bytes, recipe);
    }

    /** Bytes of a parameter or an activation. */
    public int elementBytes() {
        return elementBytes;
    }

    /** True when parameters and activations have 32 bits. */
    boolean isSingle() {
        return elementBytes == SINGLE_BYTES;
    }

    private int wider() {
        return elementBytes / HALF_BYTES;
    }

    /** The logit and its log-softmax, or its two gradients: of these, what has 32 bits already does not grow. */
    private int logitBytes(String key) {
        int bytes = figures.count(key);
        return isSingle() ? Math.min(2 * elementBytes, wider() * bytes) : bytes;
    }

    /** Whether models are trained with dropout as this framework's examples ship. */
    public boolean dropout() {
        return figures.flag("dropout");
    }

    /**
     * Whether a recomputation ends with the last tensor that the backward needs, so that the last product of a layer is
     * not computed again (PyTorch 2.1, {@code set_checkpoint_early_stop}).
     */
    public boolean recomputeStopsEarly() {
        return figures.flag("recompute_stops_early");
    }

    /** Whether a compiler computes element-wise results again in backward rather than keep them (min-cut partitioner of PyTorch 2). */
    public boolean recomputesPointwise() {
        return figures.flag("recomputes_pointwise");
    }

    /** Bytes of a feed-forward element that autograd saves between the input and the output of a GELU. */
    public int savedActivationBytes() {
        return wider() * figures.count("saved_activation");
    }

    /** Bytes of a feed-forward element that autograd saves between gate and up projection and their product. */
    public int savedGatedActivationBytes() {
        return wider() * figures.count("saved_gated_activation");
    }

    /** Bytes of an element that an RMS norm saves between its input and its output. */
    public int savedRmsNormBytes() {
        return figures.count("saved_rms_norm");
    }

    /** Bytes of a query or key element that are saved beside the turned one, because the values are a view of the tensor that it lies in. */
    public int savedRotaryBytes() {
        return wider() * figures.count("saved_rotary");
    }

    /** Whether the GEMMs that a sequence is gathered for keep the whole of it for their backward, rather than gather it again. */
    public boolean keepsGatheredSequence() {
        return figures.flag("keeps_gathered_sequence");
    }

    /** What the framework fills the part of the vocabulary that one rank holds up to a multiple of. */
    public int vocabularyMultiple() {
        return figures.count("vocabulary_multiple");
    }

    /**
     * The model as the framework holds it: Megatron-LM fills the vocabulary up, so that each rank's part suits its GEMMs; some compute logits of tokens
     * that are not masked, too.
     *
     * @param ranks those that split each layer
     */
    public ModelShape held(ModelShape model, int ranks) {
        ModelShape computed = model.withAllLogits(figures.flag("logits_of_all_tokens"));
        if (vocabularyMultiple() == 1) {
            return computed;
        }
        long multiple = (long) vocabularyMultiple() * ranks;
        return computed.withVocab(Math.toIntExact(((model.vocab() - 1) / multiple + 1) * multiple));
    }

    /** Whether the GEMMs of layers, those of attention apart, take FP8 operands. */
    public boolean eightBitProducts() {
        return recipe != null;
    }

    /** Rate of such products over that in BF16, on GPUs of an architecture; 0 for what the GPU's calibration says. */
    public double eightBitRatio(String architecture) {
        return recipe != null && figures.has("gemm_rate") ? rate("gemm_rate", architecture) : 0;
    }

    /** Bytes of an operand of such products, scales included. */
    public double operandBytes() {
        return recipe != null && figures.has("operand") ? figures.decimal("operand") : 1;
    }

    /** Bytes of a weight that fp8_param_gather gathers. */
    public int gatheredWeightBytes() {
        return recipe != null && figures.has("gathered_weight") ? figures.count("gathered_weight") : 1;
    }

    /** Whether such products keep their operands in FP8 for the backward, and the weights, in both orders, for the next micro-batch. */
    public boolean keepsEightBits() {
        return recipe != null && figures.flag("keeps_eight_bits");
    }

    /** Whether keys and values of fewer heads are copied for all of them, and kept so, before attention. */
    public boolean repeatsKeyValueHeads() {
        return figures.flag("repeats_key_value_heads");
    }

    /** Whether the GPU works on the products of all experts at once; else a loop goes through the experts. */
    public boolean groupedExperts() {
        return figures.flag("grouped_experts");
    }

    /** Whether query, key and value come of one product, and gate and up projection of another. */
    public boolean fusedProjections() {
        return figures.flag("fused_projections");
    }

    /**
     * Whether logits, loss and their gradients are computed together in the forward pass, piece by piece of the tokens, so that the logits of one piece alone are
     * there at once (linkedin/Liger-Kernel, src/liger_kernel/ops/fused_linear_cross_entropy.py).
     */
    public boolean lossInPieces() {
        return figures.flag("loss_in_pieces");
    }

    /**
     * Tokens whose logits are there at once: as many as make the logits as large as the hidden state of all, the next power of two; all of them where the
     * loss is not computed in pieces.
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

    /** Bytes of a logit that stay between the forward and the backward of the loss, the logit itself included. */
    public int keptLogitBytes() {
        return logitBytes("kept_logit");
    }

    /** Bytes of a logit that the backward of the loss adds. */
    public int logitGradientBytes() {
        return logitBytes("logit_gradient");
    }

    /** Bytes of a logit that stay until those of the next micro-batch are there. */
    public int earlierLogitBytes() {
        return wider() * figures.count("earlier_logit");
    }

    /** Bytes of a parameter that the update allocates and frees again. */
    public int optimizerTemporaryBytes() {
        return figures.count("optimizer_temporary");
    }

    /** The version of FlashAttention that its toolchain has. */
    public long flashVersion() {
        return figures.has("flash_version") ? figures.whole("flash_version") : USUAL_FLASH_VERSION;
    }

    /** Rate of the fused attention kernel that it ships on an architecture, heads of 128 and wider, relative to FlashAttention-2 [1]. */
    public double flashRateRatio(String architecture) {
        return rate("flash_rate_ratio", architecture);
    }

    /** The same for narrower heads [1]. */
    public double flashNarrowRateRatio(String architecture) {
        return rate("flash_narrow_rate_ratio", architecture);
    }

    /** Rate of its matrix library on an architecture relative to the one that the calibration was measured with [1]. */
    public double matmulRateRatio(String architecture) {
        return rate("matmul_rate_ratio", architecture);
    }

    private double rate(String key, String architecture) {
        RateRatio ratio = figures.get(key, RateRatio.class);
        return ratio.on(architecture);
    }

    /** Host time to issue one kernel in a forward pass [ps]. */
    public long hostForwardKernelPs() {
        return figures.whole("host_forward_kernel");
    }

    /** Host time to issue one kernel in a backward pass [ps]. */
    public long hostBackwardKernelPs() {
        return figures.whole("host_backward_kernel");
    }

    /** Host time of each expert's product beyond the first, where each is a launch on one of several streams [ps]; 0 where one launch has all. */
    public long hostExpertKernelPs() {
        return figures.has("host_expert_kernel") ? figures.whole("host_expert_kernel") : 0;
    }

    /** Bytes and kernels of an operator. */
    public Cost cost(Operator operator) {
        return costs[operator.ordinal()];
    }

    private FrameworkProfile unrounded() {
        return new FrameworkProfile(ProfileFiles.merged(figures.name()), elementBytes, null);
    }

    /** The kernels of an operator whose result no FP8 GEMM takes. */
    List<Kernel> unroundedKernels(Operator operator, long elements) {
        return recipe == null ? kernels(operator, elements) : unrounded().kernels(operator, elements);
    }

    /** The kernels of an operator over a number of elements; none where the framework folds it into another. */
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

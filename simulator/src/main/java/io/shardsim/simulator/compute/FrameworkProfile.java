package io.shardsim.simulator.compute;

import io.shardsim.simulator.Constants;
import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.simulator.workload.ModelShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a framework's code does around the matrix products of a transformer: which element-wise operators it fuses, how
 * many bytes each moves, how many kernels it launches, and what the host pays to issue one. Read from
 * {@code frameworks/<name>.properties}, where every figure carries its source; {@code extends} names a base file.
 *
 * <p>Bytes are per element of the tensor that the operator maps: the hidden state, a score, a feed-forward activation, a logit,
 * or a parameter. They follow from the operator's source code: 2 for each 16-bit read or write, 4 for each 32-bit one, 1 for a dropout
 * mask.
 *
 * <p>Leaves out operators that depend on data, fusion that depends on sizes, and the copies around collectives, which are the strategy's.
 */
public final class FrameworkProfile {
    private static final int HALF_BYTES = 2;
    private static final int SINGLE_BYTES = 4;

    private static final Pattern OPERATOR = Pattern.compile("([0-9.]+) B, ([0-9]+) kernels?");

    private static final ResourceDirectory FILES = Constants.directory(FrameworkProfile.class, "frameworks");
    /** Shipped profiles that have been asked for: a plan asks for its own at every layer. */
    private static final Map<String, FrameworkProfile> READ = new ConcurrentHashMap<>();

    /** An element-wise operator and how much of it there is. */
    public enum Operator {
        /** Layer norm of a hidden element. */
        NORM_FORWARD,
        NORM_BACKWARD,
        /** RMS norm of a hidden element. */
        RMS_NORM_FORWARD,
        RMS_NORM_BACKWARD,
        /** Rounding of what a product of 8 bits takes and no norm has rounded, of an element, for its forward and its gradient. */
        QUANTIZE_INPUT,
        /** Bringing what a norm has rounded to 8 bits into the order that the gradient's product needs, of an element. */
        TRANSPOSE_INPUT,
        /** Rounding of a gradient that products of 8 bits take, of an element. */
        QUANTIZE_GRADIENT,
        /** Copies that bring heads together or apart, of a hidden element. */
        LAYOUT_FORWARD,
        LAYOUT_BACKWARD,
        /** Rotary position of a query or key element. */
        ROTARY_FORWARD,
        ROTARY_BACKWARD,
        /** Scale, mask and softmax of a score. */
        SOFTMAX_FORWARD,
        SOFTMAX_BACKWARD,
        /** Dropout of a score. */
        SCORE_DROPOUT_FORWARD,
        SCORE_DROPOUT_BACKWARD,
        /** Bias, dropout and residual addition of a hidden element. */
        RESIDUAL_DROPOUT_FORWARD,
        RESIDUAL_DROPOUT_BACKWARD,
        /** Residual addition of a hidden element where there is no dropout. */
        RESIDUAL_FORWARD,
        RESIDUAL_BACKWARD,
        /** Bias and GELU of a feed-forward element. */
        ACTIVATION_FORWARD,
        ACTIVATION_BACKWARD,
        /** SiLU of the gate times up, of a feed-forward element. */
        GATED_ACTIVATION_FORWARD,
        GATED_ACTIVATION_BACKWARD,
        /** Addition of the bias to an output element of a linear map, where the matrix product does not do it. */
        BIAS_FORWARD,
        /** Sum of output gradients over tokens, of an output element of a linear map with bias. */
        BIAS_GRADIENT,
        /** Cross entropy of a logit. */
        LOSS_FORWARD,
        LOSS_BACKWARD,
        /** Token and position look-up, of a hidden element. */
        EMBEDDING_FORWARD,
        EMBEDDING_BACKWARD,
        /** Norm of the gradient, of a parameter. */
        GRADIENT_NORM,
        /** Scaling the gradient by the clip factor, of a parameter. */
        GRADIENT_CLIP,
        /** Adam, of a parameter. */
        OPTIMIZER;

        String key() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** True of what works in 32 bits, or on 32-bit gradients and states, whatever the format of parameters and activations. */
        boolean isWide() {
            return switch (this) {
                case LOSS_FORWARD, LOSS_BACKWARD, GRADIENT_NORM, GRADIENT_CLIP, OPTIMIZER -> true;
                default -> false;
            };
        }
    }

    /**
     * @param bytes bytes moved for each element
     * @param kernels kernels launched
     */
    public record Cost(double bytes, int kernels) {}

    /**
     * Rate of a library's kernels relative to those of the calibration: {@code matmul-rate-ratio = 0.95}, and where an architecture has its own,
     * {@code matmul-rate-ratio.hopper = 0.9}.
     */
    private record RateRatio(double otherwise, Map<String, Double> ofArchitecture) {
        static RateRatio of(Constants constants, String key) {
            Map<String, Double> ratios = new TreeMap<>();
            for (String each : constants.keys()) {
                if (each.startsWith(key + ".")) {
                    ratios.put(each.substring(key.length() + 1), constants.ratio(each));
                }
            }
            return new RateRatio(constants.ratio(key), Map.copyOf(ratios));
        }

        double on(String architecture) {
            return ofArchitecture.getOrDefault(architecture, otherwise);
        }
    }

    private final String name;
    private final Constants constants;
    private final int elementBytes;
    private final String source;
    private final boolean dropout;
    private final boolean recomputeStopsEarly;
    private final boolean recomputesPointwise;
    private final int vocabularyMultiple;
    private final boolean fusedProjections;
    private final boolean repeatsKeyValueHeads;
    private final boolean eightBitProducts;
    private final boolean keepsEightBits;
    private final boolean lossInPieces;
    private final int savedActivationBytes;
    private final int savedGatedActivationBytes;
    private final int savedRmsNormBytes;
    private final int keptLogitBytes;
    private final int logitGradientBytes;
    private final int optimizerTemporaryBytes;
    private final RateRatio flashRate;
    private final RateRatio flashNarrowRate;
    private final RateRatio matmulRate;
    private final long hostForwardKernelPs;
    private final long hostBackwardKernelPs;
    private final Cost[] costs;

    /** @param constants figures for elements of 16 bits */
    private FrameworkProfile(String name, Constants constants, int elementBytes) {
        int times = elementBytes / HALF_BYTES;
        this.name = name;
        this.constants = constants;
        this.elementBytes = elementBytes;
        this.source = constants.text("source");
        this.dropout = constants.flag("dropout");
        this.recomputeStopsEarly = constants.flag("recompute-stops-early");
        this.recomputesPointwise = constants.flag("recomputes-pointwise");
        this.vocabularyMultiple = constants.count("vocabulary-multiple");
        this.fusedProjections = constants.flag("fused-projections");
        this.repeatsKeyValueHeads = constants.flag("repeats-key-value-heads");
        this.eightBitProducts = constants.flag("eight-bit-products");
        this.keepsEightBits = constants.flag("keeps-eight-bits");
        this.lossInPieces = constants.flag("loss-in-pieces");
        this.savedActivationBytes = times * constants.count("saved-activation-bytes");
        this.savedGatedActivationBytes = times * constants.count("saved-gated-activation-bytes");
        this.savedRmsNormBytes = constants.count("saved-rms-norm-bytes");
        // The logit and its log-softmax, or its two gradients: of these, what has 32 bits already does not grow.
        int logitBytesMax = times == 1 ? Integer.MAX_VALUE : 2 * elementBytes;
        this.keptLogitBytes = Math.min(logitBytesMax, times * constants.count("kept-logit-bytes"));
        this.logitGradientBytes = Math.min(logitBytesMax, times * constants.count("logit-gradient-bytes"));
        this.optimizerTemporaryBytes = constants.count("optimizer-temporary-bytes");
        this.flashRate = RateRatio.of(constants, "flash-rate-ratio");
        this.flashNarrowRate = RateRatio.of(constants, "flash-narrow-rate-ratio");
        this.matmulRate = RateRatio.of(constants, "matmul-rate-ratio");
        this.hostForwardKernelPs = Long.parseLong(constants.text("host-forward-kernel-ps"));
        this.hostBackwardKernelPs = Long.parseLong(constants.text("host-backward-kernel-ps"));
        this.costs = new Cost[Operator.values().length];
        for (Operator operator : Operator.values()) {
            Cost cost = cost(name, operator.key(), constants.text(operator.key()));
            costs[operator.ordinal()] = operator.isWide() ? cost : new Cost(times * cost.bytes(), cost.kernels());
        }
    }

    /** Names of the shipped profiles, which are those of their files. */
    public static List<String> names() {
        return FILES.names();
    }

    /** The shipped profile of that name. */
    public static FrameworkProfile named(String name) {
        return READ.computeIfAbsent(name, first -> new FrameworkProfile(first, constants(first), HALF_BYTES));
    }

    /**
     * The same kernels over parameters and activations of another format: element-wise operators move as many times the bytes.
     *
     * @param bytes bytes of an element, 2 or 4
     */
    public FrameworkProfile withElements(int bytes) {
        return bytes == elementBytes ? this : new FrameworkProfile(name, constants, bytes);
    }

    /** Bytes of a parameter or an activation. */
    public int elementBytes() {
        return elementBytes;
    }

    /** True when parameters and activations have 32 bits. */
    boolean isSingle() {
        return elementBytes == SINGLE_BYTES;
    }

    /** The keys and values of the shipped profile of that name, those of the file that it extends included. */
    public static Properties properties(String name) {
        return constants(name).toProperties();
    }

    private static Constants constants(String name) {
        Constants constants = Constants.find(FILES, name);
        if (constants == null) {
            throw new IllegalArgumentException("no framework profile named " + name + "; there are " + names());
        }
        return constants;
    }

    /** A profile from keys and values, a reader's own file for instance. */
    public static FrameworkProfile parse(String name, Properties properties) {
        return new FrameworkProfile(name, new Constants(name, properties), HALF_BYTES);
    }

    private static Cost cost(String name, String key, String text) {
        Matcher matcher = OPERATOR.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("frameworks/" + name + ".properties: " + key + " is \"" + text
                    + "\"; write bytes for each element and kernels, as in \"4 B, 1 kernel\"");
        }
        return new Cost(Double.parseDouble(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    }

    /** Where its figures come from. */
    public String source() {
        return source;
    }

    /** Whether models are trained with dropout as this framework's examples ship. */
    public boolean dropout() {
        return dropout;
    }

    /**
     * Whether a recomputation ends with the last tensor that the backward needs, so that the last product of a layer is
     * not computed again (PyTorch 2.1, {@code set_checkpoint_early_stop}).
     */
    public boolean recomputeStopsEarly() {
        return recomputeStopsEarly;
    }

    /** Whether a compiler computes element-wise results again in backward rather than keep them (min-cut partitioner of PyTorch 2). */
    public boolean recomputesPointwise() {
        return recomputesPointwise;
    }

    /** Bytes of a feed-forward element that autograd saves between the input and the output of a GELU. */
    public int savedActivationBytes() {
        return savedActivationBytes;
    }

    /** Bytes of a feed-forward element that autograd saves between gate and up projection and their product. */
    public int savedGatedActivationBytes() {
        return savedGatedActivationBytes;
    }

    /** Bytes of an element that an RMS norm saves between its input and its output. */
    public int savedRmsNormBytes() {
        return savedRmsNormBytes;
    }

    /** What the framework fills the part of the vocabulary that one rank holds up to a multiple of. */
    public int vocabularyMultiple() {
        return vocabularyMultiple;
    }

    /**
     * The model as the framework holds it: Megatron-LM fills the vocabulary up, so that each rank's part suits its matrix products.
     *
     * @param ranks those that split each layer
     */
    public ModelShape held(ModelShape model, int ranks) {
        if (vocabularyMultiple == 1) {
            return model;
        }
        long multiple = (long) vocabularyMultiple * ranks;
        return model.withVocab(Math.toIntExact(((model.vocab() - 1) / multiple + 1) * multiple));
    }

    /** Whether the matrix products of layers, those of attention apart, take operands of 8 bits. */
    public boolean eightBitProducts() {
        return eightBitProducts;
    }

    /** Whether such products keep their operands in 8 bits for the backward, and the weights, in both orders, for the next micro-batch. */
    public boolean keepsEightBits() {
        return keepsEightBits;
    }

    /** Whether keys and values of fewer heads are copied for all of them, and kept so, before attention. */
    public boolean repeatsKeyValueHeads() {
        return repeatsKeyValueHeads;
    }

    /** Whether query, key and value come of one product, and gate and up projection of another. */
    public boolean fusedProjections() {
        return fusedProjections;
    }

    /**
     * Whether logits, loss and their gradients are computed together in the forward pass, piece by piece of the tokens, so that the logits of one piece alone are
     * there at once (linkedin/Liger-Kernel, src/liger_kernel/ops/fused_linear_cross_entropy.py).
     */
    public boolean lossInPieces() {
        return lossInPieces;
    }

    /**
     * Tokens whose logits are there at once: as many as make the logits as large as the hidden state of all, the next power of two; all of them where the
     * loss is not computed in pieces.
     */
    public long lossPieceTokens(long tokens, ModelShape model) {
        if (!lossInPieces) {
            return tokens;
        }
        long pieces = (model.vocab() - 1L) / model.hidden() + 1;
        long least = (tokens - 1) / pieces + 1;
        long powerOfTwo = Long.highestOneBit(least);
        return Math.min(tokens, powerOfTwo == least ? least : 2 * powerOfTwo);
    }

    /** Bytes of a logit that stay between the forward and the backward of the loss, the logit itself included. */
    public int keptLogitBytes() {
        return keptLogitBytes;
    }

    /** Bytes of a logit that the backward of the loss adds. */
    public int logitGradientBytes() {
        return logitGradientBytes;
    }

    /** Bytes of a parameter that the update allocates and frees again. */
    public int optimizerTemporaryBytes() {
        return optimizerTemporaryBytes;
    }

    /** Rate of the fused attention kernel that it ships on an architecture, heads of 128 and wider, relative to FlashAttention-2 [1]. */
    public double flashRateRatio(String architecture) {
        return flashRate.on(architecture);
    }

    /** The same for narrower heads [1]. */
    public double flashNarrowRateRatio(String architecture) {
        return flashNarrowRate.on(architecture);
    }

    /** Rate of its matrix library on an architecture relative to the one that the calibration was measured with [1]. */
    public double matmulRateRatio(String architecture) {
        return matmulRate.on(architecture);
    }

    /** Host time to issue one kernel in a forward pass [ps]. */
    public long hostForwardKernelPs() {
        return hostForwardKernelPs;
    }

    /** Host time to issue one kernel in a backward pass [ps]. */
    public long hostBackwardKernelPs() {
        return hostBackwardKernelPs;
    }

    /** Bytes and kernels of an operator. */
    public Cost cost(Operator operator) {
        return costs[operator.ordinal()];
    }

    /** The kernels of an operator over a number of elements; none where the framework folds it into another. */
    List<Kernel> kernels(Operator operator, long elements) {
        Cost cost = cost(operator);
        List<Kernel> kernels = new ArrayList<>(cost.kernels());
        long bytes = (long) (cost.bytes() * elements);
        for (int i = 0; i < cost.kernels(); i++) {
            kernels.add(new Kernel.MemoryBound(operator.key(), bytes / cost.kernels()));
        }
        return kernels;
    }

    @Override
    public String toString() {
        return name;
    }
}

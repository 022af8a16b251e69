package io.shardsim.simulator.compute;

import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.compute.FrameworkProfile.Cost;
import io.shardsim.simulator.compute.FrameworkProfile.Operator;
import io.shardsim.simulator.compute.FrameworkProfile.RateRatio;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.EitherType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of framework profiles. A profile names the modules that a framework brings, the compiler they go through if any, the toolchain of its GEMM
 * and attention kernels, the library of its optimizer, and the recipe of FP8 that it ships; each is a file of figures in a folder of its own. What a profile
 * says itself goes before all of these.
 */
public final class ProfileFiles {
    static final String PRECISION = "precision";
    private static final String RECIPES = "fp8_recipes";
    private static final String PATH = "catalog/frameworks";

    private static final ValueType NAME =
            ScalarTypes.text("[a-z0-9][a-z0-9.-]*", "the name of a file, such as torch-fused");
    private static final ValueType BYTES = ScalarTypes.counted(0, 1024, "B");
    private static final ValueType HOST = ScalarTypes.time(1);
    private static final ValueType COST = new Mapped<>(
            ScalarTypes.text(
                    "\\d{1,4}(\\.\\d{1,3})? B, \\d{1,3} kernels?",
                    "bytes for each element and kernels, such as 4 B, 1 kernel"),
            String.class,
            ProfileFiles::cost);
    private static final ValueType RATIO =
            new Mapped<>(new EitherType(ScalarTypes.positive(), ratios()), Object.class, ProfileFiles::ratio);

    private static final List<Key> OF_MODULES = join(
            List.of(
                    flag("dropout", "whether models are trained with dropout as the framework's examples ship"),
                    flag(
                            "recompute_stops_early",
                            "whether a recomputation ends with the last tensor that backward needs"),
                    flag(
                            "recomputes_pointwise",
                            "whether element-wise results are computed again in backward, not kept"),
                    flag("fused_projections", "whether query, key and value come of one GEMM, gate and up of another"),
                    flag(
                            "logits_of_all_tokens",
                            "whether a masked model computes logits of all tokens, not of the masked ones alone"),
                    flag("grouped_experts", "whether all experts' products are one launch, not a loop over experts"),
                    flag(
                            "repeats_key_value_heads",
                            "whether keys and values of fewer heads are copied for all of them"),
                    flag(
                            "loss_in_pieces",
                            "whether logits, loss and gradients are computed piece by piece of the tokens"),
                    Key.required(
                            "vocabulary_multiple",
                            ScalarTypes.whole(1, 65_536),
                            "what a rank's part of the vocabulary is filled up to a multiple of"),
                    bytes(
                            "saved_activation",
                            "of a feed-forward element, saved between the input and output of a GELU"),
                    bytes(
                            "saved_gated_activation",
                            "of a feed-forward element, saved between gate, up and their product"),
                    bytes("saved_rms_norm", "of an element, saved within an RMS norm"),
                    bytes("saved_rotary", "of a query or key element, saved beside the turned one"),
                    flag(
                            "keeps_gathered_sequence",
                            "whether a GEMM keeps the whole sequence that it was gathered for, not the rank's part"),
                    bytes("kept_logit", "of a logit, kept between forward and backward of the loss, itself included"),
                    bytes("logit_gradient", "of a logit, added by the backward of the loss"),
                    bytes("earlier_logit", "of a logit, held until those of the micro-batch after it are there"),
                    Key.required("host_forward_kernel", HOST, "host time to issue one kernel in a forward"),
                    Key.required("host_backward_kernel", HOST, "host time to issue one kernel in a backward")),
            operators(operator -> !operator.isOfFp8() && !operator.isOfUpdate()));
    private static final List<Key> OF_TOOLCHAIN = List.of(
            Key.required("matmul_rate_ratio", RATIO, "rate of GEMMs over that of the calibration"),
            Key.required(
                    "flash_rate_ratio", RATIO, "rate of fused attention over FlashAttention-2, heads of 128 and wider"),
            Key.required("flash_narrow_rate_ratio", RATIO, "the same, narrower heads"),
            Key.optional("flash_version", ScalarTypes.whole(1, 99), "version of FlashAttention; omitted: 2"));
    private static final List<Key> OF_OPTIMIZER = join(
            List.of(bytes("optimizer_temporary", "of a parameter, allocated and freed by the update")),
            operators(Operator::isOfUpdate));
    private static final List<Key> OF_FP8 = join(
            List.of(flag(
                    "keeps_eight_bits",
                    "whether operands are kept in FP8 for backward, and weights, in both orders, for the next"
                            + " micro-batch")),
            operators(Operator::isOfFp8),
            optional(operators(operator ->
                    operator.key().startsWith("norm") || operator.key().startsWith("rms_norm"))));
    private static final List<Key> OF_PROFILE = join(
            List.of(
                    Key.required("modules", NAME, "an entry of modules"),
                    Key.optional("compiler", NAME, "an entry of compilers; omitted: no compiler"),
                    Key.required("toolchain", NAME, "an entry of toolchains"),
                    Key.required("optimizer_library", NAME, "an entry of optimizers"),
                    Key.optional(
                            RECIPES, new ListType(NAME, "recipe"), "entries of fp8 that it ships, the usual one first"),
                    Key.optional(
                            PRECISION, ScalarTypes.choice("fp8"), "fp8 for a profile in FP8 whatever training says")),
            optional(join(OF_MODULES, OF_TOOLCHAIN, OF_OPTIMIZER)));

    static final FigureFolder PROFILES = folder("", "framework profile", OF_PROFILE);
    private static final FigureFolder MODULES = folder("/modules", "modules", OF_MODULES);
    private static final FigureFolder COMPILERS = folder("/compilers", "compiler", optional(OF_MODULES));
    private static final FigureFolder TOOLCHAINS = folder("/toolchains", "toolchain", OF_TOOLCHAIN);
    private static final FigureFolder OPTIMIZERS = folder("/optimizers", "optimizer library", OF_OPTIMIZER);
    private static final FigureFolder RECIPES_OF_FP8 = folder("/fp8", "FP8 recipe", OF_FP8);

    private ProfileFiles() {}

    /** The folders by what they hold, profiles first. */
    public static Map<String, FigureFolder> folders() {
        Map<String, FigureFolder> folders = new LinkedHashMap<>();
        folders.put("frameworks", PROFILES);
        folders.put("modules", MODULES);
        folders.put("compilers", COMPILERS);
        folders.put("toolchains", TOOLCHAINS);
        folders.put("optimizers", OPTIMIZERS);
        folders.put("fp8", RECIPES_OF_FP8);
        return folders;
    }

    /** All figures of a profile in 16 bits. */
    static FigureFile merged(String name) {
        FigureFile profile = PROFILES.find(name);
        if (profile == null) {
            throw new IllegalArgumentException(
                    "no framework profile named " + name + "; " + Nearest.remedy(name, PROFILES.names()));
        }
        Map<String, Figure> figures = new LinkedHashMap<>();
        add(MODULES, profile, "modules", figures);
        add(COMPILERS, profile, "compiler", figures);
        add(TOOLCHAINS, profile, "toolchain", figures);
        add(OPTIMIZERS, profile, "optimizer_library", figures);
        figures.putAll(profile.figures());
        return new FigureFile(name, profile.block(), figures, profile.also());
    }

    private static void add(FigureFolder folder, FigureFile profile, String axis, Map<String, Figure> figures) {
        if (profile.has(axis)) {
            figures.putAll(folder.named(profile.word(axis)).figures());
        }
    }

    /** Recipes of FP8 that a profile ships, the usual one first. */
    static List<String> recipes(FigureFile profile) {
        return profile.has(RECIPES) ? profile.list(RECIPES) : List.of();
    }

    /** The same figures under a recipe of FP8. */
    static FigureFile inFp8(FigureFile merged, String recipe) {
        Map<String, Figure> figures = new LinkedHashMap<>(merged.figures());
        figures.putAll(RECIPES_OF_FP8.named(recipe).figures());
        return new FigureFile(merged.name(), merged.block(), figures, merged.also());
    }

    private static FigureFolder folder(String below, String kind, List<Key> keys) {
        return new FigureFolder(PATH + below, kind, FigureFolder.figures(keys));
    }

    private static List<Key> operators(Predicate<Operator> wanted) {
        return Arrays.stream(Operator.values())
                .filter(wanted)
                .map(operator -> Key.required(operator.key(), COST, operator.meaning()))
                .toList();
    }

    private static Key flag(String name, String meaning) {
        return Key.required(name, ScalarTypes.flag(), meaning);
    }

    private static Key bytes(String name, String meaning) {
        return Key.required(name, BYTES, "bytes " + meaning);
    }

    private static List<Key> optional(List<Key> keys) {
        return keys.stream()
                .map(key -> Key.optional(key.name(), key.type(), key.meaning()))
                .toList();
    }

    @SafeVarargs
    private static List<Key> join(List<Key>... tables) {
        return Stream.of(tables).flatMap(List::stream).toList();
    }

    private static BlockType ratios() {
        List<Key> keys = join(
                List.of(Key.required("others", ScalarTypes.positive(), "on all other architectures")),
                GpuCalibration.FAMILIES.names().stream()
                        .map(family -> Key.optional(family, ScalarTypes.positive(), "on that architecture"))
                        .toList());
        return new BlockType(keys, false);
    }

    private static RateRatio ratio(Object read) {
        if (!(read instanceof Block block)) {
            return new RateRatio((Double) read, Map.of());
        }
        Map<String, Double> own = new TreeMap<>();
        for (String family : block.entries().keySet()) {
            own.put(family, block.decimal(family, 0));
        }
        own.remove("others");
        return new RateRatio(block.decimal("others", 0), own);
    }

    private static Cost cost(String text) {
        String[] words = text.split(" ", -1);
        return new Cost(Double.parseDouble(words[0]), Integer.parseInt(words[2]));
    }

    /** A value that is something else once it is read. */
    private record Mapped<T>(ValueType type, Class<T> read, Function<T, Object> to) implements ValueType.Like {
        @Override
        public @Nullable Object read(YamlNode node, String key, Problems problems) {
            Object value = type.read(node, key, problems);
            return value == null ? null : to.apply(read.cast(value));
        }
    }
}

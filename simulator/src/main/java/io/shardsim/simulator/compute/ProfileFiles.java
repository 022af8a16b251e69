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
 * Files of framework profiles. A profile names the framework's modules, its compiler if any, the toolchain of its GEMM and attention kernels, the
 * library of its optimizer, and its FP8 recipe; each is a file of figures in its own folder. A profile's own figures take precedence.
 */
public final class ProfileFiles {
    static final String PRECISION = "precision";
    private static final String RECIPES = "fp8_recipes";
    private static final String PATH = "catalog/frameworks";

    private static final ValueType NAME =
            ScalarTypes.text("[a-z0-9][a-z0-9.-]*", "the name of a file, such as torch-fused");
    private static final ValueType BYTES = ScalarTypes.counted(0, 1024, "B");
    private static final ValueType COST = new Mapped<>(
            ScalarTypes.text(
                    "\\d{1,4}(\\.\\d{1,3})? B, \\d{1,3} kernels?",
                    "bytes for each element and kernels, such as 4 B, 1 kernel"),
            String.class,
            ProfileFiles::cost);
    private static final ValueType RATIO =
            new Mapped<>(new EitherType(ScalarTypes.positive(), ratios()), Object.class, ProfileFiles::ratio);

    private static final List<Key> OF_MODULES =
            join(keys("modules"), operators(operator -> !operator.isOfFp8() && !operator.isOfUpdate()));
    private static final List<Key> OF_TOOLCHAIN = keys("toolchain");
    private static final List<Key> OF_OPTIMIZER = join(keys("optimizer"), operators(Operator::isOfUpdate));
    private static final List<Key> OF_METHOD = join(keys("method"), operators(Operator.OPTIMIZER::equals));
    private static final List<Key> OF_FP8 = join(
            keys("fp8"),
            operators(Operator::isOfFp8),
            optional(operators(operator ->
                    operator.key().startsWith("norm") || operator.key().startsWith("rms_norm"))));
    private static final List<Key> OF_PROFILE =
            join(keys("profile"), optional(join(OF_MODULES, OF_TOOLCHAIN, OF_OPTIMIZER)));

    static final FigureFolder PROFILES = folder("", "framework profile", OF_PROFILE);
    private static final FigureFolder MODULES = folder("/modules", "modules", OF_MODULES);
    private static final FigureFolder COMPILERS = folder("/compilers", "compiler", optional(OF_MODULES));
    private static final FigureFolder TOOLCHAINS = folder("/toolchains", "toolchain", OF_TOOLCHAIN);
    private static final FigureFolder LIBRARIES = folder("/optimizer-libraries", "optimizer library", OF_OPTIMIZER);
    static final FigureFolder OPTIMIZERS =
            new FigureFolder(PATH + "/update-rules", "optimizer", FigureFolder.figures(OF_METHOD, FigureFile.ALSO));
    private static final FigureFolder RECIPES_OF_FP8 = folder("/fp8", "FP8 recipe", OF_FP8);

    private ProfileFiles() {}

    /** Returns the folders by content, profiles first. */
    public static Map<String, FigureFolder> folders() {
        Map<String, FigureFolder> folders = new LinkedHashMap<>();
        folders.put("frameworks", PROFILES);
        folders.put("modules", MODULES);
        folders.put("compilers", COMPILERS);
        folders.put("toolchains", TOOLCHAINS);
        folders.put("optimizer-libraries", LIBRARIES);
        folders.put("optimizers", OPTIMIZERS);
        folders.put("fp8", RECIPES_OF_FP8);
        return folders;
    }

    /** Merges all figures of a profile for 16-bit elements. */
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
        add(LIBRARIES, profile, "optimizer_library", figures);
        figures.putAll(profile.figures());
        return new FigureFile(name, profile.block(), figures, profile.also());
    }

    private static void add(FigureFolder folder, FigureFile profile, String axis, Map<String, Figure> figures) {
        if (profile.has(axis)) {
            figures.putAll(folder.named(profile.word(axis)).figures());
        }
    }

    /** Returns the FP8 recipes of a profile, the default first. */
    static List<String> recipes(FigureFile profile) {
        return profile.has(RECIPES) ? profile.list(RECIPES) : List.of();
    }

    /** Returns the figures with an FP8 recipe. */
    static FigureFile inFp8(FigureFile merged, String recipe) {
        return with(merged, RECIPES_OF_FP8.named(recipe));
    }

    /** Overrides figures with others. */
    static FigureFile with(FigureFile merged, FigureFile other) {
        Map<String, Figure> figures = new LinkedHashMap<>(merged.figures());
        figures.putAll(other.figures());
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

    private static List<Key> keys(String block) {
        return CalibrationKeys.FILE.keys(
                block,
                Map.of(
                        "bytes",
                        BYTES,
                        "ratio",
                        RATIO,
                        "name",
                        NAME,
                        "recipes",
                        new ListType(NAME, "recipe"),
                        "names",
                        new ListType(NAME, "architecture")));
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
                List.of(Key.required("others", ScalarTypes.positive(), "on all others")),
                GpuCalibration.FAMILIES.names().stream()
                        .map(family -> Key.optional(family, ScalarTypes.positive(), "on that GPU or architecture"))
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

    /** Value that is converted after parsing. */
    private record Mapped<T>(ValueType type, Class<T> read, Function<T, Object> to) implements ValueType.Like {
        @Override
        public @Nullable Object read(YamlNode node, String key, Problems problems) {
            Object value = type.read(node, key, problems);
            return value == null ? null : to.apply(read.cast(value));
        }
    }
}

package io.shardsim.scenarios.catalog;

import io.shardsim.reports.Surroundings.Storage;
import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.PriceSpec;
import io.shardsim.topology.units.UnitTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * GPUs, instances and models by name, each read from its file when it is asked for.
 *
 * <p>A broken file of the catalog is a defect of the tool, not of the user's input, and is thrown as such; a test reads every file.
 */
public final class Catalog {
    private static final ResourceDirectory GPUS = new ResourceDirectory("catalog/gpus", ".yaml");
    private static final ResourceDirectory INSTANCES = new ResourceDirectory("catalog/instances", ".yaml");
    private static final ResourceDirectory MODELS = new ResourceDirectory("catalog/models", ".yaml");
    private static final ResourceDirectory STORAGE = new ResourceDirectory("catalog/storage", ".yaml");
    private static final ResourceDirectory DEFAULTS = new ResourceDirectory("catalog/defaults", ".yaml");
    private static final String INLINE_CLUSTER = "inline-cluster";
    private static final String START_UP = "start-up";
    private static final String HOST_INITIALIZATION = "host_initialization";

    /** The kernel-time families that GPUs belong to. */
    public static final List<String> ARCHITECTURES = List.of("volta", "ampere", "hopper");

    private static final BlockType GPU_FILE = CatalogFile.type(with(
            figures(HardwareKeys.GPU),
            Key.required("architecture", ScalarTypes.choice(ARCHITECTURES), "family of kernel times")));
    private static final BlockType INSTANCE_FILE = CatalogFile.type(with(
            figures(HardwareKeys.SERVER),
            Key.required("gpu", ScalarTypes.text("[a-z0-9][a-z0-9-]*", "the name of a GPU"), "GPU of the catalog"),
            Key.optional("price", new FigureType(HardwareKeys.PRICE.type()), "on-demand price")));
    private static final BlockType STORAGE_FILE = CatalogFile.type(figures(StorageKeys.ALL));
    private static final BlockType DEFAULTS_FILE = CatalogFile.type(figures(HardwareKeys.SERVER));
    private static final BlockType START_UP_FILE = CatalogFile.type(figures(List.of(Key.required(
            HOST_INITIALIZATION,
            ScalarTypes.quantity(UnitTable.TIME, 1),
            "time in which one process draws a parameter in host memory"))));
    private static final BlockType MODEL_FILE =
            CatalogFile.type(Key.required("shape", modelShapeWithSource(), "shape of the transformer"));

    /** Files that were read, by path; a sweep asks for the same ones at every point. */
    private static final Map<String, CatalogFile> READ = new ConcurrentHashMap<>();

    private Catalog() {}

    public static List<String> gpuNames() {
        return GPUS.names();
    }

    public static List<String> instanceNames() {
        return INSTANCES.names();
    }

    public static List<String> storageNames() {
        return STORAGE.names();
    }

    /** The storage service of this name, or null. */
    public static @Nullable CatalogEntry<Storage> storage(String name) {
        return storage(name, Map.of());
    }

    /**
     * The storage service of this name with some values replaced, or null.
     *
     * @param changed values under keys of {@link StorageKeys#CHANGEABLE}
     */
    public static @Nullable CatalogEntry<Storage> storage(String name, Map<String, Object> changed) {
        CatalogFile file = read(STORAGE, name, STORAGE_FILE);
        if (file == null) {
            return null;
        }
        Map<String, Object> values = new LinkedHashMap<>(values(file));
        values.putAll(changed);
        return new CatalogEntry<>(
                name,
                file.text("title"),
                StorageKeys.storage(name, values),
                List.copyOf(file.figures().values()));
    }

    /** Time in which one process draws a parameter in host memory [ps]. */
    public static CatalogEntry<Long> startUp() {
        CatalogFile file = read(DEFAULTS, START_UP, START_UP_FILE);
        Figure time = file == null ? null : file.figures().get(HOST_INITIALIZATION);
        if (file == null || time == null) {
            throw new IllegalStateException(DEFAULTS.path(START_UP) + " is missing");
        }
        return new CatalogEntry<>(START_UP, file.text("title"), (Long) time.value(), List.of(time));
    }

    public static List<String> modelNames() {
        return MODELS.names();
    }

    /** The GPU of this name, or null. */
    public static @Nullable CatalogEntry<GpuSpec> gpu(String name) {
        CatalogFile file = read(GPUS, name, GPU_FILE);
        if (file == null) {
            return null;
        }
        GpuSpec spec = HardwareKeys.gpu(name, file.text("architecture"), values(file));
        return new CatalogEntry<>(
                name, file.text("title"), spec, List.copyOf(file.figures().values()));
    }

    /** The instance of this name, or null. */
    public static @Nullable CatalogEntry<InstanceSpec> instance(String name) {
        return instance(name, Map.of());
    }

    /**
     * The instance of this name with some values replaced, or null.
     *
     * @param changed values under keys of {@link HardwareKeys#SERVER} and {@link HardwareKeys#PRICE}
     */
    public static @Nullable CatalogEntry<InstanceSpec> instance(String name, Map<String, Object> changed) {
        CatalogFile file = read(INSTANCES, name, INSTANCE_FILE);
        if (file == null) {
            return null;
        }
        CatalogEntry<GpuSpec> gpu = gpu(file.text("gpu"));
        if (gpu == null) {
            throw new IllegalStateException(INSTANCES.path(name) + " names the unknown GPU " + file.text("gpu"));
        }
        Figure listed = file.figures().get("price");
        PriceSpec price = listed == null || changed.containsKey("price")
                ? priceOf(changed)
                : new PriceSpec((Double) listed.value(), listed.date(), listed.source());
        InstanceSpec spec = HardwareKeys.instance(name, gpu.spec(), values(file), changed, price);
        return new CatalogEntry<>(
                name, file.text("title"), spec, List.copyOf(file.figures().values()));
    }

    /**
     * A server that a scenario describes.
     *
     * @param given values under keys of {@link HardwareKeys#SERVER} and {@link HardwareKeys#PRICE}; with at least GPUs, NICs and the rates of both
     */
    public static InstanceSpec inlineInstance(GpuSpec gpu, Map<String, Object> given) {
        CatalogFile file = read(DEFAULTS, INLINE_CLUSTER, DEFAULTS_FILE);
        if (file == null) {
            throw new IllegalStateException(DEFAULTS.path(INLINE_CLUSTER) + " is missing");
        }
        Map<String, Object> changed = new LinkedHashMap<>(given);
        long gpus = (Long) given.getOrDefault("gpus_per_node", 1L);
        long nics = (Long) given.getOrDefault("nics_per_node", 1L);
        changed.putIfAbsent("pcie_switches", Math.min(gpus, nics));
        return HardwareKeys.instance("inline", gpu, values(file), changed, priceOf(changed));
    }

    /** A GPU that a scenario describes. */
    public static GpuSpec inlineGpu(String architecture, Map<String, Object> values) {
        return HardwareKeys.gpu("inline", architecture, values);
    }

    /** The model of this name, or null. */
    public static @Nullable CatalogEntry<ModelShape> model(String name) {
        CatalogFile file = read(MODELS, name, MODEL_FILE);
        Block shape = file == null ? null : file.block().block("shape");
        if (file == null || shape == null) {
            return null;
        }
        List<Figure> figures = new ArrayList<>();
        Figure source = file.figures().get("shape");
        if (source == null) {
            throw new IllegalStateException(MODELS.path(name) + " gives no source for its shape");
        }
        for (Key key : ModelKeys.KEYS) {
            Object value = shape.value(key.name());
            if (value != null) {
                figures.add(
                        new Figure(key.name(), value, value.toString(), source.source(), source.date(), source.note()));
            }
        }
        return new CatalogEntry<>(name, file.text("title"), ModelKeys.shape(shape, 0), figures);
    }

    private static PriceSpec priceOf(Map<String, Object> changed) {
        Object price = changed.get("price");
        return price == null ? new PriceSpec(Double.NaN, "", "") : new PriceSpec((Double) price, "", "scenario file");
    }

    private static Map<String, Object> values(CatalogFile file) {
        Map<String, Object> values = new LinkedHashMap<>();
        file.figures().forEach((key, figure) -> values.put(key, figure.value()));
        return values;
    }

    private static @Nullable CatalogFile read(ResourceDirectory directory, String name, BlockType type) {
        CatalogFile known = READ.get(directory.path(name));
        if (known != null) {
            return known;
        }
        try {
            CatalogFile file = CatalogFile.read(directory, name, type);
            if (file != null) {
                READ.put(directory.path(name), file);
            }
            return file;
        } catch (InputException defect) {
            throw new IllegalStateException("broken catalog file: " + defect.getMessage(), defect);
        }
    }

    /** The keys, each with a source beside its value. */
    private static Key[] figures(List<Key> keys) {
        return keys.stream()
                .map(key -> new Key(key.name(), new FigureType(key.type()), key.required(), key.meaning()))
                .toArray(Key[]::new);
    }

    private static Key[] with(Key[] keys, Key... more) {
        List<Key> all = new ArrayList<>(List.of(more));
        all.addAll(List.of(keys));
        return all.toArray(Key[]::new);
    }

    private static BlockType modelShapeWithSource() {
        List<Key> keys = new ArrayList<>(ModelKeys.KEYS);
        keys.add(Key.required(
                "from", ScalarTypes.text("[a-z0-9][a-z0-9-]*", "the name of a source"), "name of the source"));
        keys.add(Key.optional("note", FigureType.LINE, "what a reader should know"));
        return new BlockType(keys, false);
    }
}

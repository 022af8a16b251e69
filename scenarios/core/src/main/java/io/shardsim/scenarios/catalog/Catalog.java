package io.shardsim.scenarios.catalog;

import io.shardsim.reports.Surroundings.Storage;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.catalog.CatalogException;
import io.shardsim.simulator.catalog.Figure;
import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.simulator.catalog.FigureFolder;
import io.shardsim.simulator.catalog.FigureType;
import io.shardsim.simulator.collective.nccl.NcclCatalog;
import io.shardsim.simulator.compute.GpuCalibration;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ShippedFile;
import io.shardsim.simulator.schema.ValueType;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.topology.GpuSpec;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.PriceSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * GPUs, instances and models by name, each read from its file on demand.
 *
 * <p>A broken file throws {@link CatalogException} when it is read, since users may add files. A test reads all of our own.
 */
public final class Catalog {
    /** Where models are listed, for messages about an unknown one. */
    public static final String MODELS_ARE_LISTED =
            "shardsim catalog models lists them; shardsim import reads a config.json";

    private static final String INLINE_CLUSTER = "inline-cluster";
    private static final String PCIE = "pcie";
    private static final String START_UP = "start-up";
    private static final String HOST_INITIALIZATION = "host_initialization";

    /** Supported architectures: the kernel-time families that also have NCCL constants. */
    public static final List<String> ARCHITECTURES = NcclCatalog.GPUS.names().stream()
            .filter(GpuCalibration.FAMILIES.names()::contains)
            .toList();

    private static final ValueType INSTANCE_NAME = ScalarTypes.text("[a-z0-9][a-z0-9.-]*", "the name of an instance");

    static final FigureFolder GPUS = folder(
            "gpus",
            "GPU",
            FigureFolder.figures(
                    HardwareKeys.GPU,
                    FigureFile.ALSO,
                    Key.optional("server", INSTANCE_NAME, "instance that it usually comes in"),
                    Key.required("architecture", ScalarTypes.choice(ARCHITECTURES), "family of kernel times")));
    static final FigureFolder INSTANCES = folder(
            "instances",
            "instance",
            FigureFolder.figures(
                    Stream.concat(HardwareKeys.SERVER.stream(), Stream.of(HardwareKeys.GEMM_RATE, HardwareKeys.PRICE))
                            .toList(),
                    FigureFile.ALSO,
                    Key.required("gpu", ScalarTypes.text("[a-z0-9][a-z0-9-]*", "the name of a GPU"), "its GPU"),
                    HardwareKeys.NETWORK));
    static final FigureFolder STORAGE = folder("storage", "storage service", FigureFolder.figures(StorageKeys.ALL));
    static final FigureFolder MODELS = folder(
            "models", "model", List.of(Key.required("shape", modelShapeWithSource(), "shape of the transformer")));
    private static final FigureFolder PRICES = folder(
            "defaults",
            "default",
            FigureFolder.figures(INSTANCES.names().stream()
                    .flatMap(name -> HardwareKeys.TERMS.stream().map(term -> priceKey(name, term)))
                    .map(key -> Key.optional(key, HardwareKeys.PRICE.type(), "price of a node"))
                    .toList()));
    private static final FigureFolder SERVERS =
            folder("defaults", "default", FigureFolder.figures(HardwareKeys.SERVER, HardwareKeys.NETWORK));
    private static final FigureFolder PCIE_LINKS = folder(
            "defaults",
            "default",
            FigureFolder.figures(ARCHITECTURES.stream()
                    .map(architecture -> Key.optional(
                            architecture, ScalarTypes.rate(), "payload rate of its PCIe link, one direction"))
                    .toList()));
    private static final FigureFolder TIMES = folder(
            "defaults",
            "default",
            FigureFolder.figures(List.of(Key.required(
                    HOST_INITIALIZATION,
                    ScalarTypes.time(1),
                    "time in which one process draws a parameter in host memory"))));

    private static final Map<String, String> HUB = ShippedFile.read(
            Catalog.class, "/catalog/hub.yaml", new MapType(ScalarTypes.text(".+", "a name"), FigureType.LINE));

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

    /** Returns the storage service of this name, or null. */
    public static @Nullable CatalogEntry<Storage> storage(String name) {
        return storage(name, Map.of());
    }

    /**
     * Returns the storage service of this name with some values replaced, or null.
     *
     * @param changed values by keys of {@link StorageKeys#CHANGEABLE}
     */
    public static @Nullable CatalogEntry<Storage> storage(String name, Map<String, Object> changed) {
        FigureFile file = STORAGE.find(name);
        return file == null ? null : storage(file, changed);
    }

    static CatalogEntry<Storage> storage(FigureFile file, Map<String, Object> changed) {
        Map<String, Object> values = new LinkedHashMap<>(HardwareKeys.values(file));
        values.putAll(changed);
        return CatalogEntry.of(file, StorageKeys.storage(file.name(), values));
    }

    /** Returns the time in which one process initializes a parameter in host memory [ps]. */
    public static CatalogEntry<Long> startUp() {
        FigureFile file = TIMES.named(START_UP);
        return CatalogEntry.of(file, file.whole(HOST_INITIALIZATION));
    }

    public static List<String> modelNames() {
        return MODELS.names();
    }

    /** Returns the GPU of this name, or null. */
    public static @Nullable CatalogEntry<GpuSpec> gpu(String name) {
        FigureFile file = GPUS.called(name);
        return file == null ? null : gpu(file);
    }

    /** Returns a GPU with its data-sheet rates, whatever its instance reaches; a GPU outside the catalog unchanged. */
    public static GpuSpec ofDataSheet(GpuSpec gpu) {
        FigureFile file = GPUS.find(gpu.name());
        return file == null ? gpu : spec(file);
    }

    static CatalogEntry<GpuSpec> gpu(FigureFile file) {
        return CatalogEntry.of(file, spec(file));
    }

    /** Returns the instance of this name, or null. */
    public static @Nullable CatalogEntry<InstanceSpec> instance(String name) {
        return instance(name, Map.of());
    }

    /**
     * Returns the instance of this name with some values replaced, or null.
     *
     * @param changed values by keys of {@link HardwareKeys#SERVER}, {@link HardwareKeys#NETWORK}, {@link HardwareKeys#GEMM_RATE},
     *     {@link HardwareKeys#PRICE}, {@link HardwareKeys#TERM} and {@link HardwareKeys#SPOT}
     */
    public static @Nullable CatalogEntry<InstanceSpec> instance(String name, Map<String, Object> changed) {
        FigureFile file = INSTANCES.called(name);
        return file == null ? null : instance(file, file.name(), changed);
    }

    /**
     * Returns a user-defined instance, described like a catalog entry, with some values replaced.
     *
     * @param name its name in results
     * @param changed values by the keys that catalog instances allow
     * @throws InputException with every problem of the definition
     */
    public static CatalogEntry<InstanceSpec> ownInstance(
            String name, YamlNode description, Map<String, Object> changed, Problems problems) throws InputException {
        FigureFile file = INSTANCES.read(name, description, problems);
        return instance(file, file.text("extends"), changed);
    }

    static CatalogEntry<InstanceSpec> instance(FigureFile file, String listed, Map<String, Object> changed) {
        Figure rate = file.figures().get(HardwareKeys.GEMM_RATE.name());
        Object times = changed.getOrDefault(HardwareKeys.GEMM_RATE.name(), rate == null ? 1.0 : rate.value());
        GpuSpec gpu = spec(GPUS.named(file.text("gpu"))).withRates((Double) times, 1);
        List<Figure> figures = new ArrayList<>(file.figures().values());
        Figure price = file.figures().get(HardwareKeys.PRICE.name());
        if (price == null || changed.containsKey(HardwareKeys.TERM)) {
            price = price(listed, (String) changed.getOrDefault(HardwareKeys.TERM, HardwareKeys.ON_DEMAND));
            if (price != null) {
                figures.add(price);
            }
        }
        InstanceSpec spec = HardwareKeys.instance(file.name(), gpu, file, changed, priceOf(price, changed));
        return new CatalogEntry<>(file.name(), file.title(), spec, figures);
    }

    private static String priceKey(String instance, String term) {
        return term.equals(HardwareKeys.ON_DEMAND) ? instance : instance + " " + term;
    }

    /** Returns the list price of an instance; null if unknown. */
    private static @Nullable Figure price(String instance, String term) {
        Figure listed = prices().get(priceKey(instance, term));
        return listed == null
                ? null
                : new Figure(
                        HardwareKeys.PRICE.name(),
                        listed.value(),
                        listed.text(),
                        listed.source(),
                        listed.date(),
                        listed.note());
    }

    /** Returns list prices by instance name, followed by the term unless it is on demand. */
    static Map<String, Figure> prices() {
        return PRICES.named("prices").figures();
    }

    /** Returns the instance that usually has this GPU; empty if the GPU's file names none. */
    public static String usualServer(GpuSpec gpu) {
        FigureFile file = GPUS.find(gpu.name());
        return file == null ? "" : file.text("server");
    }

    /** Returns every instance with this GPU, sorted by name. */
    public static List<InstanceSpec> instancesWith(GpuSpec gpu) {
        return INSTANCES.names().stream()
                .map(INSTANCES::named)
                .filter(file -> file.text("gpu").equals(gpu.name()))
                .map(file -> instance(file, file.name(), Map.of()).spec())
                .toList();
    }

    /**
     * Returns a server defined in a scenario, with one GPU by default.
     *
     * @param given values by the keys of catalog instances
     * @param usual instance that supplies omitted values; empty for assumed ones, with the PCIe link of the GPU's generation
     */
    public static InstanceSpec inlineInstance(GpuSpec gpu, Map<String, Object> given, String usual) {
        FigureFile file = usual.isEmpty() ? SERVERS.named(INLINE_CLUSTER) : INSTANCES.named(usual);
        Map<String, Object> changed = new LinkedHashMap<>(given);
        changed.putIfAbsent("gpus_per_node", 1L);
        FigureFile links = PCIE_LINKS.named(PCIE);
        if (usual.isEmpty()) {
            long nics = (Long) given.getOrDefault("nics_per_node", 1L);
            changed.putIfAbsent("pcie_switches", Math.min((Long) changed.get("gpus_per_node"), nics));
        }
        if (usual.isEmpty() && links.has(gpu.architecture())) {
            changed.putIfAbsent("pcie", links.whole(gpu.architecture()));
        }
        return HardwareKeys.instance("inline", gpu, file, changed, priceOf(null, changed));
    }

    /** Returns a GPU defined in a scenario. */
    public static GpuSpec inlineGpu(String architecture, Map<String, Object> values) {
        return HardwareKeys.gpu("inline", architecture, values);
    }

    /**
     * Returns the catalog name of a model, which may be given by its Hugging Face ID ({@code meta-llama/Llama-2-7b-hf}); null for an unknown model.
     */
    public static @Nullable String modelName(String asked) {
        String last = asked.substring(asked.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
        String plain = last.replaceAll("^meta-", "").replaceAll("(-chat|-instruct|-hf|-base)+(?=(-v[\\d.]+)?$)", "");
        return modelNames().contains(asked) ? asked : HUB.get(plain);
    }

    /** Returns what to write instead of an unknown model. */
    public static String modelRemedy(String asked) {
        List<String> known =
                Stream.concat(modelNames().stream(), HUB.keySet().stream()).toList();
        return Nearest.remedy(asked.substring(asked.lastIndexOf('/') + 1), known, MODELS_ARE_LISTED);
    }

    /** Returns the model of this name, or null. */
    public static @Nullable CatalogEntry<ModelShape> model(String asked) {
        String name = modelName(asked);
        FigureFile file = name == null ? null : MODELS.find(name);
        return file == null || file.block().block("shape") == null ? null : model(file);
    }

    static CatalogEntry<ModelShape> model(FigureFile file) {
        Block shape = Objects.requireNonNull(file.block().block("shape"), "a required block");
        List<Figure> figures = new ArrayList<>();
        Figure source = file.figures().get("shape");
        if (source == null) {
            throw new CatalogException(MODELS.path(file.name()) + " has no source for its shape");
        }
        for (Key key : ModelKeys.KEYS) {
            Object value = shape.value(key.name());
            if (value != null) {
                figures.add(
                        new Figure(key.name(), value, value.toString(), source.source(), source.date(), source.note()));
            }
        }
        return new CatalogEntry<>(file.name(), file.title(), shape(file.name(), shape), figures);
    }

    private static ModelShape shape(String name, Block block) {
        try {
            return ModelKeys.shape(block, 0);
        } catch (IllegalArgumentException refused) {
            throw new CatalogException(MODELS.path(name) + ":" + block.position() + ": " + refused.getMessage());
        }
    }

    private static PriceSpec priceOf(@Nullable Figure listed, Map<String, Object> changed) {
        Object own = changed.get(HardwareKeys.PRICE.name());
        PriceSpec price = own != null
                ? new PriceSpec((Double) own, "", "scenario file", "at your price")
                : listed == null
                        ? new PriceSpec(
                                Double.NaN, "", "", "at an unknown price (write money: {price: 40 USD/h} with yours)")
                        : new PriceSpec((Double) listed.value(), listed.date(), listed.source());
        Object spot = changed.get(HardwareKeys.SPOT);
        return spot != null
                ? price.on("on spot at " + spot + " of the price on demand", (Double) spot)
                : changed.get(HardwareKeys.TERM) instanceof String term && !term.equals(HardwareKeys.ON_DEMAND)
                        ? price.on("committed for " + term.replace('_', ' '), 1)
                        : price;
    }

    private static GpuSpec spec(FigureFile gpu) {
        return HardwareKeys.gpu(gpu.name(), gpu.text("architecture"), HardwareKeys.values(gpu));
    }

    private static FigureFolder folder(String name, String kind, List<Key> keys) {
        return new FigureFolder("catalog/" + name, kind, keys);
    }

    private static BlockType modelShapeWithSource() {
        List<Key> keys = new ArrayList<>(ModelKeys.KEYS);
        keys.add(Key.required(
                "from", ScalarTypes.text("[a-z0-9][a-z0-9-]*", "the name of a source"), "name of the source"));
        keys.add(Key.optional("note", FigureType.LINE, "what a reader should know"));
        return new BlockType(keys, false);
    }
}

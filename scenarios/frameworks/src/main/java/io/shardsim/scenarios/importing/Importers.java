package io.shardsim.scenarios.importing;

import io.shardsim.simulator.ResourceDirectory;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Kinds of files that can be imported, and their recognition. */
final class Importers {
    /** In order of preference between equally likely kinds. */
    private static final List<Importer> SHIPPED = List.of(
            new SageMakerDistribution(),
            new DeepSpeedConfig(),
            new AccelerateConfig(),
            new PeftConfig(),
            new AxolotlConfig(),
            new TorchtuneRecipe(),
            new TorchtitanConfig(),
            new HyperPodRecipe(),
            new NeoxConfig(),
            new RenamedConfig("nemo", new MegatronArguments()),
            new RenamedConfig("bridge", new MegatronArguments()),
            new RenamedConfig("nanotron", new MegatronArguments()),
            new RenamedConfig("litgpt", null),
            new OlmoConfig(),
            new LightningConfig(),
            new HuggingFaceModel(),
            new TrainerSettings(),
            new MegatronArguments());

    /** These, then tables in other jars whose rows are scenario keys. */
    static final List<Importer> ALL = Stream.concat(SHIPPED.stream(), further()).toList();

    private Importers() {}

    private static Stream<Importer> further() {
        Set<String> shipped = new HashSet<>(Set.of(KeyTable.COMMON, "known"));
        SHIPPED.forEach(importer -> shipped.add(importer.table()));
        return new ResourceDirectory("importing", ".yaml")
                .names().stream().filter(name -> !shipped.contains(name)).map(name -> new RenamedConfig(name, null));
    }

    /** Loaded when a file is first imported. */
    private static final class Tables {
        static final Map<String, KeyTable> BY_NAME = readAll();

        private static Map<String, KeyTable> readAll() {
            Map<String, KeyTable> tables = new LinkedHashMap<>();
            ALL.forEach(importer -> tables.put(importer.table(), KeyTable.read(importer.table())));
            return tables;
        }
    }

    static KeyTable table(Importer importer) {
        return table(importer.table());
    }

    static KeyTable table(String name) {
        KeyTable table = Tables.BY_NAME.get(name);
        if (table == null) {
            throw new IllegalStateException("no table " + name);
        }
        return table;
    }

    /** Arguments of Megatron-LM and of launchers. */
    static Set<String> dashedNames() {
        return table(SHIPPED.get(SHIPPED.size() - 1)).names("");
    }

    /** Arguments of the Trainer. */
    static Set<String> underscoredNames() {
        return table(SHIPPED.get(SHIPPED.size() - 2)).names("");
    }

    /** Whether an argument with dots in its name sets a key of a file. */
    static boolean isArgument(String name) {
        return ALL.stream().anyMatch(importer -> table(importer).isArgument(name));
    }

    /**
     * Recognizes the kind of a file; null if it is unknown.
     *
     * @param arguments whether the file is a command with arguments
     */
    static @Nullable Importer recognize(Mapping root, boolean arguments) {
        Importer best = null;
        int most = 0;
        for (Importer importer : ALL) {
            int likeness = table(importer).likeness(importer.unwrap(root), arguments);
            if (likeness > most) {
                best = importer;
                most = likeness;
            }
        }
        return best;
    }

    /** The message for a file, or a command with arguments, of unknown kind. */
    static String unknown(boolean arguments) {
        if (arguments) {
            return "has arguments without model or batch; pass the configuration file that it names";
        }
        List<String> titles = new ArrayList<>();
        ALL.forEach(importer -> titles.add(table(importer).title()));
        return "is of an unknown kind; known: " + String.join(", ", titles);
    }
}

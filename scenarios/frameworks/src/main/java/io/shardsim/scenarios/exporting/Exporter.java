package io.shardsim.scenarios.exporting;

import io.shardsim.reports.Surroundings;
import io.shardsim.scenarios.importing.Choices;
import io.shardsim.scenarios.importing.ScenarioImport;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.ScenarioReader;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.yaml.InputException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes a training as the configuration of a framework, imports the result, and reports every setting that differs.
 *
 * <p>So settings that a framework cannot express are found, not listed by hand; the writers only add where else to set them.
 */
public final class Exporter {
    /** Simulator settings, which no configuration contains. */
    private static final Set<String> FIGURES = Set.of(
            "strategy.runtime_memory",
            "strategy.fragmentation",
            "strategy.host_time_per_module",
            "strategy.host_time_per_unit",
            "strategy.host_update_time",
            "strategy.pageable_store_rate",
            "strategy.pageable_load_rate",
            "strategy.run_ahead_layers");

    private static final Set<String> CLUSTER = Set.of("instance", "nodes", "gpus_per_node");

    /** The default size of the shard group; the size itself is compared. */
    private static final String DEFAULT_GROUP = "strategy.hybrid";

    private Exporter() {}

    /**
     * Exports a training.
     *
     * @param point with its micro-batch set
     * @param file content of the scenario file
     * @throws InputException with why the framework cannot run the training, and what to do instead
     */
    public static Export export(Framework framework, ScenarioPoint point, Map<String, Object> file)
            throws InputException {
        Settings settings = new Settings(point);
        FrameworkWriter writer = framework.writer();
        if (!framework.kinds().contains(settings.kind())) {
            throw refused(
                    framework,
                    settings,
                    "does not run strategy " + settings.kind() + "; " + writer.remedy(settings.kind()));
        }
        String refusal = writer.refusal(settings);
        if (refusal != null) {
            throw refused(framework, settings, "cannot run this " + settings.kind() + ": " + refusal);
        }
        // If files refer to models by name, any model can be written.
        String unwritten = writer.table().models().isEmpty() ? unwritten(settings) : null;
        if (unwritten != null) {
            throw refused(
                    framework,
                    settings,
                    "files with " + unwritten + " are not written; leave out the framework for a scenario");
        }
        String instance = instance(file);
        if (instance.isEmpty()) {
            throw refused(framework, settings, "needs a catalog instance to be read back; set cluster.instance");
        }
        List<WrittenFile> files = writer.files(settings, instance);
        Settings back = readBack(files, instance, settings);
        List<Lost> lost = new ArrayList<>(compare(settings, back, writer));
        boolean same = lost.isEmpty() && settings.is(Settings.KERNELS, String.valueOf(back.text(Settings.KERNELS)));
        ScenarioPoint carried = same ? null : carried(point, back);
        addUnsaid(file, files, instance, lost);
        return new Export(files, writer.launch(settings), writer.notes(settings), lost, carried);
    }

    /** A scenario file, which contains everything. */
    public static Export scenario(String name, Map<String, Object> file) {
        return new Export(
                List.of(new WrittenFile(name + ".yaml", Texts.yaml(file))),
                "shardsim run " + name + ".yaml",
                List.of(),
                List.of(),
                null);
    }

    /** A feature of the model that no framework's files are written for; null if there is none. */
    private static @Nullable String unwritten(Settings settings) {
        if (settings.whole("model.kv_lora_rank") > 0) {
            return "latent attention (model.kv_lora_rank)";
        }
        if (settings.whole("model.mtp_layers") > 0) {
            return "multi-token prediction (model.mtp_layers)";
        }
        return settings.is("model.encoder") ? "an encoder (model.masked_lm or decoder_layers)" : null;
    }

    private static InputException refused(Framework framework, Settings settings, String why) {
        return new InputException(settings.scenario(), framework.title() + " " + why);
    }

    private static String instance(Map<String, Object> file) {
        return file.get("cluster") instanceof Map<?, ?> cluster && cluster.get("instance") instanceof String name
                ? name
                : "";
    }

    private static Settings readBack(List<WrittenFile> files, String instance, Settings settings)
            throws InputException {
        Map<String, String> texts = new LinkedHashMap<>();
        files.forEach(file -> texts.put(file.name(), file.text()));
        String scenario = ScenarioImport.readTexts(
                        texts, new Choices(settings.scenario(), null, instance, null, null, List.of()))
                .text();
        return new Settings(
                ScenarioReader.readText(settings.scenario(), scenario).points().get(0));
    }

    /** The training as read from the files, with the point's cluster and surroundings. */
    private static ScenarioPoint carried(ScenarioPoint point, Settings back) {
        Task.Training read = back.task();
        Surroundings beside = ((Task.Training) point.task()).surroundings();
        return point.with(
                point.values(),
                point.cluster(),
                new Task.Training(
                        read.modelName(), read.model(), read.learning(), read.execution(), read.strategy(), beside));
    }

    private static List<Lost> compare(Settings ours, Settings back, FrameworkWriter writer) {
        boolean sameWork = ours.implementation().equals(back.implementation());
        List<Lost> lost = new ArrayList<>();
        ours.values().forEach((key, value) -> {
            boolean compared = key.equals(Settings.KIND)
                    ? !sameWork
                    : sameWork || !key.startsWith("strategy.") || isGiven(ours, key);
            Object expected = key.equals(Settings.KERNELS) ? writer.table().kernels(String.valueOf(value)) : value;
            if (compared && !key.equals(DEFAULT_GROUP) && !Objects.equals(expected, back.value(key))) {
                lost.add(new Lost(key, String.valueOf(ours.text(key)), back.text(key), remedy(key, writer)));
            }
        });
        return lost;
    }

    private static boolean isGiven(Settings settings, String key) {
        return settings.given().containsKey(key.substring(key.indexOf('.') + 1));
    }

    private static String remedy(String key, FrameworkWriter writer) {
        String known = writer.table().remedy(key);
        if (known != null) {
            return known;
        }
        if (FIGURES.contains(key)) {
            return "a simulator setting, which no configuration has";
        }
        return key.startsWith("model.")
                ? "the framework's models have no such setting"
                : "only the training script can set it";
    }

    /** Adds settings outside the training that the files do not contain: cluster properties, collectives, storage, checkpoints. */
    private static void addUnsaid(Map<String, Object> file, List<WrittenFile> files, String instance, List<Lost> lost) {
        if (files.stream().noneMatch(each -> each.text().contains("ml." + instance))) {
            lost.add(new Lost("cluster.instance", instance, null, "give import --instance " + instance));
        }
        file.forEach((block, value) -> {
            if (value instanceof Map<?, ?> keys
                    && List.of("cluster", "lora", "collectives", "storage", "checkpoint", "failures", "faults", "money")
                            .contains(block)) {
                keys.forEach((key, inner) -> {
                    if (!block.equals("cluster") || !CLUSTER.contains(String.valueOf(key))) {
                        lost.add(new Lost(
                                block + "." + key,
                                String.valueOf(inner),
                                null,
                                block.equals("cluster")
                                        ? "set by the hardware"
                                        : "set by the environment and the training script"));
                    }
                });
            }
        });
    }
}

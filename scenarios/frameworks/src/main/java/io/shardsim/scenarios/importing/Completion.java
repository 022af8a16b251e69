package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.scenarios.catalog.CatalogEntry;
import io.shardsim.scenarios.catalog.ModelKeys;
import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.importing.Fact.Rank;
import io.shardsim.scenarios.scenario.ScenarioKeys;
import io.shardsim.simulator.workload.Image;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.yaml.YamlReader;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Fills in values that no file states, each as a named assumption, and writes the scenario. */
final class Completion {
    /** Rotary positions, and a shape that fits on most clusters with most strategies. */
    private static final String MODEL = "llama2-7b";

    private static final long SEQUENCE_LENGTH = 2048;

    /** Keys that name a model, in any framework. */
    private static final Pattern NAMES_MODEL = Pattern.compile(
            "(.*[._-])?(base[_-]|pretrained[_-])?model([_-](name|path|id|size|config))*([_-]or[_-]path)?");

    private static final List<String> CLUSTER_KEYS = List.of("instance", "nodes", "gpus_per_node", "pcie_switches");

    private final Draft draft;
    private final List<ForeignFile> files;
    private final Choices choices;

    Completion(Draft draft, List<ForeignFile> files, Choices choices) {
        this.draft = draft;
        this.files = files;
        this.choices = choices;
    }

    /** Returns the whole scenario; adds problems if files contradict each other. */
    ScenarioText complete() {
        settleKernels();
        settleStrategy();
        settleModel();
        new Batches(draft).settle();
        settleTraining();
        draft.runAtEnd();
        ScenarioText text = new ScenarioText();
        text.comment("Written by shardsim import from:");
        names().forEach(text::comment);
        text.value("scenario", new Fact(name(), Rank.CHOSEN, null, "--name"));
        Map<String, Fact> shape = draft.block("model");
        if (shape.isEmpty()) {
            text.value("model", Draft.required(draft, "model"));
        } else {
            text.block("model", ordered(shape, ModelKeys.block().names()));
        }
        text.block("cluster", ordered(draft.block("cluster"), CLUSTER_KEYS));
        text.block("training", ordered(draft.block("training"), ScenarioKeys.TRAINING.names()));
        Map<String, Fact> adapters = draft.block("lora");
        if (!adapters.isEmpty()) {
            text.block("lora", adapters);
        }
        Map<String, Fact> strategy = new LinkedHashMap<>();
        strategy.put("kind", Draft.required(draft, Draft.KIND));
        strategy.putAll(draft.block("strategy"));
        text.block("strategy", strategy);
        return text;
    }

    private static Map<String, Fact> ordered(Map<String, Fact> facts, List<String> order) {
        Map<String, Fact> ordered = new LinkedHashMap<>();
        for (String key : order) {
            Fact fact = facts.get(key);
            if (fact != null) {
                ordered.put(key, fact);
            }
        }
        return ordered;
    }

    private List<String> names() {
        return files.stream().map(ForeignFile::name).distinct().toList();
    }

    /** Scenario name: the file names without folders and extensions. */
    private String name() {
        if (choices.name() != null) {
            return choices.name();
        }
        StringBuilder name = new StringBuilder();
        for (String file : names()) {
            Path last = Path.of(file).getFileName();
            String base = last == null ? "" : last.toString().replaceAll("\\.[A-Za-z]{1,5}$", "");
            name.append(name.isEmpty() ? "" : "-").append(base.replaceAll("[^A-Za-z0-9._-]+", "-"));
        }
        String clean = name.toString().replaceAll("^[^A-Za-z0-9]+", "");
        return clean.isEmpty() ? "imported" : clean.substring(0, Math.min(100, clean.length()));
    }

    /** Only one framework profile runs: training.kernels overrides that of the strategy. */
    private void settleKernels() {
        Fact kernels = draft.fact(Draft.KERNELS);
        Fact profile = draft.fact(Draft.PROFILE);
        if (kernels == null || profile == null) {
            return;
        }
        draft.remove(Draft.PROFILE);
        if (profile.key() != null) {
            profile.key()
                    .judge(
                            Verdict.NOT_MODELLED,
                            "beside " + kernels.origin() + ", all kernels are those of " + Draft.KERNELS + " "
                                    + kernels.value() + "; alone it is " + Draft.PROFILE + " " + profile.value());
        }
    }

    private void settleStrategy() {
        draft.assume(Draft.KIND, "fsdp", "no file sets a strategy");
        String kind = String.valueOf(draft.text(Draft.KIND));
        StrategyDescriptor descriptor = Strategies.descriptor(kind);
        if (descriptor == null) {
            throw new IllegalStateException("an importer names the unknown strategy " + kind);
        }
        draft.block("strategy").forEach((name, fact) -> {
            if (!name.equals("kind") && descriptor.parameter(name) == null) {
                draft.remove("strategy." + name);
                leaveOut(name, fact, kind);
            }
        });
    }

    private static void leaveOut(String name, Fact fact, String kind) {
        ForeignKey key = fact.key();
        if (key != null && fact.value().equals(1L)) {
            key.judge(Verdict.IRRELEVANT, "1 stands for none");
        } else if (key != null && fact.value().equals(false)) {
            key.judge(Verdict.IRRELEVANT, "off, and strategy " + kind + " has none of it");
        } else if (key != null) {
            key.judge(
                    name.matches(".*(parallel|offload).*|shard_group")
                            ? Verdict.DECIDES_THE_ANSWER
                            : Verdict.NOT_MODELLED,
                    "strategy " + kind + " has no " + name + ", which belongs to "
                            + String.join(", ", Strategies.kindsWith(name)) + "; time and memory are those without it");
        }
    }

    private void settleModel() {
        Map<String, Fact> shape = draft.block("model");
        Fact chosen = draft.fact("model");
        for (Fact fact : chosen == null ? List.<Fact>of() : shape.values()) {
            ForeignKey key = fact.key();
            if (key != null) {
                key.refuse("describes a model, and --model names " + choices.model() + "; leave out one of them");
                return;
            }
        }
        if (shape.isEmpty() && chosen == null) {
            String hub = draft.text(Draft.HUB_NAME);
            String known = hub == null ? null : Catalog.modelName(hub);
            Fact named = draft.fact(Draft.HUB_NAME);
            ForeignKey naming = named == null ? null : named.key();
            if (known != null) {
                draft.settle("model", new Fact(known, Rank.GIVEN, naming, ""));
            } else if (naming != null) {
                String why = Known.whyNotModelled(naming.text().toLowerCase(Locale.ROOT));
                String name = naming.path() + " " + YamlReader.printable(naming.text());
                naming.file()
                        .problems()
                        .add(
                                naming.position(),
                                name + " is not "
                                        + (why != null
                                                ? "modelled: " + why
                                                : "in the catalog; give its config.json too, or --model NAME"));
            }
            unknownNames()
                    .forEach(key -> key.refuse(key.path() + " " + YamlReader.printable(key.text())
                            + " names the model with an unknown key; pass --model NAME, or also its config.json"));
            draft.assume("model", MODEL, "no file describes the model; pass its config.json, or --model NAME");
        }
    }

    private Stream<ForeignKey> unknownNames() {
        return files.stream()
                .flatMap(file -> file.keys().stream())
                .filter(key -> key.verdict().verdict() == Verdict.NOT_MODELLED
                        && (key.path() + key.verdict().note()).matches("(?s)hyperparameters\\..*|.*unknown key.*")
                        && NAMES_MODEL.matcher(key.path()).matches()
                        && key.text().matches(".*[A-Za-z].*"));
    }

    private void settleTraining() {
        long positions = positions();
        long length = positions > 0 ? Math.min(positions, SEQUENCE_LENGTH) : SEQUENCE_LENGTH;
        ModelShape named = named();
        Image image = named == null ? Image.NONE : named.image();
        if (image.isPresent()) {
            draft.assume(Draft.SEQUENCE, (long) image.tokens(), "tokens of an image of this model");
        }
        draft.assume(Draft.SEQUENCE, length, "not in any file; --sequence-length N changes it");
        draft.assume(Draft.PRECISION, "bf16", "not in any file");
        draft.assume(Draft.CHECKPOINTING, image.isConvolved() ? "none" : "full", "not in any file");
        if (image.isConvolved()) {
            return;
        }
        Fact precision = draft.fact(Draft.PRECISION);
        boolean byDefault = precision != null && precision.rank() == Rank.DEFAULT;
        if (byDefault && "flash".equals(draft.text(Draft.ATTENTION)) && "fp32".equals(draft.text(Draft.PRECISION))) {
            draft.settle(
                    Draft.PRECISION,
                    new Fact("bf16", Rank.ASSUMED, null, "flash attention needs BF16 or FP16, and no file sets it"));
        }
        if ("fp32".equals(draft.text(Draft.PRECISION))) {
            draft.assume(Draft.ATTENTION, "standard", "not in any file, and flash attention needs BF16 or FP16");
        } else if (hasPositionBias()) {
            draft.assume(Draft.ATTENTION, "standard", "not in any file, and flash attention has no position bias");
        } else {
            draft.assume(Draft.ATTENTION, "flash", "not in any file; frameworks choose it themselves if they can");
        }
    }

    private boolean hasPositionBias() {
        Long given = draft.whole("model.relative_buckets");
        ModelShape named = named();
        return given != null ? given > 0 : named != null && named.decoder().hasPositionBias();
    }

    /** Number of learned positions of the model; 0 if none. */
    private long positions() {
        Long given = draft.whole("model.max_positions");
        ModelShape named = named();
        return given != null ? given : named == null ? 0 : named.maxPositions();
    }

    private @Nullable ModelShape named() {
        String name = draft.text("model");
        CatalogEntry<ModelShape> entry = name == null ? null : Catalog.model(name);
        return entry == null ? null : entry.spec();
    }
}

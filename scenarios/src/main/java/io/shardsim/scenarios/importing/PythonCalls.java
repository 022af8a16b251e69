package io.shardsim.scenarios.importing;

import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The configurations that a Python script or a notebook has in its calls: an estimator, arguments of a Trainer with the model it loads, adapters. */
final class PythonCalls {
    private static final String LOADED = "pretrained_model_name_or_path";

    /** Calls that change the question. */
    private static final Pattern DECIDING = Pattern.compile(
            "LoraConfig|BitsAndBytesConfig|get_peft_model|\\w*TrainingArguments|SFTConfig|PyTorch|HuggingFace");

    /** Calls that set up a strategy by themselves. */
    private static final Pattern UNREAD = Pattern.compile(
            "Accelerator|FullyShardedDataParallel(Plugin)?|FSDP|DeepSpeedPlugin|fully_shard|DistributedDataParallel|DDP");

    private PythonCalls() {}

    /** The code of a notebook's cells, each line where the file has it; null where the file is none. */
    static @Nullable String code(YamlNode file) {
        if (!(file instanceof Mapping root)
                || root.entry("nbformat") == null
                || !(value(root, "cells") instanceof Sequence cells)) {
            return null;
        }
        TreeMap<Integer, String> lines = new TreeMap<>();
        for (YamlNode cell : cells.items()) {
            if (cell instanceof Mapping block
                    && value(block, "cell_type") instanceof Scalar type
                    && type.text().equals("code")) {
                YamlNode source = value(block, "source");
                List<YamlNode> parts =
                        source instanceof Sequence list ? list.items() : source == null ? List.of() : List.of(source);
                for (YamlNode part : parts) {
                    int line = Math.max(part.position().line(), lines.isEmpty() ? 1 : lines.lastKey() + 1);
                    for (String each : ((Scalar) part).text().split("\n")) {
                        lines.put(line++, each);
                    }
                }
            }
        }
        StringBuilder code = new StringBuilder();
        int line = 1;
        for (Map.Entry<Integer, String> each : lines.entrySet()) {
            code.append("\n".repeat(each.getKey() - line)).append(each.getValue());
            line = each.getKey();
        }
        return code.toString();
    }

    private static @Nullable YamlNode value(Mapping block, String key) {
        Entry entry = block.entry(key);
        return entry == null ? null : entry.value();
    }

    /** The blocks of a script that are configurations, of one kind each; names that it sets where it calls nothing known. */
    static List<Mapping> in(String code, Problems problems) {
        PythonScript.Outcome script = PythonScript.read(code);
        List<Entry> aside = new ArrayList<>();
        List<Mapping> found = new ArrayList<>();
        List<Entry> models = new ArrayList<>();
        Entry trained = null;
        for (Map.Entry<String, Mapping> call : script.calls()) {
            String name = call.getKey().substring(call.getKey().lastIndexOf('.') + 1);
            Mapping arguments = call.getValue();
            Entry loaded = arguments.entry(LOADED);
            boolean loads = call.getKey().contains("Model") || call.getKey().contains("ForCausalLM");
            if (loaded != null && loads) {
                models.add(
                        loaded.value() instanceof Scalar
                                ? loaded
                                : new Entry(
                                        LOADED,
                                        loaded.keyPosition(),
                                        new Scalar(loaded.keyPosition(), call.getKey(), false)));
            } else if (name.equals("BitsAndBytesConfig")) {
                aside.addAll(arguments.entries());
            } else if (name.endsWith("Trainer")) {
                trained = loaded != null ? loaded : arguments.entry("model");
                Set<String> known = Importers.underscoredNames();
                arguments.entries().stream()
                        .filter(entry -> entry.value() instanceof Scalar && known.contains(entry.key()))
                        .forEach(aside::add);
            } else if (name.equals("LoraConfig")) {
                adapters(arguments).forEach(aside::add);
            } else if (Importers.recognize(arguments, false) instanceof HuggingFaceModel && name.endsWith("Config")) {
                String type =
                        name.substring(0, name.length() - "Config".length()).toLowerCase(Locale.ROOT);
                found.add(new Mapping(
                        arguments.position(),
                        joined(
                                arguments.entries(),
                                List.of(new Entry(
                                        "model_type",
                                        arguments.position(),
                                        new Scalar(arguments.position(), type, false))))));
            } else if (Importers.recognize(arguments, false) != null) {
                found.add(arguments);
            }
        }
        boolean described =
                found.stream().anyMatch(block -> Importers.recognize(block, false) instanceof HuggingFaceModel);
        if (models.isEmpty() && trained != null && trained.value() instanceof Scalar && !described) {
            models.add(trained);
        }
        for (Entry model : models) {
            aside.add(new Entry("model_name_or_path", model.keyPosition(), model.value()));
            if (!found.isEmpty()
                    && !((Scalar) model.value())
                            .text()
                            .equals(((Scalar) models.get(0).value()).text())) {
                problems.add(
                        model.keyPosition(),
                        "loads a second model; one forward and backward of one model are simulated. Remove the other call");
            }
        }
        if (found.isEmpty()) {
            Set<String> known = Importers.ALL.stream()
                    .flatMap(importer -> Importers.table(importer).names("").stream())
                    .collect(Collectors.toSet());
            List<Entry> named = script.set().entrySet().stream()
                    .filter(each ->
                            known.contains(each.getKey()) || each.getKey().equals("distribution"))
                    .map(each -> new Entry(each.getKey(), each.getValue().position(), each.getValue()))
                    .toList();
            Mapping names = named.isEmpty() ? null : new Mapping(named.get(0).keyPosition(), named);
            return names == null || Importers.recognize(names, false) == null ? List.of() : List.of(names);
        }
        script.all().stream()
                .filter(call -> UNREAD.matcher(call.text()).matches())
                .forEach(call -> problems.add(
                        call.at(),
                        call.text()
                                + " decides the strategy, and what it is given is not read; write it as an Accelerate"
                                + " or DeepSpeed configuration, or into TrainingArguments, and remove the call"));
        script.undecided().stream()
                .filter(call -> DECIDING.matcher(call.text()).matches())
                .forEach(call -> problems.add(
                        call.at(),
                        call.text() + " is called where a condition holds that does not follow from the file;"
                                + " set its names to what they are, or remove the call"));
        return found.stream()
                .map(block -> Importers.recognize(block, false) instanceof TrainerSettings
                        ? new Mapping(block.position(), joined(block.entries(), aside))
                        : block)
                .toList();
    }

    /** As TRL's arguments of the command line name what PEFT's LoraConfig takes. */
    private static Stream<Entry> adapters(Mapping arguments) {
        Entry asked = new Entry("use_peft", arguments.position(), new Scalar(arguments.position(), "true", true));
        return Stream.concat(
                Stream.of(asked),
                arguments.entries().stream()
                        .map(entry -> new Entry(
                                entry.key().matches("(lora|use)_.*") ? entry.key() : "lora_" + entry.key(),
                                entry.keyPosition(),
                                entry.value())));
    }

    /** The first of each key. */
    private static List<Entry> joined(List<Entry> first, List<Entry> second) {
        List<Entry> all = new ArrayList<>();
        Stream.concat(first.stream(), second.stream())
                .filter(entry -> all.stream().noneMatch(each -> each.key().equals(entry.key())))
                .forEach(all::add);
        return all;
    }
}

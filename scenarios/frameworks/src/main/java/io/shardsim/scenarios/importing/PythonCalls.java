package io.shardsim.scenarios.importing;

import io.shardsim.scenarios.importing.PythonTokens.Kind;
import io.shardsim.scenarios.importing.PythonTokens.Token;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Configurations in the calls of a Python script or notebook: an estimator, Trainer arguments and the model it loads, adapters. */
final class PythonCalls {
    /** Calls that affect the result. */
    private static final Pattern DECIDING = Pattern.compile("gradient_checkpointing_enable|_?apply_liger_kernel\\w*|"
            + "LoraConfig|BitsAndBytesConfig|get_peft_model|\\w*TrainingArguments|SFTConfig|PyTorch|HuggingFace");

    private static final Pattern ATTACHES = Pattern.compile("get_peft_model|add_adapter");

    private static final Pattern LIGER = Pattern.compile("_?apply_liger_kernel\\w*|AutoLigerKernel\\w*");

    private static final Pattern ARGUMENTS = Pattern.compile("\\w*TrainingArguments|SFTConfig");

    private final PythonScript.Outcome script;
    private final Problems problems;
    private final Map<String, String> aliases;
    /** Trainer arguments from other calls. */
    private final List<Entry> aside = new ArrayList<>();

    private final List<Mapping> found = new ArrayList<>();
    private final List<Entry> models = new ArrayList<>();
    /** Arguments of the first Trainer. */
    private @Nullable Mapping first;
    /** The model passed to a Trainer. */
    private @Nullable Entry trained;

    private PythonCalls(PythonScript.Outcome script, Problems problems) {
        this.script = script;
        this.problems = problems;
        this.aliases = aliases(script.all());
    }

    /** Configurations in a script, one mapping of each kind; if no known call is made, the names that it assigns. */
    static List<Mapping> in(PythonScript.Outcome script, Problems problems) {
        PythonCalls calls = new PythonCalls(script, problems);
        script.calls().forEach(call -> calls.take(call.getKey(), call.getValue()));
        calls.takeFlag(Pattern.compile("gradient_checkpointing_enable"), "gradient_checkpointing");
        calls.takeFlag(LIGER, "use_liger_kernel");
        calls.takeEnvironment();
        calls.takeModel();
        List<Mapping> names = calls.found.isEmpty() ? calls.names() : List.of();
        if (!names.isEmpty()) {
            return names;
        }
        calls.refuse();
        calls.refuseUndecided();
        return calls.found.stream()
                .map(block -> isOf(TrainerSettings.class, block)
                        ? new Mapping(block.position(), joined(block.entries(), calls.aside))
                        : block)
                .toList();
    }

    private static boolean isOf(Class<? extends Importer> kind, Mapping block) {
        return kind.isInstance(Importers.recognize(block, false));
    }

    private String named(String word) {
        return aliases.getOrDefault(word, word);
    }

    private void take(String function, Mapping arguments) {
        String name = named(function.substring(function.lastIndexOf('.') + 1));
        Importer kind = isDefined(name) ? null : Importers.recognize(arguments, false);
        Entry loaded = arguments.entry(PythonExpression.MODEL);
        boolean loads = function.contains("Model") || function.contains("ForCausalLM");
        if (loaded != null && loads) {
            takeLoaded(function, loaded, arguments.entry("attn_implementation"));
        } else if (name.equals("BitsAndBytesConfig")) {
            aside.addAll(arguments.entries());
        } else if (name.endsWith("Trainer")) {
            trained = loaded != null ? loaded : arguments.entry("model");
            Set<String> known = Importers.underscoredNames();
            arguments.entries().stream()
                    .filter(entry -> entry.value() instanceof Scalar && known.contains(entry.key()))
                    .forEach(aside::add);
        } else if (name.equals("set_hyperparameters")) {
            takeHyperparameters(arguments);
        } else if (kind == null && name.matches("PyTorch|HuggingFace") && arguments.entry("instance_type") != null) {
            Position place = arguments.position();
            Entry none = new Entry("distribution", place, new Mapping(place, List.of()));
            found.add(new Mapping(place, joined(arguments.entries(), List.of(none))));
        } else if (name.equals("LoraConfig")) {
            takeAdapters(arguments);
        } else if (kind instanceof HuggingFaceModel && name.endsWith("Config")) {
            String type = name.substring(0, name.length() - "Config".length()).toLowerCase(Locale.ROOT);
            Position place = arguments.position();
            Entry typed = new Entry("model_type", place, new Scalar(place, type, false));
            found.add(new Mapping(place, joined(arguments.entries(), List.of(typed))));
        } else if (LIGER.matcher(name).matches()) {
            aside.add(new Entry("liger_kernel_config", arguments.position(), arguments));
        } else if (kind != null && (!ARGUMENTS.matcher(name).matches() || isFirst(name, arguments))) {
            found.add(arguments);
        }
    }

    /** Whether these are the only Trainer arguments; adds a problem if there are others. */
    private boolean isFirst(String name, Mapping arguments) {
        Position place = arguments.position();
        if (first != null && !first.position().equals(place)) {
            problems.add(
                    place,
                    name + " is called in line " + first.position().line() + " and in line " + place.line()
                            + "; only one training run is simulated. Remove one of the calls");
        }
        boolean only = first == null;
        first = only ? arguments : first;
        return only;
    }

    /** Whether the script itself defines a function or class with this name. */
    private boolean isDefined(String name) {
        return IntStream.range(1, script.all().size())
                .filter(i -> script.all().get(i).is(name))
                .mapToObj(i -> script.all().get(i - 1))
                .anyMatch(before -> before.is("def") || before.is("class"));
    }

    private void takeLoaded(String function, Entry loaded, @Nullable Entry attention) {
        aside.addAll(attention == null ? List.of() : List.of(attention));
        Position place = loaded.keyPosition();
        models.add(
                loaded.value() instanceof Scalar name && !name.isNull()
                        ? loaded
                        : new Entry(
                                PythonExpression.MODEL, place, script.origins().unknown(place, function + "()")));
    }

    /** Merges an estimator's set_hyperparameters call into its hyperparameters, which it overrides. */
    private void takeHyperparameters(Mapping arguments) {
        List<Mapping> estimators = found.stream()
                .filter(block -> isOf(SageMakerDistribution.class, block))
                .toList();
        if (estimators.size() != 1) {
            problems.add(
                    arguments.position(),
                    "set_hyperparameters is called for one of " + estimators.size()
                            + " estimators; write its names as hyperparameters into the estimator's call");
            return;
        }
        Mapping estimator = estimators.get(0);
        Entry before = estimator.entry("hyperparameters");
        List<Entry> all = joined(
                arguments.entries(),
                before != null && before.value() instanceof Mapping block ? block.entries() : List.of());
        Entry entry = new Entry("hyperparameters", arguments.position(), new Mapping(arguments.position(), all));
        found.set(
                found.indexOf(estimator),
                new Mapping(estimator.position(), joined(List.of(entry), estimator.entries())));
    }

    /** Translates PEFT's LoraConfig to TRL's command-line arguments. */
    private void takeAdapters(Mapping arguments) {
        aside.add(new Entry("use_peft", arguments.position(), new Scalar(arguments.position(), "true", true)));
        for (Entry entry : arguments.entries()) {
            boolean off = entry.value() instanceof Scalar value && value.text().matches("null|false");
            if (!off && entry.key().matches("use_dora|modules_to_save|rank_pattern")) {
                problems.add(
                        entry.keyPosition(),
                        entry.key() + " trains more than LoRA adapters of one rank, which is not simulated; remove it");
            }
            String key = entry.key().matches("(lora|use)_.*") ? entry.key() : "lora_" + entry.key();
            aside.add(new Entry(key, entry.keyPosition(), entry.value()));
        }
    }

    /** Sets a flag if a function is called. */
    private void takeFlag(Pattern call, String key) {
        for (int i = 1; i + 1 < script.all().size(); i++) {
            Token token = script.all().get(i);
            if (call.matcher(named(token.text())).matches() && isCalled(i)) {
                aside.add(new Entry(key, token.at(), new Scalar(token.at(), "true", true)));
            }
        }
    }

    /** Environment variables set to a string, such as {@code os.environ["NCCL_DEBUG"] = "INFO"}. */
    private void takeEnvironment() {
        List<Token> tokens = script.all();
        List<Entry> variables = new ArrayList<>();
        for (int i = 0; i + 5 < tokens.size(); i++) {
            Token name = tokens.get(i + 2);
            Token value = tokens.get(i + 5);
            if (tokens.get(i).is("environ")
                    && tokens.get(i + 4).is("=")
                    && ArgumentReader.VARIABLE.matcher(name.text()).matches()) {
                variables.add(new Entry(name.text(), name.at(), new Scalar(value.at(), value.text(), true)));
            }
        }
        if (!variables.isEmpty()) {
            Position place = variables.get(0).keyPosition();
            aside.add(new Entry("env", place, new Mapping(place, joined(List.of(), variables))));
        }
    }

    /** Whether this token is a call, or a method of it is called. */
    private boolean isCalled(int at) {
        Token after = script.all().get(at + 1);
        Token before = script.all().get(at - 1);
        return script.all().get(at).kind() == Kind.NAME
                && (after.is("(") || after.is("."))
                && !before.is("def")
                && !before.is("class");
    }

    /** The model that is loaded, or passed to a Trainer by name. */
    private void takeModel() {
        boolean described = found.stream().anyMatch(block -> isOf(HuggingFaceModel.class, block));
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
                        "loads a second model; only one model is simulated. Remove the other call");
            }
        }
    }

    /** Names that a script without known calls assigns, if they form a configuration. */
    private List<Mapping> names() {
        Set<String> known = Importers.ALL.stream()
                .flatMap(importer -> Importers.table(importer).names("").stream())
                .collect(Collectors.toSet());
        List<Entry> named = script.set().entrySet().stream()
                .filter(each -> known.contains(each.getKey()) || each.getKey().equals("distribution"))
                .map(each -> new Entry(each.getKey(), each.getValue().position(), each.getValue()))
                .toList();
        Mapping names = named.isEmpty() ? null : new Mapping(named.get(0).keyPosition(), named);
        return names == null || Importers.recognize(names, false) == null ? List.of() : List.of(names);
    }

    private void refuseUndecided() {
        script.undecided().stream()
                .filter(call -> DECIDING.matcher(named(call.text())).matches())
                .forEach(call -> problems.add(
                        call.at(),
                        call.text()
                                + " is called in a loop, or under a condition that the file does not determine; "
                                + "move the call out of it, or remove it"));
    }

    /** Import aliases. */
    private static Map<String, String> aliases(List<Token> tokens) {
        Map<String, String> aliases = new HashMap<>();
        for (int i = 1; i + 1 < tokens.size(); i++) {
            if (tokens.get(i).is("as")) {
                aliases.put(tokens.get(i + 1).text(), tokens.get(i - 1).text());
            }
        }
        return aliases;
    }

    /** Rejects statements and calls that affect the result but are not read. */
    private void refuse() {
        List<Token> tokens = script.all();
        boolean attached = IntStream.range(1, tokens.size() - 1)
                        .anyMatch(i ->
                                ATTACHES.matcher(named(tokens.get(i).text())).matches() && isCalled(i))
                || script.calls().stream()
                        .map(call -> call.getValue().entry("peft_config"))
                        .anyMatch(entry -> entry != null && !(entry.value() instanceof Scalar none && none.isNull()));
        for (int i = 1; i + 3 < tokens.size(); i++) {
            Token token = tokens.get(i);
            String why = why(tokens, i, named(token.text()), attached);
            boolean late = token.is(".")
                    && tokens.get(i + 2).is("=")
                    && script.set().get(tokens.get(i - 1).text()) instanceof Mapping made
                    && !script.origins().isParsed(made);
            if (late) {
                problems.add(
                        token.at(),
                        tokens.get(i - 1).text() + "." + tokens.get(i + 1).text()
                                + " is set after the call that creates it; move it into the call");
            } else if (!why.isEmpty()) {
                problems.add(token.at(), token.text() + " " + why);
            }
        }
        found.forEach(this::refuseOpen);
    }

    private void refuseOpen(Mapping block) {
        for (Entry entry : block.entries()) {
            if (entry.key().startsWith("**")) {
                problems.add(entry.keyPosition(), entry.key() + " cannot be determined from the file; write its value");
            } else if (entry.value() instanceof Mapping inside) {
                refuseOpen(inside);
            }
        }
    }

    /** Why a token makes the script unreadable; empty if it does not. */
    private static String why(List<Token> tokens, int at, String name, boolean attached) {
        Token token = tokens.get(at);
        Token before = tokens.get(at - 1);
        boolean named = token.kind() == Kind.NAME;
        boolean called = named && tokens.get(at + 1).is("(") && !before.is("def") && !before.is("class");
        String why = called ? Known.whyNotRead(name) : null;
        if (why != null) {
            return why;
        }
        if (called && name.equals("LoraConfig") && !attached) {
            return "is never used; remove the call, or pass it as peft_config";
        }
        if (named && token.text().matches("requires_grad_?")) {
            return "freezes part of the weights, which is not supported; remove it";
        }
        if (named
                && before.is("class")
                && ARGUMENTS.matcher(tokens.get(at + 2).text()).matches()) {
            return "is an arguments class with its own defaults, which are not read; pass the arguments as JSON, "
                    + "YAML or a shell script";
        }
        return named
                        && token.is("optimizers")
                        && tokens.get(at + 1).is("=")
                        && !tokens.get(at + 2).is("None")
                ? "passes its own optimizer, which is not read; set optim instead"
                : "";
    }

    /** The entries of both lists; of repeated keys, the first. */
    private static List<Entry> joined(List<Entry> first, List<Entry> second) {
        List<Entry> all = new ArrayList<>();
        Stream.concat(first.stream(), second.stream())
                .filter(entry -> all.stream().noneMatch(each -> each.key().equals(entry.key())))
                .forEach(all::add);
        return all;
    }
}

package io.shardsim.simulator.strategy.settings;

import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.ModelParallel.Choice;
import io.shardsim.simulator.job.ModelParallel.Dispatcher;
import io.shardsim.simulator.job.ModelParallel.Pipeline;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.workload.AttentionKind;
import io.shardsim.simulator.workload.Checkpointing;
import io.shardsim.topology.units.QuantityException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Settings of a strategy: declared by its descriptor, overridden by the scenario.
 *
 * <p>A file of a strategy declares each under {@code parameters}, for example
 *
 * <pre>
 * reduce_bucket_size:
 *   value: 500000000 elements
 *   meaning: Number of gradients that are reduced together.
 *   source: deepspeed/runtime/zero/config.py, v0.7.2
 * </pre>
 *
 * <p>The default determines the {@linkplain ParameterForm form}. A scenario may leave out {@code elements}, {@code ranks}, {@code layers} and
 * {@code stages}.
 */
public final class StrategyParameters {
    private static final String DISPATCHER = "expert_dispatcher";
    private static final String CHECKPOINTS_ONLY = "offloads_checkpoints_only";

    /** Settings that are bucket or block sizes. */
    private static final Set<String> PARTS = Set.of("allgather_bucket_size", "quantization_block");

    private final Map<String, String> defaults = new LinkedHashMap<>();
    private final Map<String, Object> values = new LinkedHashMap<>();
    private final List<Refusal> problems = new ArrayList<>();

    /**
     * Creates the settings; invalid ones are reported by {@link #problems}.
     *
     * @param declared settings declared by the file of the strategy
     * @param given settings of the scenario, as written: strings, numbers, true or false
     */
    public StrategyParameters(List<Setting> declared, Map<String, ?> given) {
        for (Setting setting : declared) {
            defaults.put(setting.name(), setting.written());
            values.put(setting.name(), ParameterForm.of(setting.written()).parse(setting.written()));
        }
        given.forEach((name, value) -> set(name, String.valueOf(value)));
    }

    private void set(String name, String written) {
        String byDefault = defaults.get(name);
        if (byDefault == null) {
            problems.add(
                    Refusal.of("unknown parameter " + name + "; " + Nearest.remedy(name, defaults.keySet()), name));
            return;
        }
        try {
            values.put(name, ParameterForm.of(byDefault).parse(written));
        } catch (QuantityException | ArithmeticException | NumberFormatException e) {
            problems.add(Refusal.of(name + " " + written + " has the wrong form; the default is " + byDefault, name));
        }
    }

    /** Returns what is wrong with the settings for this job, by rules common to all strategies; one sentence each. */
    public List<Refusal> problems(TrainingJob job) {
        List<Refusal> all = new ArrayList<>(problems);
        for (String name : names()) {
            if (values.get(name) instanceof Long count && count == 0 && isAtLeastOne(name)) {
                all.add(Refusal.of(name + " 0 < 1; write 1 or more", name));
            }
        }
        if (dispatcher().isEmpty()) {
            all.add(Refusal.of(
                    DISPATCHER + " " + name(DISPATCHER) + " is not known; there are "
                            + Stream.of(Dispatcher.values()).map(Dispatcher::id).collect(Collectors.joining(", ")),
                    DISPATCHER));
        }
        if (job.kept().offload() && job.checkpointing() == Checkpointing.NONE && flagOr(CHECKPOINTS_ONLY, false)) {
            all.add(Refusal.of(
                    "activation_offload true with activation_checkpointing none: this library offloads "
                            + "checkpoints only; set activation_checkpointing: full, or remove "
                            + "activation_offload",
                    "activation_offload",
                    "activation_checkpointing"));
        }
        if (job.kept().offload()
                && job.kept().checkpointedLayers() < job.model().layers()) {
            all.add(Refusal.of(
                    "activation_offload true with checkpointed_layers "
                            + job.kept().checkpointedLayers() + " of "
                            + job.model().layers()
                            + ": layers without checkpoints would keep activations on the GPU, which is not "
                            + "modelled; remove one of them",
                    "activation_offload",
                    "checkpointed_layers"));
        }
        if (job.checkpointing() == Checkpointing.OPERATOR && job.execution().attention() != AttentionKind.FLASH) {
            all.add(Refusal.of(
                    "activation_checkpointing operator keeps the output of flash attention, and attention is "
                            + "standard; write attention: flash, or activation_checkpointing: full",
                    "activation_checkpointing",
                    "attention"));
        }
        return all;
    }

    /**
     * Returns whether a setting must be at least 1: ranks, layers and stages with a default of 1 or more, and bucket or block sizes; a default of 0
     * has a special meaning.
     */
    private boolean isAtLeastOne(String name) {
        if (PARTS.contains(name)) {
            return true;
        }
        ParameterForm form = ParameterForm.of(defaultOf(name));
        boolean counted = form == ParameterForm.RANKS || form == ParameterForm.LAYERS || form == ParameterForm.STAGES;
        return counted && !isZeroByDefault(name);
    }

    /** Returns whether the default of a setting is 0, which has a special meaning. */
    public boolean isZeroByDefault(String name) {
        return Long.valueOf(0).equals(ParameterForm.of(defaultOf(name)).parse(defaultOf(name)));
    }

    /** Returns the names of all declared settings, in the descriptor's order. */
    public Set<String> names() {
        return defaults.keySet();
    }

    /** Returns whether a setting is declared and differs from its default. */
    public boolean isChanged(String name) {
        return names().contains(name)
                && !value(name).equals(ParameterForm.of(defaultOf(name)).parse(defaultOf(name)));
    }

    /** Returns the default of a setting, as written in the descriptor. */
    public String defaultOf(String name) {
        value(name);
        return defaults.getOrDefault(name, "");
    }

    /** Returns a setting in elements, ranks, layers, stages, bytes, picoseconds or bytes/s. */
    public long whole(String name) {
        return (Long) value(name);
    }

    /** Returns a setting in ranks, layers or stages. */
    public int count(String name) {
        return Math.toIntExact(whole(name));
    }

    /** Returns a percentage as a fraction. */
    public double fraction(String name) {
        return (Double) value(name);
    }

    /** Returns a flag. */
    public boolean flag(String name) {
        return (Boolean) value(name);
    }

    /** Returns a flag, or the given value if the strategy does not declare it. */
    public boolean flagOr(String name, boolean undeclared) {
        return names().contains(name) ? flag(name) : undeclared;
    }

    /** Returns a name, for example of an algorithm. */
    public String name(String name) {
        return (String) value(name);
    }

    /** Returns the model parallelism; undeclared settings default to none. */
    public ModelParallel modelParallel() {
        Set<Choice> choices = EnumSet.noneOf(Choice.class);
        for (Choice choice : Choice.values()) {
            if (flagOr(choice.key(), choice.undeclared())) {
                choices.add(choice);
            }
        }
        Pipeline pipeline = names().contains("pipeline_parallel")
                ? new Pipeline(
                        parts("pipeline_parallel"), name("pipeline_schedule"), parts("model_chunks"), name("partition"))
                : Pipeline.NONE;
        return new ModelParallel(
                parts("tensor_parallel"),
                parts("context_parallel"),
                Math.multiplyExact(parts("expert_parallel"), parts("expert_tensor_parallel")),
                parts("expert_tensor_parallel"),
                pipeline,
                dispatcher().orElse(Dispatcher.ALLTOALL),
                choices);
    }

    /** Returns the dispatcher; empty if its name is unknown. */
    private Optional<Dispatcher> dispatcher() {
        String id = names().contains(DISPATCHER) ? name(DISPATCHER) : Dispatcher.ALLTOALL.id();
        return Stream.of(Dispatcher.values())
                .filter(each -> each.id().equals(id))
                .findFirst();
    }

    private int parts(String name) {
        return names().contains(name) ? Math.max(1, count(name)) : 1;
    }

    private Object value(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw new IllegalStateException(
                    "the strategy asks for parameter " + name + "; declare it in its file, under parameters");
        }
        return value;
    }
}

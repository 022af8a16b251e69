package io.shardsim.simulator.strategy.settings;

import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.job.ModelParallel;
import io.shardsim.simulator.job.ModelParallel.Choice;
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
import java.util.Set;

/**
 * Settings of a strategy: what its descriptor declares, overridden by what the scenario says.
 *
 * <p>A file of a strategy declares each under {@code parameters}, for example
 *
 * <pre>
 * reduce_bucket_size:
 *   value: 500000000 elements
 *   meaning: Gradients that are reduced together.
 *   source: deepspeed/runtime/zero/config.py, v0.7.2
 * </pre>
 *
 * <p>The default tells the {@linkplain ParameterForm form}. A scenario may leave out {@code elements}, {@code ranks}, {@code layers} and
 * {@code stages}.
 */
public final class StrategyParameters {
    private static final String CHECKPOINTS_ONLY = "offloads_checkpoints_only";

    /** Sizes of the parts into which something is cut. */
    private static final Set<String> PARTS = Set.of("allgather_bucket_size", "quantization_block");

    private final Map<String, String> defaults = new LinkedHashMap<>();
    private final Map<String, Object> values = new LinkedHashMap<>();
    private final List<Refusal> problems = new ArrayList<>();

    /**
     * Checks and keeps the settings; what is wrong with them is told by {@link #problems}.
     *
     * @param declared by the file of the strategy
     * @param given what the scenario sets, as written: texts, numbers, true or false
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

    /** What is wrong with the settings for this job, by rules that all strategies share; one sentence each. */
    public List<Refusal> problems(TrainingJob job) {
        List<Refusal> all = new ArrayList<>(problems);
        for (String name : names()) {
            if (values.get(name) instanceof Long count && count == 0 && isAtLeastOne(name)) {
                all.add(Refusal.of(name + " 0 < 1; write 1 or more", name));
            }
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

    /** Ranks, layers and stages whose default is one or more, and sizes of parts; a default of 0 has a meaning of its own. */
    private boolean isAtLeastOne(String name) {
        if (PARTS.contains(name)) {
            return true;
        }
        ParameterForm form = ParameterForm.of(defaultOf(name));
        boolean counted = form == ParameterForm.RANKS || form == ParameterForm.LAYERS || form == ParameterForm.STAGES;
        return counted && !isZeroByDefault(name);
    }

    /** Whether the default of a setting is 0, which has a meaning of its own. */
    public boolean isZeroByDefault(String name) {
        return Long.valueOf(0).equals(ParameterForm.of(defaultOf(name)).parse(defaultOf(name)));
    }

    /** Names of all declared settings, in the descriptor's order. */
    public Set<String> names() {
        return defaults.keySet();
    }

    /** Whether a setting is declared, and is not what it is by default. */
    public boolean isChanged(String name) {
        return names().contains(name)
                && !value(name).equals(ParameterForm.of(defaultOf(name)).parse(defaultOf(name)));
    }

    /** The default of a setting, as the descriptor writes it. */
    public String defaultOf(String name) {
        value(name);
        return defaults.getOrDefault(name, "");
    }

    /** A setting in elements, ranks, layers, stages, bytes, picoseconds or bytes a second. */
    public long whole(String name) {
        return (Long) value(name);
    }

    /** A setting in ranks, layers or stages. */
    public int count(String name) {
        return Math.toIntExact(whole(name));
    }

    /** A percentage, as a fraction. */
    public double fraction(String name) {
        return (Double) value(name);
    }

    /** A switch. */
    public boolean flag(String name) {
        return (Boolean) value(name);
    }

    /** A switch, or what goes for a strategy that does not declare it. */
    public boolean flagOr(String name, boolean undeclared) {
        return names().contains(name) ? flag(name) : undeclared;
    }

    /** A name, for example of an algorithm. */
    public String name(String name) {
        return (String) value(name);
    }

    /** How the model is split among ranks; what is not declared is as without model parallelism. */
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
                parts("tensor_parallel"), parts("context_parallel"), parts("expert_parallel"), pipeline, choices);
    }

    private int parts(String name) {
        return names().contains(name) ? Math.max(1, count(name)) : 1;
    }

    private Object value(String name) {
        Object value = values.get(name);
        if (value == null) {
            throw new IllegalStateException(
                    "parameter " + name + " is not declared; declared are " + defaults.keySet());
        }
        return value;
    }
}

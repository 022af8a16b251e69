package io.shardsim.simulator.strategy;

import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.workload.Block;
import io.shardsim.simulator.workload.Linear;
import io.shardsim.simulator.workload.Linear.Adapter;
import io.shardsim.simulator.workload.Linear.Product;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.workload.Operator;
import io.shardsim.simulator.workload.ParameterTensor;
import io.shardsim.simulator.workload.Transformer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Modules of a transformer in the order of one forward and backward, with the parameter tensors that each needs: the trace that DeepSpeed records in
 * the first step and replays in all others [1].
 *
 * <p>A visit is one run of a module's hooks. Modules with parameters alternate with others without (an activation, a dropout, a rotary embedding, a
 * container), as in GPT-2 and Llama of Hugging Face [2]: their hooks prefetch too, and take as long.
 *
 * <p>[1] deepspeed/runtime/zero/partitioned_param_coordinator.py, v0.7.2, record_module. [2] transformers 4.34, models/gpt2/modeling_gpt2.py,
 * models/llama/modeling_llama.py.
 *
 * <p>A matrix with a LoRA adapter adds a dropout, the adapter's two matrices and the wrapping module (huggingface/peft v0.10, tuners/lora/layer.py).
 */
final class ModuleTrace {
    /** Modules whose compute is one operation: the embedding, a layer or the head, in one direction. */
    enum Phase {
        EMBEDDING_FORWARD,
        LAYER_FORWARD,
        HEAD_FORWARD,
        HEAD_BACKWARD,
        LAYER_BACKWARD,
        EMBEDDING_BACKWARD
    }

    /**
     * One run of a module's hooks.
     *
     * @param tensors indices of the module's parameter tensors
     * @param hooks hooks that run
     */
    record Visit(int[] tensors, Hooks hooks) {
        boolean backward() {
            return hooks != Hooks.FORWARD;
        }

        /** Returns whether the gradients of the tensors are ready after it. */
        boolean computesGradients() {
            return hooks == Hooks.GRADIENTS;
        }
    }

    /** Hooks of a module; a recomputation runs the forward hooks. */
    enum Hooks {
        FORWARD,
        /** Backward hooks of a module without gradients of its own. */
        BACKWARD,
        /** Backward hooks that compute the gradients of the module's tensors. */
        GRADIENTS
    }

    /**
     * Visits whose compute is one operation.
     *
     * @param layer index of the layer; 0 for embedding and head
     * @param firstVisit index of its first visit
     * @param endVisit index after its last visit
     */
    record Segment(Phase phase, int layer, int firstVisit, int endVisit) {}

    private static final int[] NOTHING = {};

    /**
     * Module with parameters.
     *
     * @param tensors indices of its parameter tensors
     * @param followed whether a module without parameters runs next
     */
    private record Owner(int[] tensors, boolean followed) {}

    private final Set<String> straight;
    private final List<ParameterTensor> tensors = new ArrayList<>();
    private final BitSet layerStarts = new BitSet();
    private final List<Visit> visits = new ArrayList<>();
    private final List<Segment> segments = new ArrayList<>();

    private ModuleTrace(Transformer operators) {
        straight = straight(operators);
    }

    /** Returns the modules that are directly followed by another with parameters; blocks and layers are modules themselves. */
    private static Set<String> straight(Transformer operators) {
        Set<String> names = new HashSet<>();
        for (Block block : operators.kinds().stream()
                .flatMap(kind -> kind.blocks().stream())
                .toList()) {
            List<Operator> list = block.operators();
            for (int i = 0; i + 1 < list.size(); i++) {
                if (list.get(i) instanceof Linear linear) {
                    addStraight(linear, list.get(i + 1), names);
                }
            }
        }
        operators.kinds().forEach(kind -> names.remove(kind.lastProduct().name()));
        return names;
    }

    private static void addStraight(Linear linear, Operator next, Set<String> names) {
        List<Product> products = linear.products();
        for (int i = 0; i < products.size(); i++) {
            Optional<Adapter> adapter = linear.adapter(products.get(i));
            adapter.ifPresent(beside -> names.add(beside.down().name()));
            if (adapter.isEmpty() && !next.runsAfter(i, products.size())) {
                names.add(products.get(i).name());
            }
        }
    }

    /** Creates the trace of one micro-batch. */
    static ModuleTrace of(TrainingJob job) {
        ModelShape model = job.model();
        ModuleTrace trace = new ModuleTrace(model.operators());
        List<Owner> embedding = trace.modules(job.embeddingTensors());
        List<List<Owner>> layers = new ArrayList<>();
        for (int layer = 0; layer < model.layers(); layer++) {
            trace.layerStarts.set(trace.tensors.size());
            layers.add(trace.modules(job.layerTensors(layer)));
        }
        List<Owner> head = trace.modules(job.outputTensors());
        int[] tied = {0};
        trace.forward(Phase.EMBEDDING_FORWARD, 0, embedding);
        for (int layer = 0; layer < model.layers(); layer++) {
            trace.forward(Phase.LAYER_FORWARD, layer, layers.get(layer));
        }
        trace.forward(Phase.HEAD_FORWARD, 0, head);
        if (model.tiedEmbeddings()) {
            trace.extend(new Visit(tied, Hooks.FORWARD));
        }
        int start = trace.visits.size();
        if (model.tiedEmbeddings()) {
            trace.visits.add(new Visit(tied, Hooks.BACKWARD));
        }
        trace.backward(Phase.HEAD_BACKWARD, 0, head, start);
        for (int layer = model.layers() - 1; layer >= 0; layer--) {
            start = trace.visits.size();
            if (job.checkpointing(layer).startsFromInput()) {
                trace.visit(layers.get(layer));
            }
            trace.backward(Phase.LAYER_BACKWARD, layer, layers.get(layer), start);
        }
        trace.backward(Phase.EMBEDDING_BACKWARD, 0, embedding, trace.visits.size());
        return trace;
    }

    /** Groups tensors by their module: the part of the name before the last dot. */
    private List<Owner> modules(List<ParameterTensor> ofSection) {
        List<Owner> modules = new ArrayList<>();
        String current = "";
        List<Integer> numbers = new ArrayList<>();
        for (ParameterTensor tensor : ofSection) {
            String owner = owner(tensor.name());
            if (!owner.equals(current) && !numbers.isEmpty()) {
                modules.add(module(current, numbers));
                numbers.clear();
            }
            current = owner;
            numbers.add(tensors.size());
            tensors.add(tensor);
        }
        modules.add(module(current, numbers));
        return modules;
    }

    private static String owner(String name) {
        return name.endsWith(".weight") || name.endsWith(".bias") ? name.substring(0, name.lastIndexOf('.')) : name;
    }

    private Owner module(String name, List<Integer> numbers) {
        int[] owned = numbers.stream().mapToInt(Integer::intValue).toArray();
        return new Owner(owned, !straight.contains(name));
    }

    private void visit(List<Owner> modules) {
        for (Owner module : modules) {
            visits.add(new Visit(module.tensors(), Hooks.FORWARD));
            if (module.followed()) {
                visits.add(new Visit(NOTHING, Hooks.FORWARD));
            }
        }
    }

    private void forward(Phase phase, int layer, List<Owner> modules) {
        int start = visits.size();
        visit(modules);
        segments.add(new Segment(phase, layer, start, visits.size()));
    }

    /** Adds one visit to the last segment. */
    private void extend(Visit visit) {
        visits.add(visit);
        Segment last = segments.remove(segments.size() - 1);
        segments.add(new Segment(last.phase(), last.layer(), last.firstVisit(), visits.size()));
    }

    private void backward(Phase phase, int layer, List<Owner> modules, int start) {
        for (int i = modules.size() - 1; i >= 0; i--) {
            if (modules.get(i).followed()) {
                visits.add(new Visit(NOTHING, Hooks.BACKWARD));
            }
            visits.add(new Visit(modules.get(i).tensors(), Hooks.GRADIENTS));
        }
        segments.add(new Segment(phase, layer, start, visits.size()));
    }

    /** Returns the number of parameter tensors. */
    int tensors() {
        return tensors.size();
    }

    /** Returns the elements of a tensor. */
    long elements(int tensor) {
        return tensors.get(tensor).elements();
    }

    boolean isTrained(int tensor) {
        return tensors.get(tensor).isTrained();
    }

    /** Returns the bytes of a tensor, given the bytes of a trained element. */
    long bytes(int tensor, int elementBytes) {
        return tensors.get(tensor).bytes(elementBytes);
    }

    /** Returns whether a tensor is the first of its layer. */
    boolean startsLayer(int tensor) {
        return layerStarts.get(tensor);
    }

    List<Visit> visits() {
        return visits;
    }

    List<Segment> segments() {
        return segments;
    }
}

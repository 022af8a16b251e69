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
 * The modules of a transformer in the order in which one forward and backward visit them, with the parameter tensors that
 * each needs: what DeepSpeed records in the first step and replays in all others [1].
 *
 * <p>A visit is one run of a module's hooks. Between modules that hold parameters stand others that hold none (an activation, a dropout, a rotary
 * position, a container), as in the GPT-2 and Llama of Hugging Face [2]: their hooks prefetch too, and take as long.
 *
 * <p>[1] deepspeed/runtime/zero/partitioned_param_coordinator.py, v0.7.2, record_module. [2] transformers 4.34, models/gpt2/modeling_gpt2.py,
 * models/llama/modeling_llama.py.
 *
 * <p>Beside a matrix with an adapter run a dropout, the adapter's two matrices and the module around them (huggingface/peft v0.10, tuners/lora/layer.py).
 */
final class ModuleTrace {
    /** Modules whose compute is planned as one: the embedding, a layer or the head, in one direction. */
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
     * @param tensors parameter tensors that the module owns, by number
     * @param hooks which of its hooks
     */
    record Visit(int[] tensors, Hooks hooks) {
        boolean backward() {
            return hooks != Hooks.FORWARD;
        }

        /** Whether the gradients of the tensors are ready after it. */
        boolean computesGradients() {
            return hooks == Hooks.GRADIENTS;
        }
    }

    /** Hooks of a module; a recomputation runs those of the forward pass. */
    enum Hooks {
        FORWARD,
        /** Of the backward pass, without gradients of its own. */
        BACKWARD,
        /** Of the backward pass, which compute the gradients of its tensors. */
        GRADIENTS
    }

    /**
     * Visits whose compute is planned as one.
     *
     * @param layer number of the layer; 0 for embedding and head
     * @param firstVisit index of its first visit
     * @param endVisit index after its last visit
     */
    record Segment(Phase phase, int layer, int firstVisit, int endVisit) {}

    private static final int[] NOTHING = {};

    /**
     * A module that holds parameters.
     *
     * @param tensors their numbers
     * @param followed whether a module that holds none runs next
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

    /** Modules after which the next one that runs holds parameters, too; blocks and layers are modules themselves. */
    private static Set<String> straight(Transformer operators) {
        Set<String> names = new HashSet<>();
        for (Block block : operators.kinds().stream()
                .flatMap(kind -> kind.blocks().stream())
                .toList()) {
            List<Operator> list = block.operators();
            for (int i = 0; i < list.size(); i++) {
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

    /** The trace of one micro-batch. */
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

    /** Groups tensors by the module that owns them: what stands before the last dot of the name. */
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

    /** Adds one more visit to the last segment. */
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

    /** Number of parameter tensors. */
    int tensors() {
        return tensors.size();
    }

    /** Elements of a tensor. */
    long elements(int tensor) {
        return tensors.get(tensor).elements();
    }

    boolean isTrained(int tensor) {
        return tensors.get(tensor).isTrained();
    }

    /** Bytes of a tensor where a trained element has so many. */
    long bytes(int tensor, int elementBytes) {
        return tensors.get(tensor).bytes(elementBytes);
    }

    /** True for the first tensor of each layer. */
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

package io.shardsim.simulator.workload;

import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.schema.Key;
import io.shardsim.simulator.schema.ListType;
import io.shardsim.simulator.schema.MapType;
import io.shardsim.simulator.schema.ScalarTypes;
import io.shardsim.simulator.schema.ShippedFile;
import io.shardsim.simulator.schema.ValueType;
import java.util.List;
import java.util.Map;

/** Modules of a layer that selective recomputation recomputes; {@code recomputed-modules.yaml} lists each module's operators. */
public record Recomputed(List<String> modules) {
    /** Default of Megatron-LM: the attention core (arXiv:2205.05198, section 5). */
    public static final Recomputed CORE_ATTENTION = new Recomputed(List.of());

    /** Name of the part of attention that creates queries and keys from projections; the rest has the operator's own name. */
    public static final String HEADS = "Heads";

    private static final ValueType NAME = ScalarTypes.text(".*", "a name");
    private static final ValueType NAMES = new ListType(NAME, "operator");
    private static final Map<String, Block> TABLE = ShippedFile.read(
            Recomputed.class,
            "recomputed-modules.yaml",
            new MapType(
                    NAME,
                    BlockType.of(Key.required("again", NAMES, "run again"), Key.optional("drops", NAMES, "input"))));

    /** Creates a selection; an empty list means the attention core. */
    public Recomputed {
        modules = modules.isEmpty() ? List.of("core_attn") : List.copyOf(modules);
    }

    /** Returns the names of all modules. */
    public static List<String> names() {
        return List.copyOf(TABLE.keySet());
    }

    /** Returns whether an operator of that name runs again. */
    public boolean runs(String operator) {
        return lists("again", operator);
    }

    /** Returns whether the input of an operator of that name is recomputed instead of saved. */
    public boolean drops(String operator) {
        return lists("drops", operator);
    }

    /** Returns the names of the modules that a model has. */
    public static List<String> of(Transformer model) {
        return names().stream()
                .filter(module -> model.kinds().stream()
                        .flatMap(kind -> kind.operators().stream())
                        .anyMatch(operator -> new Recomputed(List.of(module)).runs(operator.name())))
                .toList();
    }

    private boolean lists(String column, String operator) {
        return TABLE.entrySet().stream()
                .anyMatch(row -> modules.contains(row.getKey())
                        && row.getValue().list(column).contains(operator));
    }
}

package io.shardsim.scenarios.accuracy;

import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What a stranger writes who knows a run but not the code that ran: model, cluster, batch, precision, what is checkpointed, how the model is split and
 * sharded, and the names of framework and release. Which attention, kernels, formats of reductions, buckets and overlaps then run, follows from these
 * names.
 */
final class SoftwareSettings {
    /** Keys of the training that code decides. */
    private static final Set<String> TRAINING = Set.of("attention", "dropout", "kernels");

    /** Keys of a strategy that a stranger writes too: how the model is split, sharded and offloaded. */
    private static final Set<String> SPLIT = Set.of(
            "kind",
            "tensor_parallel",
            "sequence_parallel",
            "context_parallel",
            "pipeline_parallel",
            "pipeline_schedule",
            "model_chunks",
            "partition",
            "shard_group",
            "secondary_shard_group",
            "offload_optimizer",
            "offload_parameters",
            "no_sync",
            "reshard_after_forward");

    private SoftwareSettings() {}

    /** A scenario with a framework in place of its software settings. */
    static Mapping of(Mapping scenario, Entry framework) {
        List<Entry> entries = new ArrayList<>();
        for (Entry entry : scenario.entries()) {
            entries.add(
                    entry.value() instanceof Mapping block
                            ? new Entry(entry.key(), entry.keyPosition(), stripped(entry.key(), block))
                            : entry);
        }
        entries.add(framework);
        return new Mapping(scenario.position(), entries);
    }

    private static Mapping stripped(String name, Mapping block) {
        List<Entry> left = block.entries().stream()
                .filter(entry -> isWritten(name, entry.key()))
                .toList();
        return new Mapping(block.position(), left);
    }

    /** Whether a stranger writes a key of a block. */
    private static boolean isWritten(String block, String key) {
        return switch (block) {
            case "training" -> !TRAINING.contains(key);
            case "strategy" -> SPLIT.contains(key);
            default -> true;
        };
    }
}

package io.shardsim.scenarios.scenario;

import io.shardsim.scenarios.catalog.Strategies;
import io.shardsim.scenarios.catalog.StrategyDescriptor;
import io.shardsim.scenarios.catalog.Unmodelled;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.NearestNumbers;
import io.shardsim.simulator.Refusal;
import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.compute.FrameworkProfile;
import io.shardsim.simulator.job.TrainingJob;
import io.shardsim.simulator.schema.Block;
import io.shardsim.simulator.schema.BlockType;
import io.shardsim.simulator.strategy.ShardingStrategy;
import io.shardsim.simulator.strategy.settings.Setting;
import io.shardsim.simulator.workload.ModelShape;
import io.shardsim.simulator.yaml.Position;
import io.shardsim.simulator.yaml.Problems;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Resolves the {@code strategy} block: its settings, and the strategy's objections to the training. */
final class StrategyResolver {
    private final Block file;
    private final @Nullable Cluster cluster;
    private final Sweep sweep;
    private final boolean inSweep;
    private final List<String> notes;
    private final Problems problems;
    /** State: whether the strategy has every key of the block. */
    private boolean whole = true;

    StrategyResolver(
            Block file,
            @Nullable Cluster cluster,
            Sweep sweep,
            boolean inSweep,
            List<String> notes,
            Problems problems) {
        this.file = file;
        this.cluster = cluster;
        this.sweep = sweep;
        this.inSweep = inSweep;
        this.notes = notes;
        this.problems = problems;
    }

    /** Returns the strategy with its settings, or null after a problem. */
    @Nullable
    StrategySpec resolve() {
        Block block = file.block("strategy");
        String kind = block == null ? null : block.text("kind");
        if (block == null || kind == null) {
            return null;
        }
        StrategyDescriptor descriptor = Strategies.descriptor(kind);
        if (descriptor == null) {
            return problems.refuse(
                    block.at("kind"),
                    "strategy " + kind + " is not in the catalog; " + Nearest.remedy(kind, Strategies.kinds()));
        }
        Map<String, String> given = new LinkedHashMap<>();
        for (Entry entry : block.others()) {
            Setting parameter = descriptor.parameter(entry.key());
            if (parameter == null) {
                int before = problems.told();
                refuseParameter(entry, descriptor);
                whole &= problems.told() == before;
                continue;
            }
            Object value = parameter.type().read(entry.value(), entry.key(), problems);
            if (value != null && entry.key().equals(StrategyDescriptor.SHARD_GROUP) && cluster != null) {
                long inForce = shardGroup(
                        (Long) value, cluster.worldSize(), entry.value().position());
                given.put(entry.key(), String.valueOf(inForce));
            } else if (value != null && entry.value() instanceof Scalar written && isKnown(entry.key(), written)) {
                given.put(entry.key(), written.text());
            }
        }
        return new StrategySpec(descriptor, given);
    }

    /** Returns whether the strategy has every key of the block; problems that follow from a missing one would mislead. */
    boolean isWhole() {
        return whole;
    }

    /** Returns whether the setting names a known collective or framework profile. */
    private boolean isKnown(String key, Scalar written) {
        String name = written.text();
        if (key.equals("framework_profile") && !FrameworkProfile.names().contains(name)) {
            problems.add(
                    written.position(),
                    key + " " + name + " is not known; " + Nearest.remedy(name, FrameworkProfile.names()));
            return false;
        }
        if (!StrategyDescriptor.ALGORITHMS.contains(key) || name.equals(CollectiveSettings.AUTO)) {
            return true;
        }
        boolean exists = CollectiveCatalog.shipped().names(null).contains(name);
        // Whether a reduction is an all-reduce or a reduce-scatter is up to the strategy.
        List<String> able = new ArrayList<>(List.of(CollectiveSettings.AUTO));
        able.addAll(CollectiveCatalog.shipped()
                .names(key.equals(StrategyDescriptor.REDUCE_ALGORITHM) ? null : CollectiveKind.ALL_GATHER.id()));
        if (able.contains(name)) {
            return true;
        }
        problems.add(
                written.position(),
                key + " " + name
                        + (exists
                                ? " does not carry all_gather; known: " + String.join(", ", able)
                                : " is not in the catalog; " + Nearest.remedy(name, able)));
        return false;
    }

    /** Refuses a parameter that this strategy does not have: with a note if the strategy is swept and another one has it, else with a problem. */
    private void refuseParameter(Entry entry, StrategyDescriptor descriptor) {
        List<String> kindsWith = Strategies.kindsWith(entry.key());
        Unmodelled unmodelled = Unmodelled.of("strategies", descriptor.kind() + "." + entry.key());
        if (unmodelled != null && !sweep.varies("strategy")) {
            problems.add(
                    entry.keyPosition(),
                    entry.key() + " does not apply to " + descriptor.kind() + ": " + unmodelled.is()
                            + " is not modelled; " + unmodelled.write());
        } else if (kindsWith.isEmpty()) {
            List<String> known = new ArrayList<>(List.of("kind"));
            known.addAll(descriptor.parameterNames());
            BlockType.refuseUnknown(entry, known, problems);
        } else if (sweep.varies("strategy")) {
            notes.add(entry.key() + " has no effect under " + descriptor.kind());
        } else {
            problems.add(
                    entry.keyPosition(),
                    "strategy " + descriptor.kind() + " has no " + entry.key() + ", which belongs to "
                            + String.join(", ", kindsWith) + "; remove it");
        }
    }

    /** Returns the shard group in force: capped to the world size in a sweep; 0 means all ranks. */
    private int shardGroup(long shardGroup, int worldSize, Position position) {
        if (shardGroup > worldSize && inSweep) {
            notes.add("shard_group " + shardGroup + " capped to world size " + worldSize);
            return worldSize;
        }
        if (shardGroup > worldSize) {
            problems.add(
                    position,
                    "shard_group " + shardGroup + " > world size " + worldSize + "; write " + worldSize
                            + " or less (only a sweep caps it)");
        } else if (shardGroup > 0 && worldSize % shardGroup != 0) {
            problems.add(
                    position,
                    "shard_group " + shardGroup + " does not divide world size " + worldSize + "; "
                            + NearestNumbers.divisors(worldSize, shardGroup));
        }
        return Math.toIntExact(shardGroup);
    }

    /** Checks the strategy's own rules. */
    void check(Task.Training task, Cluster where) {
        ShardingStrategy planner = task.strategy().create();
        TrainingJob job = task.job(where, planner);
        noteVocabulary(task.model(), job);
        task.refusals(planner, job, where).forEach(this::refuse);
    }

    private void noteVocabulary(ModelShape published, TrainingJob job) {
        int vocab = job.model().vocab();
        if (vocab != published.vocab()) {
            int multiple = FrameworkProfile.named(job.kernels()).vocabularyMultiple()
                    * job.parallel().tensor();
            notes.add("vocabulary of " + published.vocab() + " padded to " + vocab + ", a multiple of " + multiple
                    + ", as " + job.kernels() + " does");
        }
    }

    /** Reports a refusal at the first of its keys that the file sets, under training or strategy; at the strategy if it sets none. */
    void refuse(Refusal refusal) {
        Block strategy = file.block("strategy");
        Position place = strategy == null ? file.position() : strategy.position();
        for (String key : refusal.keys()) {
            Entry written = written(key);
            if (written != null) {
                place = written.value().position();
                break;
            }
        }
        problems.add(place, refusal.sentence());
    }

    private @Nullable Entry written(String key) {
        Block training = file.block("training");
        if (training != null && training.has(key)) {
            return training.entries().get(key);
        }
        if (file.block(key) != null) {
            return file.entries().get(key);
        }
        Block strategy = file.block("strategy");
        List<Entry> settings = strategy == null ? List.of() : strategy.others();
        return settings.stream()
                .filter(entry -> entry.key().equals(key))
                .findFirst()
                .orElse(null);
    }
}

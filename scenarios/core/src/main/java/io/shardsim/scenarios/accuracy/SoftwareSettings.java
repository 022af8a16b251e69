package io.shardsim.scenarios.accuracy;

import io.shardsim.reports.KnownSetting;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.ArrayList;
import java.util.List;

/**
 * A run as an outsider would write it, without its code: model, cluster, batch, precision, checkpointing, parallelism and sharding, and the names of
 * framework and release. Attention, kernels, reduction formats, buckets and overlap follow from these names.
 */
final class SoftwareSettings {
    private SoftwareSettings() {}

    /** Returns a scenario with its software settings replaced by a framework. */
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
                .filter(entry -> KnownSetting.of(name + "." + entry.key()).isUsers())
                .toList();
        return new Mapping(block.position(), left);
    }
}

package io.shardsim.scenarios.accuracy;

import io.shardsim.reports.KnownSetting;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import java.util.ArrayList;
import java.util.List;

/**
 * What a stranger writes who knows a run but not the code that ran: model, cluster, batch, precision, what is checkpointed, how the model is split and
 * sharded, and the names of framework and release. Which attention, kernels, formats of reductions, buckets and overlaps then run, follows from these
 * names.
 */
final class SoftwareSettings {
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
                .filter(entry -> KnownSetting.of(name + "." + entry.key()).isUsers())
                .toList();
        return new Mapping(block.position(), left);
    }
}

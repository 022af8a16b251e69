package io.shardsim.simulator.pipeline;

import io.shardsim.simulator.Descriptor;
import io.shardsim.simulator.DescriptorException;
import io.shardsim.simulator.Descriptors;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The pipeline schedules on the class path: every file {@code schedules/<name>.yaml}. Nothing else lists them. */
public final class PipelineSchedules {
    private static final PipelineSchedules ALL = new PipelineSchedules(Descriptors.load("schedules"));

    private final Map<String, PipelineSchedule> byName = new TreeMap<>();

    private PipelineSchedules(List<Descriptor> descriptors) {
        for (Descriptor descriptor : descriptors) {
            byName.put(descriptor.id(), descriptor.instantiate(PipelineSchedule.class));
        }
    }

    /** All of them; they hold no state. */
    public static PipelineSchedules all() {
        return ALL;
    }

    public List<String> names() {
        return List.copyOf(byName.keySet());
    }

    /** The schedule of a name. */
    public PipelineSchedule named(String name) {
        PipelineSchedule schedule = byName.get(name);
        if (schedule == null) {
            throw new DescriptorException("no pipeline schedule " + name + "; there are " + names());
        }
        return schedule;
    }
}

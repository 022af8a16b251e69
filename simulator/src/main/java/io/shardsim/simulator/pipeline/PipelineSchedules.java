package io.shardsim.simulator.pipeline;

import io.shardsim.simulator.Lazy;
import io.shardsim.simulator.Nearest;
import io.shardsim.simulator.catalog.CatalogException;
import io.shardsim.simulator.catalog.Descriptor;
import io.shardsim.simulator.catalog.DescriptorFolder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Pipeline schedules on the class path: every file {@code schedules/<name>.yaml}. There is no other list. */
public final class PipelineSchedules {
    private static final Lazy<PipelineSchedules> ALL =
            new Lazy<>(() -> new PipelineSchedules(new DescriptorFolder("schedules").all()));

    private final Map<String, PipelineSchedule> byName = new TreeMap<>();
    private final Map<String, String> sources = new TreeMap<>();

    private PipelineSchedules(List<Descriptor> descriptors) {
        for (Descriptor descriptor : descriptors) {
            byName.put(descriptor.id(), descriptor.instantiate(PipelineSchedule.class));
            sources.put(descriptor.id(), descriptor.text("source"));
        }
    }

    /** Returns all schedules; they are stateless. */
    public static PipelineSchedules all() {
        return ALL.get();
    }

    public List<String> names() {
        return List.copyOf(byName.keySet());
    }

    /** Returns the schedule of a name. */
    public PipelineSchedule named(String name) {
        PipelineSchedule schedule = byName.get(name);
        if (schedule == null) {
            throw new CatalogException("no pipeline schedule " + name + "; " + Nearest.remedy(name, names()));
        }
        return schedule;
    }

    /** Returns the reference of a schedule; empty if there is none of this name. */
    public String source(String name) {
        return sources.getOrDefault(name, "");
    }
}

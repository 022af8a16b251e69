package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.topology.Cluster;
import java.util.Map;
import java.util.Set;

/**
 * Input that determines a run's result, and the shortcuts, which must not change it.
 *
 * @param workTimes time of work at full speed
 * @param durationPerMille compute time relative to full speed by rank, in thousandths; ranks not in the map run at full speed
 */
public record SimulationSetup(
        Cluster cluster,
        StepPlan plan,
        WorkTimes workTimes,
        TransportModel transports,
        Map<Integer, Long> durationPerMille,
        Set<Shortcut> shortcuts) {
    public SimulationSetup {
        durationPerMille = Map.copyOf(durationPerMille);
        shortcuts = Set.copyOf(shortcuts);
    }

    boolean fastForward() {
        return shortcuts.contains(Shortcut.FAST_FORWARD);
    }

    boolean foldNodes() {
        return shortcuts.contains(Shortcut.FOLD_NODES);
    }
}

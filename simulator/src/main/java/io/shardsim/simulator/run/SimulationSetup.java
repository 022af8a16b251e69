package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.topology.Cluster;
import java.util.Map;
import java.util.Set;

/**
 * Everything that decides a run's result, and the shortcuts that must not.
 *
 * @param workTimes time of a piece of work at full speed
 * @param durationPerMille by rank, time of work over time at full speed in thousandths; ranks that are absent run at full speed
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

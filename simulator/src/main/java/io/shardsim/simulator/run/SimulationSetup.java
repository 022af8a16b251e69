package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.WorkTimes;
import io.shardsim.topology.Cluster;
import java.util.Map;

/**
 * Everything that decides a run's result, and the two switches that must not.
 *
 * @param workTimes time of a piece of work at full speed
 * @param durationPerMille by rank, time of work over time at full speed in thousandths; ranks that are absent run at full speed
 * @param fastForward skip what is proven to repeat in time
 * @param foldNodes leave out nodes that are proven to do the same as others
 */
public record SimulationSetup(
        Cluster cluster,
        StepPlan plan,
        WorkTimes workTimes,
        TransportModel transports,
        Map<Integer, Long> durationPerMille,
        boolean fastForward,
        boolean foldNodes) {
    public SimulationSetup {
        durationPerMille = Map.copyOf(durationPerMille);
    }
}

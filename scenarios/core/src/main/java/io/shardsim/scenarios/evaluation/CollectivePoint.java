package io.shardsim.scenarios.evaluation;

import io.shardsim.reports.RunFacts;
import io.shardsim.scenarios.scenario.ScenarioPoint;
import io.shardsim.scenarios.scenario.Task;
import io.shardsim.simulator.collective.TransportModel;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.RankGroups;
import io.shardsim.simulator.plan.StepPlan;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.run.Shortcut;
import io.shardsim.simulator.run.SimulationSetup;
import io.shardsim.topology.Cluster;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A point that runs one bare collective on all ranks. */
record CollectivePoint(ScenarioPoint point, Task.Collective task, RankGroups world) {

    static CollectivePoint of(ScenarioPoint point) {
        int ranks = point.cluster().worldSize();
        return new CollectivePoint(point, (Task.Collective) point.task(), new RankGroups("world", ranks, ranks, 1));
    }

    SimulationSetup setup(Set<Shortcut> shortcuts) {
        return new SimulationSetup(
                point.cluster(), plan(), Work::amount, point.collectives().transports(), Map.of(), shortcuts);
    }

    private StepPlan plan() {
        StepPlan.Builder plan = StepPlan.builder();
        plan.add(new Operation.Collective(
                Stream.GATHER,
                task.kind(),
                world,
                task.totalBytes(),
                point.collectives().algorithm(),
                task.kind().id()));
        return plan.build();
    }

    RunFacts facts() {
        Cluster cluster = point.cluster();
        TransportModel.Choice choice = point.collectives()
                .transports()
                .choose(task.kind(), point.collectives().algorithm(), task.totalBytes(), world.membersOf(0), cluster);
        return RunFacts.of(
                point.scenario(),
                point.values(),
                cluster,
                new RunFacts.Collective(
                        task.kind(),
                        task.totalBytes(),
                        choice.algorithm().name() + ", " + choice.transport().name(),
                        point.collectives().library()),
                new RunFacts.Remarks(
                        point.notes(),
                        List.of(),
                        point.figures().stream().map(RunFacts.Source::of).toList(),
                        ResolvedSettings.ofCollective(point, task)));
    }
}

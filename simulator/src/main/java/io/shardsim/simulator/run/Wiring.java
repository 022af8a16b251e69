package io.shardsim.simulator.run;

import io.shardsim.simulator.collective.ChannelProgram;
import io.shardsim.simulator.collective.ChannelProgram.Primitive;
import io.shardsim.simulator.collective.ProgramLoops;
import io.shardsim.simulator.device.HostCopy;
import io.shardsim.simulator.device.Pace;
import io.shardsim.simulator.device.RankCollective;
import io.shardsim.simulator.device.RankPlan;
import io.shardsim.simulator.kernel.EventOrder;
import io.shardsim.simulator.plan.Operation;
import io.shardsim.simulator.plan.Work;
import io.shardsim.simulator.protocol.Path;
import io.shardsim.topology.Cluster;
import io.shardsim.topology.Route;
import io.shardsim.topology.Router;
import io.shardsim.topology.units.Bandwidth;
import java.util.IdentityHashMap;
import java.util.List;

/** Gives each simulated rank the programs, paths and paces of its collectives and its copies to and from host memory. */
final class Wiring {
    private final Cluster cluster;
    private final Router router;
    private final Placement placement;
    private final CollectiveSchedules schedules;
    private final Paths paths;
    private final Bandwidth memoryRate;
    private final Bandwidth cacheRate;
    private final IdentityHashMap<CollectiveSchedules.Scheduled, EdgeRates> pacesOf = new IdentityHashMap<>();
    private final IdentityHashMap<List<Primitive>, ProgramLoops> loopsOf = new IdentityHashMap<>();
    private final IdentityHashMap<RankPlan, long[]> timesOf = new IdentityHashMap<>();
    private double events;

    Wiring(SimulationSetup setup, Router router, Placement placement, Paths paths) {
        cluster = setup.cluster();
        this.router = router;
        this.placement = placement;
        schedules = placement.schedules();
        this.paths = paths;
        memoryRate = cluster.instance()
                .gpu()
                .memoryBandwidth()
                .scaled(setup.workTimes().memoryRatio());
        cacheRate = setup.workTimes().cacheRate();
    }

    /** Fills all programs, collectives first: observers distinguish paths between GPUs by their number. */
    void fill(Devices devices) {
        devices.forEachCollectives(this::fillCollectives);
        devices.forEachHostCopies(this::fillHostCopies);
    }

    private void fillCollectives(int rank, RankCollective[] ofRank) {
        RankPlan plan = placement.planOf(rank);
        for (int i = 0; i < ofRank.length; i++) {
            if (plan.runsCollective(i)) {
                ofRank[i] = collective(rank, i, plan.collectives().get(i));
                events += timesOf.computeIfAbsent(plan, RankPlan::timesOfCollectives)[i] * events(ofRank[i]);
            }
        }
    }

    /** Estimates the events of a rank per run of a collective: each slice starts, and each transfer passes ports. */
    private static double events(RankCollective collective) {
        double events = 0;
        for (int channel = 0; channel < collective.programs().length; channel++) {
            for (Primitive primitive : collective.programs()[channel].primitives()) {
                int hops = primitive.sendSlot() == ChannelProgram.NONE
                        ? 0
                        : collective.paths()[channel][primitive.sendSlot()].hops();
                events += (double) primitive.repeat() * primitive.slices() * (1 + hops);
            }
        }
        return events;
    }

    /** Estimates the events of a run without skipping. */
    long events() {
        return (long) events;
    }

    private RankCollective collective(int rank, int collectiveClass, Operation.Collective collective) {
        CollectiveSchedules.Scheduled scheduled = schedules.schedule(collective, rank);
        Limits.require("channels of a collective", scheduled.channels(), EventOrder.CHANNELS_MAX);
        int member = collective.groups().memberIndex(rank);
        ChannelProgram[] programs = new ChannelProgram[scheduled.channels()];
        ProgramLoops[] loops = new ProgramLoops[programs.length];
        Path[][] pathsOfChannel = new Path[programs.length][];
        Pace[][] receivePaces = new Pace[programs.length][];
        Pace[][] sendPaces = new Pace[programs.length][];
        EdgeRates paces = pacesOf.computeIfAbsent(scheduled, same -> new EdgeRates(cluster.byDomain(), router, same));
        for (int channel = 0; channel < programs.length; channel++) {
            ChannelProgram program = scheduled.program(member, channel);
            Limits.require("receive slots of a program", program.receivePeers().length, EventOrder.RECEIVE_SLOTS_MAX);
            programs[channel] = program;
            loops[channel] = loopsOf.computeIfAbsent(program.primitives(), ProgramLoops::of);
            pathsOfChannel[channel] = paths.ofChannel(
                    rank, collectiveClass, channel, program, scheduled.choice().transport());
            receivePaces[channel] = paces.receiving(channel, program);
            sendPaces[channel] = paces.sending(channel, program);
        }
        return new RankCollective(
                scheduled.choice().transport(),
                programs,
                loops,
                pathsOfChannel,
                receivePaces,
                sendPaces,
                memoryRate,
                cacheRate);
    }

    private void fillHostCopies(int rank, RankCollective[] ofRank) {
        for (int i = 0; i < ofRank.length; i++) {
            Work work = placement.planOf(rank).hostCopies().get(i);
            Route route = work.kind() == Work.Kind.HOST_STORE ? router.toHost(rank) : router.fromHost(rank);
            Path path = paths.along(route, cluster.localRank(rank), 0);
            ofRank[i] = HostCopy.of(rank, work.amount(), path, router.hostLatencyPs());
        }
    }
}

package io.shardsim.simulator.run;

import io.shardsim.simulator.device.GpuState;
import io.shardsim.simulator.device.PortBank;
import io.shardsim.simulator.kernel.LogicalProcess;
import io.shardsim.simulator.observation.LinkTotals;
import io.shardsim.simulator.observation.OperationSpan;
import io.shardsim.simulator.observation.PartObservation;
import io.shardsim.simulator.observation.RankTotals;
import io.shardsim.simulator.observation.StepObservation;
import io.shardsim.simulator.plan.Stream;
import io.shardsim.simulator.plan.Work;
import io.shardsim.topology.Cluster;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Collects the totals of every rank and link, including those not simulated, and checks that they add up. */
final class Observations {
    private Observations() {}

    /** Collects a run that this JVM has simulated alone. */
    static StepObservation collect(Assembly assembly, LogicalProcess.Outcome outcome) {
        return whole(
                List.of(part(assembly, IntStream.range(0, assembly.cluster().nodes()), outcome)));
    }

    /** Collects the part of a run on some nodes, given in ascending order. */
    static PartObservation part(Assembly assembly, IntStream nodes, LogicalProcess.Outcome outcome) {
        Cluster cluster = assembly.cluster();
        List<RankTotals> ranks = new ArrayList<>();
        List<LinkTotals> links = new ArrayList<>();
        long events = 0;
        long sentBytes = 0;
        long receivedBytes = 0;
        for (int node : nodes.toArray()) {
            for (int local = 0; local < cluster.gpusPerNode(); local++) {
                int rank = cluster.rank(node, local);
                GpuState gpu = assembly.devices().gpu(rank);
                if (!gpu.isFinished()) {
                    throw new IllegalStateException("run ended at " + outcome.nowPs() + " ps with work outstanding: "
                            + cluster.devicePath(gpu.deviceId()) + " is " + gpu.outstanding());
                }
                ranks.add(totals(rank, gpu));
                events += gpu.ownEvents();
                sentBytes += gpu.sentBytes();
                receivedBytes += gpu.receivedBytes();
            }
            addLinks(assembly, node, links);
        }
        return new PartObservation(
                List.copyOf(ranks),
                List.copyOf(links),
                assembly.timeline().spans(),
                outcome.executedEvents(),
                events,
                outcome.pendingEventsMax(),
                sentBytes,
                receivedBytes);
    }

    /** Combines all parts of a run, in the order of their nodes. */
    static StepObservation whole(List<PartObservation> parts) {
        List<RankTotals> ranks = new ArrayList<>();
        List<LinkTotals> links = new ArrayList<>();
        List<OperationSpan> timeline = new ArrayList<>();
        long executedEvents = 0;
        long events = 0;
        long pendingEventsMax = 0;
        long sentBytes = 0;
        long receivedBytes = 0;
        for (PartObservation part : parts) {
            ranks.addAll(part.ranks());
            links.addAll(part.links());
            timeline.addAll(part.timeline());
            executedEvents += part.executedEvents();
            events += part.ownEvents();
            pendingEventsMax += part.pendingEventsMax();
            sentBytes += part.sentBytes();
            receivedBytes += part.receivedBytes();
        }
        if (sentBytes != receivedBytes) {
            throw new IllegalStateException(
                    "bytes sent " + sentBytes + " != bytes received " + receivedBytes + " over all ranks");
        }
        long endPs = 0;
        for (RankTotals rank : ranks) {
            endPs = Math.max(endPs, rank.finishPs());
        }
        for (LinkTotals link : links) {
            events += link.chunks();
        }
        return new StepObservation(
                endPs,
                List.copyOf(ranks),
                List.copyOf(links),
                List.copyOf(timeline),
                executedEvents,
                events,
                pendingEventsMax,
                digest(ranks, links));
    }

    private static RankTotals totals(int rank, GpuState gpu) {
        Map<Stream, Long> busyPs = new EnumMap<>(Stream.class);
        Map<Stream, Long> exposedPs = new EnumMap<>(Stream.class);
        for (Stream stream : Stream.values()) {
            busyPs.put(stream, gpu.busyPs(stream));
            exposedPs.put(stream, gpu.exposedPs(stream));
        }
        Map<Work.Kind, Long> workPs = new EnumMap<>(Work.Kind.class);
        for (Work.Kind kind : Work.Kind.values()) {
            workPs.put(kind, gpu.workPs(kind));
        }
        return new RankTotals(rank, gpu.finishPs(), busyPs, workPs, gpu.slowdownPs(), exposedPs);
    }

    private static void addLinks(Assembly assembly, int node, List<LinkTotals> links) {
        Cluster cluster = assembly.cluster();
        for (int slot = 0; slot < cluster.devicesPerNode(); slot++) {
            int id = cluster.deviceId(node, slot);
            PortBank bank = assembly.devices().ports(id);
            for (int port = 0; port < bank.portCount(); port++) {
                if (assembly.router().isHostPort(slot, port) && bank.chunks(port) == 0) {
                    continue;
                }
                links.add(new LinkTotals(
                        cluster.devicePath(id),
                        port,
                        node,
                        assembly.router().link(slot, port).linkClass(),
                        bank.chunks(port),
                        bank.bytes(port),
                        bank.busyPs(port),
                        bank.queueingPs(port)));
            }
        }
    }

    /** Adds a stream. Expert lanes are newer than recorded digests, so they count only if they are used. */
    private static void add(Digest digest, Stream stream, long ps) {
        if (stream.reportedAs() != Stream.EXPERT || ps > 0) {
            digest.add(ps);
        }
    }

    private static String digest(List<RankTotals> ranks, List<LinkTotals> links) {
        Digest digest = new Digest();
        for (RankTotals rank : ranks) {
            digest.add(rank.rank()).add(rank.finishPs()).add(rank.slowdownPs());
            rank.busyPs().forEach((stream, ps) -> add(digest, stream, ps));
            rank.exposedPs().forEach((stream, ps) -> add(digest, stream, ps));
            // By name and only if present, so that a new kind of work does not change digests of other runs.
            rank.workPs().forEach((kind, ps) -> {
                if (ps > 0) {
                    digest.add(kind.name()).add(ps);
                }
            });
        }
        for (LinkTotals link : links) {
            digest.add(link.device())
                    .add(link.port())
                    .add(link.chunks())
                    .add(link.bytes())
                    .add(link.busyPs())
                    .add(link.queueingPs());
        }
        return digest.hex();
    }
}

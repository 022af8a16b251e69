package io.shardsim.reports;

import io.shardsim.simulator.observation.LinkTotals;
import io.shardsim.topology.LinkClass;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Traffic of all links of one class.
 *
 * @param ports output ports of this class, including idle ones
 * @param chunks chunks transmitted
 * @param bytes bytes on the wire, every hop counted [bytes]
 * @param queueingSeconds time that chunks waited for a transmitter, summed over chunks [s]
 * @param held occupancy of the transmitters
 */
public record LinkUse(LinkClass linkClass, int ports, long chunks, long bytes, double queueingSeconds, Held held) {

    /**
     * @param utilization occupied time of the transmitters over the run's time, mean over ports, 0 to 1
     * @param busiest utilization of the busiest port
     * @param busiestPort path of that port
     * @param byNode mean over each node's ports, by node
     */
    public record Held(double utilization, double busiest, String busiestPort, List<Double> byNode) {}

    public double utilization() {
        return held.utilization;
    }

    public double busiestUtilization() {
        return held.busiest;
    }

    public String busiestPort() {
        return held.busiestPort;
    }

    public List<Double> utilizationByNode() {
        return held.byNode;
    }

    /** Returns one entry for each class that has ports. */
    public static List<LinkUse> of(List<LinkTotals> links, int nodes, long endPs) {
        List<LinkUse> uses = new ArrayList<>();
        for (LinkClass linkClass : LinkClass.values()) {
            List<LinkTotals> ports =
                    links.stream().filter(link -> link.linkClass() == linkClass).toList();
            if (!ports.isEmpty()) {
                uses.add(ofClass(linkClass, ports, nodes, endPs));
            }
        }
        return Collections.unmodifiableList(uses);
    }

    /** Returns bytes sent by the NICs of all nodes; not counted again when switches forward them to NICs. */
    public static long bytesSentByNics(List<LinkTotals> links) {
        long sum = 0;
        for (LinkTotals link : links) {
            if (link.linkClass() == LinkClass.NIC && !link.device().startsWith("Fabric.")) {
                sum += link.bytes();
            }
        }
        return sum;
    }

    private static LinkUse ofClass(LinkClass linkClass, List<LinkTotals> ports, int nodes, long endPs) {
        long chunks = 0;
        long bytes = 0;
        double queueingPs = 0;
        double busyPs = 0;
        LinkTotals busiest = ports.get(0);
        double[] busyPsByNode = new double[nodes];
        int[] portsByNode = new int[nodes];
        for (LinkTotals port : ports) {
            chunks += port.chunks();
            bytes += port.bytes();
            queueingPs += port.queueingPs();
            busyPs += port.busyPs();
            busyPsByNode[port.nodeRank()] += port.busyPs();
            portsByNode[port.nodeRank()]++;
            if (port.busyPs() > busiest.busyPs()) {
                busiest = port;
            }
        }
        List<Double> byNode = new ArrayList<>(nodes);
        for (int node = 0; node < nodes; node++) {
            byNode.add(share(busyPsByNode[node], portsByNode[node], endPs));
        }
        return new LinkUse(
                linkClass,
                ports.size(),
                chunks,
                bytes,
                queueingPs * StepBreakdown.SECONDS_PER_PICOSECOND,
                new Held(
                        share(busyPs, ports.size(), endPs),
                        share(busiest.busyPs(), 1, endPs),
                        busiest.device() + ".Port[" + busiest.port() + "]",
                        Collections.unmodifiableList(byNode)));
    }

    private static double share(double busyPs, int ports, long endPs) {
        return ports == 0 || endPs == 0 ? 0 : busyPs / ports / endPs;
    }
}

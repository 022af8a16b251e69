package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.topology.InstanceSpec;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * NCCL and its network plugin over one network.
 *
 * @param protocols protocols that NCCL may use, inside a node too: the setting holds for the whole process
 * @param host maker of the host processors
 * @param bufferBytes NCCL_BUFFSIZE [bytes]
 * @param reportedLatencyUs latency that the plugin reports to NCCL's tuner [us]
 * @param steps what a step between nodes takes
 * @param plugin what the plugin prefers over NCCL's own estimates
 */
record NcclNetwork(
        List<Protocol> protocols,
        Host host,
        long bufferBytes,
        double reportedLatencyUs,
        Steps steps,
        PluginTuner plugin) {

    /**
     * Maker of the host processors.
     *
     * <p>Values: NCCL 2.27.3, src/graph/tuning.cc, getNetOverhead and llMaxBws.
     */
    enum Host {
        INTEL(1.0, 39.0, 20.4),
        AMD(2.0, 22.5, 19.0);

        private final double postingUs;
        private final double llRateMaxTwoNodes;
        private final double llRateMax;

        Host(double postingUs, double llRateMaxTwoNodes, double llRateMax) {
            this.postingUs = postingUs;
            this.llRateMaxTwoNodes = llRateMaxTwoNodes;
            this.llRateMax = llRateMax;
        }

        /** What NCCL takes the posting of a send for [us]. */
        double postingUs() {
            return postingUs;
        }

        /** What NCCL takes all LL rings between nodes to reach at most [bytes/us]. */
        double llRateMax(int nodes) {
            return 1000 * (nodes == 2 ? llRateMaxTwoNodes : llRateMax);
        }
    }

    /**
     * Arrays go by {@link Protocol}; protocols that NCCL may not use have none.
     *
     * @param stepPs from the last bit leaving the NIC to the receiving thread block acting on it [ps] -- calibration
     * @param longRingStepPs the same in the ring of a gather or a scatter through all GPUs of more than two nodes [ps] -- calibration
     * @param eagerBytes largest message that is sent before the receiver has asked for it [bytes]
     * @param rendezvousPs what a larger message takes beside that [ps] -- calibration
     */
    record Steps(long[] stepPs, long[] longRingStepPs, long eagerBytes, long rendezvousPs) {
        /**
         * A step whose messages are so large [ps].
         *
         * @param longRing whether it is one of a gather's or a scatter's ring through all GPUs of more than two nodes
         */
        long ps(boolean longRing, Protocol protocol, long messageBytes) {
            long[] stepsPs = longRing ? longRingStepPs : stepPs;
            return stepsPs[protocol.ordinal()] + (messageBytes > eagerBytes ? rendezvousPs : 0);
        }
    }

    /** The constants in the file that the instance's network names. */
    static NcclNetwork of(InstanceSpec instance) {
        FigureFile file = NcclCatalog.NETWORKS.named(instance.network().library());
        List<String> usable = file.list("protocols");
        List<Protocol> protocols = usable.stream().map(Protocol::of).toList();
        return new NcclNetwork(
                protocols,
                Host.valueOf(file.word("host").toUpperCase(Locale.ROOT)),
                file.whole("buffer"),
                file.whole("tuner_latency") / 1e6,
                new Steps(
                        stepsPs(file, "step_beyond_nic_", protocols, instance),
                        stepsPs(file, "long_ring_step_beyond_nic_", protocols, instance),
                        file.has("eager") ? file.whole("eager") : Long.MAX_VALUE,
                        file.has("eager") ? times(instance, file.whole("rendezvous")) : 0),
                file.has("tuner_plugin") ? PluginTuner.of(file.word("tuner_plugin")) : PluginTuner.NONE);
    }

    private static long[] stepsPs(FigureFile file, String beyondNic, List<Protocol> protocols, InstanceSpec instance) {
        return Stream.of(Protocol.values())
                .mapToLong(protocol -> protocols.contains(protocol) ? stepPs(file, beyondNic, protocol, instance) : 0)
                .toArray();
    }

    private static long stepPs(FigureFile file, String beyondNic, Protocol protocol, InstanceSpec instance) {
        String measured = "step_" + protocol.key();
        return file.has(measured)
                ? times(instance, file.whole(measured))
                : instance.nic().latencyPs() + times(instance, file.whole(beyondNic + protocol.key()));
    }

    private static long times(InstanceSpec instance, long knownPs) {
        return StrictMath.round(instance.network().steps() * knownPs);
    }
}

package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.catalog.FigureFile;
import io.shardsim.topology.InstanceSpec;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Constants of NCCL and its network plugin on one network.
 *
 * @param protocols protocols that NCCL may use, also inside a node, since the setting applies to the whole process
 * @param host vendor of the host processors
 * @param bufferBytes NCCL_BUFFSIZE [bytes]
 * @param reportedLatencyUs latency that the plugin reports to NCCL's tuner [us]
 * @param steps times of a step between nodes
 * @param plugin the plugin's tuner
 */
record NcclNetwork(
        List<Protocol> protocols,
        Host host,
        long bufferBytes,
        double reportedLatencyUs,
        Steps steps,
        PluginTuner plugin) {

    /**
     * Vendor of the host processors.
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

        /** Returns NCCL's estimate for posting a send [us]. */
        double postingUs() {
            return postingUs;
        }

        /** Returns NCCL's estimate of the maximum rate of all LL rings between nodes [bytes/us]. */
        double llRateMax(int nodes) {
            return 1000 * (nodes == 2 ? llRateMaxTwoNodes : llRateMax);
        }
    }

    /**
     * Arrays are indexed by {@link Protocol}; 0 for protocols that NCCL may not use.
     *
     * @param stepPs from the last bit leaving the NIC until the receiving thread block acts on it [ps] -- calibration
     * @param longRingStepPs the same in an all-gather or reduce-scatter ring over all GPUs of more than two nodes [ps] -- calibration
     * @param eagerBytes largest message that is sent before the receiver has requested it [bytes]
     * @param rendezvousPs additional time of a larger message [ps] -- calibration
     */
    record Steps(long[] stepPs, long[] longRingStepPs, long eagerBytes, long rendezvousPs) {
        /**
         * Returns the time of a step with messages of a size [ps].
         *
         * @param longRing whether it belongs to an all-gather or reduce-scatter ring over all GPUs of more than two nodes
         */
        long ps(boolean longRing, Protocol protocol, long messageBytes) {
            long[] stepsPs = longRing ? longRingStepPs : stepPs;
            return stepsPs[protocol.ordinal()] + (messageBytes > eagerBytes ? rendezvousPs : 0);
        }
    }

    /** Returns the constants in the file that the instance's network names. */
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

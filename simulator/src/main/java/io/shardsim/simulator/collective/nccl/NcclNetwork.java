package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.Constants;
import io.shardsim.topology.InstanceSpec;
import io.shardsim.topology.units.Bandwidth;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * NCCL and its network plugin on one family of instances.
 *
 * @param protocols protocols that NCCL may use, inside a node too: the setting holds for the whole process
 * @param host maker of the host processors
 * @param bufferBytes NCCL_BUFFSIZE [bytes]
 * @param reportedLatencyUs latency that the plugin reports to NCCL's tuner [us]
 * @param stepPs by {@link Protocol}: from the last bit leaving the NIC to the receiving thread block acting on it [ps] -- calibration
 * @param longRingStepPs the same in the ring of a gather or a scatter through all GPUs of more than two nodes [ps] -- calibration
 * @param eagerBytes largest message that is sent before the receiver has asked for it [bytes]
 * @param rendezvousPs what a larger message takes beside that [ps] -- calibration
 * @param plugin what the plugin prefers over NCCL's own estimates
 */
record NcclNetwork(
        List<Protocol> protocols,
        Host host,
        long bufferBytes,
        double reportedLatencyUs,
        long[] stepPs,
        long[] longRingStepPs,
        long eagerBytes,
        long rendezvousPs,
        PluginTuner plugin) {

    /** Share of a GPU's NVLink rate from which on the NICs of its node leave a ring no slack; between 0.5, measured with some, and 1, without. */
    private static final double NO_SLACK = 0.75;

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

    /** The constants in the file named like the instance's family, {@code p4d} for p4d.24xlarge, else those of an unknown network. */
    static NcclNetwork of(InstanceSpec instance) {
        int dot = instance.name().indexOf('.');
        String family = dot < 0 ? instance.name() : instance.name().substring(0, dot);
        Constants constants = Constants.find(NcclGpu.FILES, family);
        if (constants == null || !constants.has("protocols")) {
            constants = Objects.requireNonNull(Constants.find(NcclGpu.FILES, "network"), "network.properties");
        }
        String longRing = hasSlack(instance) ? "step-beyond-nic" : "long-ring-step-beyond-nic";
        return new NcclNetwork(
                constants.list("protocols").stream().map(Protocol::of).toList(),
                Host.valueOf(constants.text("host").toUpperCase(Locale.ROOT)),
                constants.bytes("buffer"),
                constants.timePs("tuner.latency") / 1e6,
                stepsPs(constants, "step-beyond-nic", instance),
                stepsPs(constants, longRing, instance),
                constants.has("eager") ? constants.bytes("eager") : Long.MAX_VALUE,
                constants.has("eager") ? constants.timePs("rendezvous") : 0,
                constants.has("tuner.plugin") ? PluginTuner.of(constants.text("tuner.plugin")) : PluginTuner.NONE);
    }

    /**
     * A step whose messages are so large [ps].
     *
     * @param longRing whether it is one of a gather's or a scatter's ring through all GPUs of more than two nodes
     */
    long stepPs(boolean longRing, Protocol protocol, long messageBytes) {
        long[] stepsPs = longRing ? longRingStepPs : stepPs;
        return stepsPs[protocol.ordinal()] + (messageBytes > eagerBytes ? rendezvousPs : 0);
    }

    private static long[] stepsPs(Constants constants, String beyondNic, InstanceSpec instance) {
        long[] stepsPs = new long[Protocol.values().length];
        for (Protocol protocol : Protocol.values()) {
            String measured = "step." + protocol.key();
            stepsPs[protocol.ordinal()] = constants.has(measured)
                    ? constants.timePs(measured)
                    : instance.nic().latencyPs() + constants.timePs(beyondNic + "." + protocol.key());
        }
        return stepsPs;
    }

    /** Whether NVLinks carry a ring so much faster than all NICs of the node do that a step can be late without holding up the next. */
    private static boolean hasSlack(InstanceSpec instance) {
        Bandwidth nics = instance.nic().lineRate().times(instance.nicsPerNode());
        return nics.compareTo(instance.intraNode().perGpuRate().scaled(NO_SLACK)) < 0;
    }
}

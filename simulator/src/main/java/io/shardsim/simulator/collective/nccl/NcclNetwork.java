package io.shardsim.simulator.collective.nccl;

import io.shardsim.simulator.Constants;
import io.shardsim.topology.InstanceSpec;
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
        long eagerBytes,
        long rendezvousPs,
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

    /** The constants in the file named like the instance's family, {@code p4d} for p4d.24xlarge, else those of an unknown network. */
    static NcclNetwork of(InstanceSpec instance) {
        int dot = instance.name().indexOf('.');
        String family = dot < 0 ? instance.name() : instance.name().substring(0, dot);
        Constants constants = Constants.find(NcclGpu.FILES, family);
        if (constants == null || !constants.has("protocols")) {
            constants = Objects.requireNonNull(Constants.find(NcclGpu.FILES, "network"), "network.properties");
        }
        return new NcclNetwork(
                constants.list("protocols").stream().map(Protocol::of).toList(),
                Host.valueOf(constants.text("host").toUpperCase(Locale.ROOT)),
                constants.bytes("buffer"),
                constants.timePs("tuner.latency") / 1e6,
                stepsPs(constants, instance.nic().latencyPs()),
                constants.has("eager") ? constants.bytes("eager") : Long.MAX_VALUE,
                constants.has("eager") ? constants.timePs("rendezvous") : 0,
                constants.has("tuner.plugin") ? PluginTuner.of(constants.text("tuner.plugin")) : PluginTuner.NONE);
    }

    /** A step whose messages are so large [ps]. */
    long stepPs(Protocol protocol, long messageBytes) {
        return stepPs[protocol.ordinal()] + (messageBytes > eagerBytes ? rendezvousPs : 0);
    }

    private static long[] stepsPs(Constants constants, long nicLatencyPs) {
        long[] stepsPs = new long[Protocol.values().length];
        for (Protocol protocol : Protocol.values()) {
            String measured = "step." + protocol.key();
            stepsPs[protocol.ordinal()] = constants.has(measured)
                    ? constants.timePs(measured)
                    : nicLatencyPs + constants.timePs("step-beyond-nic." + protocol.key());
        }
        return stepsPs;
    }
}

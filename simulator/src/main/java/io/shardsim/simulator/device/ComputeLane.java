package io.shardsim.simulator.device;

import io.shardsim.simulator.kernel.StateWriter;

/**
 * The kernel that runs on the compute stream: it progresses at full speed on the streaming multiprocessors that collectives leave free.
 *
 * <p>Leaves out that a kernel's waves end raggedly: the speed is proportional to the multiprocessors left.
 */
final class ComputeLane {
    private final int smCount;
    /** Multiprocessors that collectives hold: state. */
    private int smTaken;
    /** Multiprocessors that the running kernel has been counted with: state. */
    private int smAvailable;
    /** Work left, as time at full speed [ps]: state. */
    private long remainingPs;
    /** When {@link #remainingPs} was right [ps]: state. */
    private long updatedPs;
    /** When the kernel will end as things stand [ps]: state. */
    private long completionPs;
    /** Times that the running kernel's end was moved: state. */
    private int reschedules;

    private boolean running;

    ComputeLane(int smCount) {
        this.smCount = smCount;
        smAvailable = smCount;
    }

    void start(long nowPs, long workPs) {
        running = true;
        remainingPs = workPs;
        updatedPs = nowPs;
        reschedules = 0;
        smAvailable = smCount - smTaken;
        completionPs = nowPs + timeFor(workPs);
    }

    void onSmTaken(int change) {
        smTaken += change;
    }

    /** Brings the running kernel in line with the multiprocessors that are left; true when its end has moved. */
    boolean reschedule(long nowPs) {
        int available = smCount - smTaken;
        if (!running || available == smAvailable) {
            return false;
        }
        remainingPs -= (nowPs - updatedPs) * smAvailable / smCount;
        remainingPs = Math.max(0, remainingPs);
        updatedPs = nowPs;
        smAvailable = available;
        long previousPs = completionPs;
        completionPs = nowPs + timeFor(remainingPs);
        if (completionPs == previousPs) {
            return false;
        }
        reschedules++;
        return true;
    }

    private long timeFor(long workPs) {
        return smAvailable == smCount ? workPs : (workPs * smCount + smAvailable - 1) / smAvailable;
    }

    /** True when the event that came due at this instant, with this many moves behind it, is the end of the running kernel. */
    boolean isEnd(long nowPs, int reschedules) {
        return running && nowPs == completionPs && reschedules == this.reschedules;
    }

    void end() {
        running = false;
    }

    long completionPs() {
        return completionPs;
    }

    int reschedules() {
        return reschedules;
    }

    void save(StateWriter writer) {
        writer.value(smTaken);
        writer.value(running ? 1 : 0);
        if (running) {
            writer.value(smAvailable);
            writer.value(remainingPs);
            writer.instant(updatedPs);
            writer.instant(completionPs);
            writer.value(reschedules);
        }
    }

    void shift(long deltaPs) {
        updatedPs += deltaPs;
        completionPs += deltaPs;
    }
}

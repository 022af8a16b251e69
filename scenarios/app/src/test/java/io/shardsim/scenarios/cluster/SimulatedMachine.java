package io.shardsim.scenarios.cluster;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A machine of a {@link SimulatedCluster}: of a member, or of a command. */
final class SimulatedMachine {
    final String address;
    /** State. */
    int lives;

    boolean up;

    @Nullable
    SimulatedActor<Member.Command> member;

    @Nullable
    Unhurried executor;

    /** Of the part that was handed out last. */
    SimulatedPart.@Nullable Inbox inbox;

    final List<SimulatedPart> parts = new ArrayList<>();

    SimulatedMachine(String address) {
        this.address = address;
    }
}

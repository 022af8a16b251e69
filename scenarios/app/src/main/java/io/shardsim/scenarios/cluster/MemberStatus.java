package io.shardsim.scenarios.cluster;

import org.apache.pekko.actor.typed.ActorRef;

/**
 * The status of a member, as known to the coordinator.
 *
 * @param running points of the asking command that it is running
 * @param silentMillis time since it was last heard from [ms]
 */
record MemberStatus(ActorRef<Member.Command> ref, String address, int running, long silentMillis) {}

package io.shardsim.scenarios.cluster;

import org.apache.pekko.actor.typed.ActorRef;

/**
 * How a member is, as the coordinator knows it.
 *
 * @param running points of the asking command that it runs now
 * @param silentMillis since it was last heard [ms]
 */
record MemberStatus(ActorRef<Member.Command> ref, String address, int running, long silentMillis) {}

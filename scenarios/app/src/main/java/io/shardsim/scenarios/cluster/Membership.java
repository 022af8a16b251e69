package io.shardsim.scenarios.cluster;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.pekko.actor.Address;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.cluster.ClusterEvent;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.typed.Cluster;
import org.apache.pekko.cluster.typed.Subscribe;

/** Reports members that join, leave, or become unreachable. */
final class Membership {
    private Membership() {}

    static Behavior<ClusterEvent.ClusterDomainEvent> create(Consumer<String> notices, Set<HostPort> seen) {
        return Behaviors.setup(context -> {
            Cluster cluster = Cluster.get(context.getSystem());
            // Do not report members that are already present as new.
            Set<Address> known = new HashSet<>();
            cluster.state().getMembers().forEach(member -> {
                known.add(member.address());
                seen.add(ClusterNode.place(member.address()));
            });
            cluster.subscriptions().tell(Subscribe.create(context.getSelf(), ClusterEvent.ClusterDomainEvent.class));
            Member self = cluster.selfMember();
            return Behaviors.receive(ClusterEvent.ClusterDomainEvent.class)
                    .onMessage(ClusterEvent.MemberUp.class, event -> {
                        seen.add(ClusterNode.place(event.member().address()));
                        return known.remove(event.member().address())
                                ? Behaviors.same()
                                : told(notices, event.member(), self, "has joined");
                    })
                    .onMessage(
                            ClusterEvent.UnreachableMember.class,
                            event -> told(notices, event.member(), self, "cannot be reached"))
                    .onMessage(
                            ClusterEvent.ReachableMember.class,
                            event -> told(notices, event.member(), self, "can be reached again"))
                    .onMessage(
                            ClusterEvent.MemberRemoved.class,
                            event -> told(notices, event.member(), self, "is no longer in the cluster"))
                    .onMessage(ClusterEvent.ClusterDomainEvent.class, other -> Behaviors.same())
                    .build();
        });
    }

    private static Behavior<ClusterEvent.ClusterDomainEvent> told(
            Consumer<String> notices, Member member, Member self, String what) {
        if (!member.address().equals(self.address())) {
            notices.accept("member " + ClusterNode.place(member.address()) + " " + what);
        }
        return Behaviors.same();
    }
}

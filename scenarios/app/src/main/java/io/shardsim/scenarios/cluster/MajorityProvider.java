package io.shardsim.scenarios.cluster;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.cluster.Cluster;
import org.apache.pekko.cluster.DowningProvider;
import org.apache.pekko.cluster.Reachability;
import org.apache.pekko.cluster.UniqueAddress;
import org.apache.pekko.cluster.sbr.DowningStrategy;
import org.apache.pekko.cluster.sbr.SplitBrainResolver;
import org.apache.pekko.cluster.sbr.SplitBrainResolverSettings;
import scala.Option;
import scala.concurrent.duration.FiniteDuration;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Decides who goes on when members lose sight of each other: Pekko's split brain resolver with a strategy of our own; named in {@code cluster.conf}.
 *
 * <p>Pekko 1.7.0's {@code keep-majority} takes a member that was seen to fall silent, and had itself seen another fall silent before, for one that is
 * half connected, finds no way out ("double DownIndirectlyConnected decision") and ends all members: two machines lost within half a minute
 * would be the end of a cluster of any size.
 */
public final class MajorityProvider extends DowningProvider {
    private final ActorSystem system;
    private final FiniteDuration stableAfter;

    /** Called by Pekko. */
    public MajorityProvider(ActorSystem system) {
        this.system = system;
        stableAfter = new SplitBrainResolverSettings(system.settings().config()).DowningStableAfter();
    }

    /** None: two coordinators for a while would only hand out points twice, and the first result of each counts. */
    @Override
    public FiniteDuration downRemovalMargin() {
        return FiniteDuration.Zero();
    }

    @Override
    public Option<Props> downingActorProps() {
        Cluster cluster = Cluster.get(system);
        return Option.apply(SplitBrainResolver.props(
                stableAfter, new Majority(cluster.selfDataCenter(), cluster.selfUniqueAddress())));
    }

    /** The side with more members goes on, of two equal ones that with the lowest address. */
    static final class Majority extends DowningStrategy {
        Majority(String dataCenter, UniqueAddress self) {
            super(dataCenter, self);
        }

        @Override
        public Option<String> role() {
            return Option.empty();
        }

        /** Members that hear some of the others only are half connected, unless what they say is no longer of interest. */
        @Override
        public void setReachability(Reachability reachability) {
            super.setReachability(withoutTheSilent(reachability));
        }

        /**
         * Of members that do not hear each other, so few that those who are left do: the one that misses most, of equal ones the one with the higher address.
         * Pekko would end all of them.
         */
        @Override
        public scala.collection.immutable.Set<UniqueAddress> nodesToDown(Decision decision) {
            scala.collection.immutable.Set<UniqueAddress> all = super.nodesToDown(decision);
            if (decision != DowningStrategy.DownIndirectlyConnected$.MODULE$) {
                return all;
            }
            Set<UniqueAddress> some = new HashSet<>(CollectionConverters.asJava(all));
            some.removeAll(CollectionConverters.asJava(indirectlyConnected()));
            List<Reachability.Record> missed =
                    new ArrayList<>(CollectionConverters.asJava(reachability().records()));
            missed.removeIf(record -> record.status() == Reachability.Reachable$.MODULE$
                    || some.contains(record.observer())
                    || some.contains(record.subject()));
            while (!missed.isEmpty()) {
                UniqueAddress worst = worst(missed);
                some.add(worst);
                missed.removeIf(record ->
                        record.observer().equals(worst) || record.subject().equals(worst));
            }
            return scala.collection.immutable.Set$.MODULE$.from(CollectionConverters.asScala(some));
        }

        private UniqueAddress worst(List<Reachability.Record> missed) {
            Map<UniqueAddress, Integer> misses = new TreeMap<>();
            for (Reachability.Record record : missed) {
                misses.merge(record.observer(), 1, Integer::sum);
                misses.merge(record.subject(), 1, Integer::sum);
            }
            UniqueAddress worst = missed.get(0).subject();
            int most = 0;
            for (Map.Entry<UniqueAddress, Integer> each : misses.entrySet()) {
                if (each.getValue() >= most) {
                    worst = each.getKey();
                    most = each.getValue();
                }
            }
            return worst;
        }

        @Override
        public Decision decide() {
            if (hasIndirectlyConnected()) {
                return DowningStrategy.DownIndirectlyConnected$.MODULE$;
            }
            int heard = CollectionConverters.asJava(reachableMembersWithRole()).size();
            int silent =
                    CollectionConverters.asJava(unreachableMembersWithRole()).size();
            boolean mine = heard == silent
                    ? heard > 0
                            && !unreachable(CollectionConverters.asJava(membersWithRole())
                                    .iterator()
                                    .next())
                    : heard > silent;
            return mine ? DowningStrategy.DownUnreachable$.MODULE$ : DowningStrategy.DownReachable$.MODULE$;
        }

        /**
         * Drops what was said by those that have fallen silent themselves, which is so when it is said by one of whom nobody says it. Where all who say
         * so are doubted in turn, nothing is dropped.
         */
        private static Reachability withoutTheSilent(Reachability reachability) {
            List<Reachability.Record> records = CollectionConverters.asJava(reachability.records()).stream()
                    .filter(record -> record.status() != Reachability.Reachable$.MODULE$)
                    .toList();
            Set<UniqueAddress> doubted = new HashSet<>();
            records.forEach(record -> doubted.add(record.subject()));
            Set<UniqueAddress> silent = new HashSet<>();
            for (Reachability.Record record : records) {
                if (!doubted.contains(record.observer())) {
                    silent.add(record.subject());
                }
            }
            return reachability.filterRecords(record -> !silent.contains(record.observer()));
        }
    }
}

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
 * Decides which side continues after a network partition: Pekko's split brain resolver with a strategy of our own; configured in
 * {@code cluster.conf}.
 *
 * <p>Pekko 1.7.0's {@code keep-majority} treats a member that was seen to fall silent, after itself seeing another fall silent, as half connected,
 * finds no resolution ("double DownIndirectlyConnected decision") and downs all members: two machines lost within half a minute would end a cluster
 * of any size.
 */
public final class MajorityProvider extends DowningProvider {
    private final ActorSystem system;
    private final FiniteDuration stableAfter;

    /** Called by Pekko. */
    public MajorityProvider(ActorSystem system) {
        this.system = system;
        stableAfter = new SplitBrainResolverSettings(system.settings().config()).DowningStableAfter();
    }

    /** Returns no margin: two coordinators for a while only hand out points twice, and the first result of each counts. */
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

    /** Keeps the side with more members; of equal sides the one with the lowest address. */
    static final class Majority extends DowningStrategy {
        Majority(String dataCenter, UniqueAddress self) {
            super(dataCenter, self);
        }

        @Override
        public Option<String> role() {
            return Option.empty();
        }

        /** Members that see only some of the others are half connected, unless their reports are outdated. */
        @Override
        public void setReachability(Reachability reachability) {
            super.setReachability(withoutTheSilent(reachability));
        }

        /**
         * Among members that do not see each other, removes as few as needed for the rest to do so: repeatedly the one that misses most, of equals
         * the one with the higher address. Pekko would down all of them.
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
         * Drops reports by members that have fallen silent themselves, according to a member that nobody reports. If every such reporter is reported
         * in turn, drops nothing.
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

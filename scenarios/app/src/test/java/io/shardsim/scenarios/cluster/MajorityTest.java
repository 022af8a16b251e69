package io.shardsim.scenarios.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Set;
import org.apache.pekko.actor.Address;
import org.apache.pekko.cluster.Member;
import org.apache.pekko.cluster.MemberStatus;
import org.apache.pekko.cluster.Reachability;
import org.apache.pekko.cluster.UniqueAddress;
import org.apache.pekko.cluster.sbr.DowningStrategy;
import org.apache.pekko.cluster.sbr.KeepMajority;
import org.apache.pekko.util.Version;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** Five workers sorted by address, as seen by the first. */
class MajorityTest {
    private static final List<Member> WORKERS = List.of(worker(1), worker(2), worker(3), worker(4), worker(5));

    private static Member worker(int number) {
        return new Member(
                address(number),
                number,
                MemberStatus.up(),
                CollectionConverters.asScala(Set.of("dc-default")).toSet(),
                Version.Zero());
    }

    private static UniqueAddress address(int number) {
        return new UniqueAddress(new Address("pekko", "shardsim", "10.0.0." + number, 17_355), (long) number);
    }

    /** @param silence pairs of a worker and another that it no longer hears */
    private static DowningStrategy told(DowningStrategy strategy, int[]... silence) {
        WORKERS.forEach(strategy::add);
        Reachability reachability = Reachability.empty();
        for (int[] pair : silence) {
            reachability = reachability.unreachable(address(pair[0]), address(pair[1]));
            if (pair[1] != 1) {
                strategy.addUnreachable(WORKERS.get(pair[1] - 1));
            }
        }
        strategy.setReachability(reachability);
        return strategy;
    }

    private static Set<UniqueAddress> ended(int[]... silence) {
        DowningStrategy strategy = told(new MajorityProvider.Majority("default", address(1)), silence);
        return CollectionConverters.asJava(strategy.nodesToDown(strategy.decide()));
    }

    private static int[] misses(int one, int other) {
        return new int[] {one, other};
    }

    @Test
    void moreGoOnThanAreSilent() {
        assertThat(ended(misses(1, 4), misses(2, 4), misses(3, 4), misses(1, 5), misses(2, 5), misses(3, 5)))
                .containsExactlyInAnyOrder(address(4), address(5));
        assertThat(ended(misses(1, 3), misses(2, 3), misses(1, 4), misses(2, 4), misses(1, 5), misses(2, 5)))
                .containsExactlyInAnyOrder(address(1), address(2));
    }

    /** The second noticed the loss of the third before it fell silent itself. */
    @Test
    void twoThatFallSilentOneAfterTheOtherTakeNobodyWithThem() {
        int[][] silence = {
            misses(1, 3), misses(2, 3), misses(4, 3), misses(5, 3), misses(1, 2), misses(4, 2), misses(5, 2)
        };

        assertThat(ended(silence)).containsExactlyInAnyOrder(address(2), address(3));
        // Once Pekko does this, our strategy can be removed.
        DowningStrategy pekkos = told(new KeepMajority("default", Option.empty(), address(1)), silence);
        assertThatThrownBy(() -> pekkos.nodesToDown(pekkos.decide()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("double DownIndirectlyConnected");
    }

    /** A cable between two of them is cut. */
    @Test
    void ofTwoThatOnlyMissEachOtherOneGoes() {
        assertThat(ended(misses(2, 3), misses(3, 2))).containsExactly(address(3));
    }

    /** A worker behind a firewall reaches few of the others. */
    @Test
    void theOneThatMostOthersMissGoesAlone() {
        assertThat(ended(misses(2, 3), misses(3, 2), misses(2, 4), misses(4, 2), misses(5, 2), misses(2, 5)))
                .containsExactly(address(2));
    }
}

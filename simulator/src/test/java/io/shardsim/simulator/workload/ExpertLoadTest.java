package io.shardsim.simulator.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardsim.simulator.workload.ExpertLoad.Law;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExpertLoadTest {
    private static final Experts EXPERTS = new Experts(64, 4);

    private static ExpertLoad load(Law law, double skew, long seed, int ranks) {
        return new ExpertLoad(law, skew, seed, 0, false, ranks);
    }

    private static ExpertLoad capped(double skew, double capacity, boolean pads) {
        return new ExpertLoad(Law.ZIPF, skew, 1, capacity, pads, 8);
    }

    private static List<Experts> layers(ExpertLoad load) {
        return IntStream.range(0, 4).mapToObj(layer -> load.of(layer, EXPERTS)).toList();
    }

    @Test
    void anEvenLoadLeavesExpertsAsTheyAre() {
        assertThat(ExpertLoad.EVEN.among(8).of(3, EXPERTS)).isSameAs(EXPERTS);
    }

    @ParameterizedTest
    @EnumSource(names = {"ZIPF", "DIRICHLET"})
    void oneRankHasAllCopiesWhateverIsDrawn(Law law) {
        for (Experts layer : layers(load(law, 0.7, 5, 1))) {
            assertThat(layer.fullest()).isCloseTo(1, within(1e-9));
            assertThat(layer.kept()).isCloseTo(1, within(1e-9));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ZIPF", "DIRICHLET"})
    void theSeedAndTheLayerDecide(Law law) {
        assertThat(layers(load(law, 0.7, 5, 8)))
                .isEqualTo(layers(load(law, 0.7, 5, 8)))
                .doesNotHaveDuplicates();
        assertThat(layers(load(law, 0.7, 6, 8))).doesNotContainAnyElementsOf(layers(load(law, 0.7, 5, 8)));
        assertThat(layers(load(law, 0.7, 5, 8))).allMatch(layer -> layer.fullest() > 1 && layer.kept() < 1 + 1e-9);
    }

    /** With one expert per rank, the fullest has the first place of Zipf's law: 64 / H(64, 1/2), in any order. */
    @Test
    void theFullestOfAsManyRanksAsExpertsHasTheFirstShare() {
        double sum =
                IntStream.rangeClosed(1, 64).mapToDouble(r -> 1 / Math.sqrt(r)).sum();
        assertThat(layers(load(Law.ZIPF, 0.5, 5, 64))).allMatch(layer -> Math.abs(layer.fullest() - 64 / sum) < 1e-9);
    }

    /** With one expert per rank, padding to the fullest moves no rank's load and fills all others up to it. */
    @Test
    void paddingToTheFullestGivesEveryExpertItsRows() {
        ExpertLoad padded = new ExpertLoad(Law.ZIPF, 0.5, 5, Double.POSITIVE_INFINITY, true, 64);
        for (int layer = 0; layer < 4; layer++) {
            double fullest = load(Law.ZIPF, 0.5, 5, 64).of(layer, EXPERTS).fullest();
            assertThat(padded.of(layer, EXPERTS).fullest()).isCloseTo(fullest, within(1e-9));
            assertThat(padded.of(layer, EXPERTS).kept()).isCloseTo(fullest, within(1e-9));
            assertThat(padded.among(8).of(layer, EXPERTS).fullest()).isCloseTo(fullest, within(1e-9));
        }
    }

    /** No expert gets more than one copy of each token: a share of 1 / 4 of all copies, 16 times an even one. */
    @Test
    void noExpertHasMoreThanOneCopyOfEachToken() {
        assertThat(layers(load(Law.ZIPF, 4, 5, 64)))
                .allMatch(layer -> Math.abs(layer.fullest() - 16) < 1e-9 && Math.abs(layer.kept() - 1) < 1e-9);
    }

    /** The mean of the largest of two Gamma(A) over their sum: 3 / 4 for A = 1. */
    @Test
    void dirichletHasTheShareThatItsDensitySays() {
        ExpertLoad load = load(Law.DIRICHLET, 1, 3, 2);
        double mean = IntStream.range(0, 4000)
                .mapToDouble(layer -> load.of(layer, new Experts(2, 1)).fullest() / 2)
                .average()
                .orElseThrow();
        assertThat(mean).isCloseTo(0.75, within(0.01));
    }

    @Test
    void capacityDropsWhatIsBeyondAndPaddingFillsItUp() {
        Experts free = capped(1, 0, false).of(0, EXPERTS);
        Experts dropped = capped(1, 1.25, false).of(0, EXPERTS);
        assertThat(dropped.fullest()).isLessThanOrEqualTo(1.25).isLessThan(free.fullest());
        assertThat(dropped.kept()).isLessThan(1).isLessThan(dropped.fullest());
        assertThat(capped(1, 1.25, true).of(0, EXPERTS)).isEqualTo(new Experts(64, 4, 1.25, 1.25));
        assertThat(capped(1, 64, false).of(0, EXPERTS)).isEqualTo(free);
    }
}

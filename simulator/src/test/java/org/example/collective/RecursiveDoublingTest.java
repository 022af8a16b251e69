package org.example.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.simulator.collective.CollectiveAlgorithm;
import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.collective.CollectiveRequest;
import io.shardsim.simulator.collective.Groups;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A collective written outside of the package gives the same result as a class and as data. */
class RecursiveDoublingTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void roundsOfAFileAreTheProgramsOfTheClass(int gpus) {
        CollectiveAlgorithm data = CollectiveCatalog.shipped().algorithms().stream()
                .filter(algorithm -> algorithm.name().equals("recursive"))
                .findFirst()
                .orElseThrow();
        CollectiveAlgorithm written = new RecursiveDoubling();
        CollectiveRequest request = new CollectiveRequest(
                CollectiveKind.ALL_GATHER,
                (64L << 20) + 5,
                Groups.firstGpus(2, gpus),
                Groups.cluster(2),
                Groups.transport(4, 1 << 16, 2));

        assertThat(data.supports(request)).isTrue();
        assertThat(data.channels(request)).isEqualTo(written.channels(request));
        for (int member = 0; member < request.size(); member++) {
            for (int channel = 0; channel < data.channels(request); channel++) {
                assertThat(data.program(request, member, channel)).isEqualTo(written.program(request, member, channel));
            }
        }
    }
}

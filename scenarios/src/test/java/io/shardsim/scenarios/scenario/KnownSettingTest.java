package io.shardsim.scenarios.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardsim.reports.KnownSetting;
import io.shardsim.scenarios.catalog.Strategies;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The table of settings names keys that exist; a misspelt row would have no effect, and say nothing. */
class KnownSettingTest {
    @Test
    void everyRowIsAKeyOfScenarios() {
        Set<String> keys = new HashSet<>(ScenarioKeys.FILE.names());
        keys.addAll(ScenarioKeys.dottedKeys());
        Strategies.kinds().stream()
                .map(Strategies::descriptor)
                .filter(Objects::nonNull)
                .flatMap(strategy -> strategy.parameterNames().stream())
                .forEach(name -> keys.add("strategy." + name));
        assertThat(KnownSetting.all()).extracting(KnownSetting::path).isSubsetOf(keys);
    }

    /** A plan can try what it finds in the table: every value is one that a scenario may have. */
    @Test
    void choicesAreSearchedWhole() {
        assertThat(Objects.requireNonNull(KnownSetting.of("training.attention")).searched())
                .isEqualTo(List.of("standard", "flash"));
    }

    /** Whoever names a framework writes how a model is split, and leaves its kernels to the release. */
    @Test
    void softwareDecidesWhatItShips() {
        assertThat(List.of("training.attention", "strategy.reduce_bucket_size", "strategy.framework_profile"))
                .noneMatch(KnownSetting::isUsers);
        assertThat(List.of("training.micro_batch", "strategy.tensor_parallel", "cluster.nodes"))
                .allMatch(KnownSetting::isUsers);
    }
}

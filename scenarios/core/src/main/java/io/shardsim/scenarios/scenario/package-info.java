/**
 * Scenarios: the model, how it is trained, the cluster, and the sweep.
 *
 * <p>This package has the keys of a scenario file, the resolved records, and sweeps; it runs nothing. To add a key, add it to
 * {@link io.shardsim.scenarios.scenario.ScenarioKeys}, or a training key to {@code settings.yaml} ({@link io.shardsim.reports.KnownSetting}); reader,
 * messages and schema follow.
 */
@NullMarked
package io.shardsim.scenarios.scenario;

import org.jspecify.annotations.NullMarked;

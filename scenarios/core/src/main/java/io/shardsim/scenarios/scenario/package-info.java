/**
 * Scenarios: what is trained, how, on what, and which of it is varied.
 *
 * <p>Here: the keys of a scenario file, the resolved records they become, and sweeps. Not here: how anything runs. To add a key, add it to
 * {@link io.shardsim.scenarios.scenario.ScenarioKeys}, one of training to {@code settings.yaml} ({@link io.shardsim.reports.KnownSetting}); reader, messages
 * and schema follow.
 */
@NullMarked
package io.shardsim.scenarios.scenario;

import org.jspecify.annotations.NullMarked;

/**
 * Embeds shardsim in your own program: read or build a {@link io.shardsim.scenarios.api.Scenario}, give it to a
 * {@link io.shardsim.scenarios.api.Simulator}, and get {@link io.shardsim.scenarios.api.Results} with typed figures.
 *
 * <p>This package is the stable API. It exposes no types of other shardsim packages, which may change with every version. {@code docs/embedding.md}
 * has an example that is compiled and run as a test.
 */
@NullMarked
package io.shardsim.scenarios.api;

import org.jspecify.annotations.NullMarked;

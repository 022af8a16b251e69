/**
 * shardsim in your own program: read or build a {@link io.shardsim.scenarios.api.Scenario}, give it to a {@link
 * io.shardsim.scenarios.api.Simulator}, and get {@link io.shardsim.scenarios.api.Results} with typed figures.
 *
 * <p>This package is what programs may rely on. It shows no type of any other package of shardsim; those may change with every version.
 * {@code docs/embedding.md} has an example that is compiled and run as a test.
 */
@NullMarked
package io.shardsim.scenarios.api;

import org.jspecify.annotations.NullMarked;

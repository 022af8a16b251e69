/**
 * Compares a PyTorch profile of a real step with the simulated one: where both spend their time, and what their collectives move.
 *
 * <p>Here: the profile readers, kernel names, the split of a step, and the comparison as text, JSON and HTML. A kernel library is a regular
 * expression in {@code kernels.yaml}. Not here: writing a simulated run as a profile ({@code reports.replay}).
 */
@NullMarked
package io.shardsim.scenarios.profiling;

import org.jspecify.annotations.NullMarked;

/**
 * A PyTorch profile of a real step beside the simulated one: where both spend their time, and what their collectives move.
 *
 * <p>Here: the reader of profiles, the names of kernels, the split of a step, the comparison with its text and JSON. A library of kernels is an expression in {@code kernels.yaml}. Not
 * here: how a simulated run is written as a profile ({@code reports.replay}).
 */
@NullMarked
package io.shardsim.scenarios.profiling;

import org.jspecify.annotations.NullMarked;

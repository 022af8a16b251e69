/**
 * Published measurements beside what the simulator says, and what their errors amount to.
 *
 * <p>Here: the figures that can be compared, the outcome of a case, and summaries of errors. Not here: where cases come from, how they
 * are run, how errors are written down. To compare a further figure, add it to {@link io.shardsim.reports.validation.Metric}.
 */
@NullMarked
package io.shardsim.reports.validation;

import org.jspecify.annotations.NullMarked;

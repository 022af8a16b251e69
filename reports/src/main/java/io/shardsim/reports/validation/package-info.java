/**
 * Validation: published measurements compared with the simulation, and their error statistics.
 *
 * <p>This package has the figures that can be compared, the outcome of a case, and summaries of errors. It neither runs cases nor writes errors. To
 * compare another figure, add it to {@link io.shardsim.reports.validation.Metric}.
 */
@NullMarked
package io.shardsim.reports.validation;

import org.jspecify.annotations.NullMarked;

/**
 * Metrics of a run: throughput, scaling efficiency, exposed communication, memory and cost, and the reason for each figure.
 *
 * <p>This module reads observations and results. It knows nothing about actors and does not affect simulated time.
 */
@NullMarked
package io.shardsim.reports;

import org.jspecify.annotations.NullMarked;

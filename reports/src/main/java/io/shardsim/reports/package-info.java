/**
 * Meanings: throughput, scaling-efficiency, exposed communication, memory and cost, and the reason for each figure.
 *
 * <p>This module reads observations and results. It knows no actors and decides nothing about the simulated time.
 */
@NullMarked
package io.shardsim.reports;

import org.jspecify.annotations.NullMarked;

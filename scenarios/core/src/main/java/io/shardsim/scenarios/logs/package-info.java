/**
 * Logs of trainings: the speed that they tell, and lines that show a fault or rule one out.
 *
 * <p>Formats are rows of the resource {@code logs/formats.yaml}. Not here: logs of nccl-tests, which {@code calibrating} reads.
 */
@NullMarked
package io.shardsim.scenarios.logs;

import org.jspecify.annotations.NullMarked;

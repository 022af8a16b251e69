/**
 * Training logs: the speed they report, and lines that show or rule out a fault.
 *
 * <p>Formats are rows of the resource {@code logs/formats.yaml}. Logs of nccl-tests are read in {@code calibrating}.
 */
@NullMarked
package io.shardsim.scenarios.logs;

import org.jspecify.annotations.NullMarked;

/** Calibration: fits a cluster's figures to measurements, and writes them as an instance file. */
@NullMarked
package io.shardsim.scenarios.calibrating;

import org.jspecify.annotations.NullMarked;

/**
 * Programs that derive the coefficients of {@code io.shardsim.simulator.compute} from the reference tables, and judge the result on
 * whole training steps. Each has a {@code main}; {@code mvn -pl simulator -am test -Dtest='*TablesTest'} runs the quick checks.
 *
 * <p>The tables lie outside the repository, at {@code ../shared/reference} or where {@code -Dshardsim.reference=DIR} says.
 */
@NullMarked
package io.shardsim.simulator.compute.calibration;

import org.jspecify.annotations.NullMarked;

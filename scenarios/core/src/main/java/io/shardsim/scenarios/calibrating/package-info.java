/** What a cluster was measured to reach, and the instance file that says so. */
@NullMarked
package io.shardsim.scenarios.calibrating;

import org.jspecify.annotations.NullMarked;

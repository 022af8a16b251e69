/**
 * The composition root: where a question meets the simulator and becomes a result, and a result a report.
 *
 * <p>Here: wiring. Not here: models, wording, files of the user, options of the command line.
 */
@NullMarked
package io.shardsim.scenarios.composition;

import org.jspecify.annotations.NullMarked;

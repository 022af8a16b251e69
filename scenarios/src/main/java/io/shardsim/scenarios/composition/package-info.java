/**
 * The composition root: where a question meets the simulator and becomes a result.
 *
 * <p>Here: wiring. Not here: models, wording, files.
 */
package io.shardsim.scenarios.composition;
